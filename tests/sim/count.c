/* SPDX-License-Identifier: MIT
 *
 * count - what is taken down of requests and ends.
 */
#include "io/sys.h"
#include "sim.h"

static bool troubled(int64_t at_ms)
{
  return at_ms >= sim->scenario->from_ms && at_ms < sim->scenario->to_ms;
}

static void most(int64_t *to, int64_t n)
{
  if (n > *to)
    *to = n;
}

/* Requests that come after a wait: how many fall together. */
static void count_herd(void)
{
  const size_t room = sizeof sim->herd_at / sizeof *sim->herd_at;
  const struct invocation *i = sim->current;
  int64_t together = 1;
  if (i->wake_ms == i->begun_ms)
    return;
  for (size_t k = 1; k < room && k <= sim->herd_n; k++, together++)
    if (sim->herd_at[(sim->herd_n - k) % room] <= sim->now_ms - SIM_HERD_MS)
      break;
  sim->herd_at[sim->herd_n++ % room] = sim->now_ms;
  most(&sim->count->herd, together);
}

/* In a cool-down nothing is to be sent, and after it one request, the probe,
 * until the breaker has moved again. */
static void count_probe(struct machine *m)
{
  const struct breaker *b = &m->scope.breaker;
  if (!b->open)
    return;
  if (m->opened_at_ms != b->opened.at_ms)
    m->probes = 0;
  m->opened_at_ms = b->opened.at_ms;
  most(&sim->count->probes, ++m->probes);
  sim->count->early += span_left_ms(&b->opened, b->opened.at_ms) >
                       sys_now().wall_ms - b->opened.at_ms;
}

void count_request(void)
{
  struct sim_count *c = sim->count;
  int64_t second = sim->now_ms / 1000;
  c->requests++;
  c->requests_in += troubled(sim->now_ms);
  count_herd();
  count_probe(sim->current->machine);
  if (second >= SIM_SECONDS)
    return;
  most(sim->now_ms < sim->scenario->to_ms ? &c->peak_in : &c->peak_after,
       ++c->load[second]);
}

/* What went wrong behind the trouble. */
static void bad_now(void)
{
  if (sim->now_ms >= sim->scenario->to_ms)
    most(&sim->count->bad_ms, sim->now_ms - sim->scenario->to_ms);
}

void count_answer(bool ok)
{
  if (!ok)
    bad_now();
}

void count_end(const struct invocation *i)
{
  struct sim_count *c = sim->count;
  int status = err_exit_status(i->job.end, 0);
  c->starts++;
  c->starts_in += troubled(i->begun_ms);
  c->ok += status == 0;
  c->later += status >= 10 && status <= 13;
  c->failed += status != 0 && (status < 10 || status > 13);
  if (status)
    bad_now();
}
