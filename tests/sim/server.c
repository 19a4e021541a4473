/* SPDX-License-Identifier: MIT
 *
 * server - one bucket with its troubles.
 */
#include "sim.h"

enum {
  SOON_MS = 5,
  LATE_MS = 15, /* of a refusal */
  GOOD_MS = 30, /* of an answer */
  BETTER_MS = 80,
  WARM_MS = 60000, /* from a quarter of its capacity to all of it */
  KNOCKED_OUT_MS = 15000,
  SLOT_MS = 100,
  SLOTS = 10
};

static int64_t between(int64_t from, int64_t to)
{
  return from + backoff_uniform(sim_throw(&sim->luck), to - from);
}

static struct answer good(void)
{
  return (struct answer){.status = 200,
                         .after_ms = between(GOOD_MS, BETTER_MS)};
}

static struct answer bad(void)
{
  return (struct answer){.status = 503, .after_ms = between(SOON_MS, LATE_MS)};
}

static struct answer slow_down(int64_t retry_after_s)
{
  struct answer a = bad();
  a.slow_down = true;
  /* What a client does not read it might as well not be sent. */
  a.retry_after_s = sim->policy->yardstick == SIM_AWS ? 0 : retry_after_s;
  return a;
}

/* Requests of the last second, this one too. */
static int64_t last_second(struct server *s)
{
  int64_t slot = sim->now_ms / SLOT_MS, sum = 0;
  for (; s->slot_at < slot; s->slot_at++)
    s->slots[(s->slot_at + 1) % SLOTS] = 0;
  s->slots[slot % SLOTS]++;
  for (int i = 0; i < SLOTS; i++)
    sum += s->slots[i];
  return sum;
}

/* A bucket of CAPACITY tokens that fills in a second. */
static bool within(struct server *s, int64_t capacity)
{
  int64_t tokens = s->tokens + capacity * (sim->now_ms - s->at_ms);
  if (tokens > capacity * 1000)
    tokens = capacity * 1000;
  bool has = tokens >= 1000;
  s->tokens = has ? tokens - 1000 : tokens;
  s->at_ms = sim->now_ms;
  return has;
}

/* What it can serve so long after it came back. */
static int64_t warmth(const struct server *s)
{
  int64_t full = s->scenario->cold, age = sim->now_ms - s->back_ms;
  return age >= WARM_MS ? full : full / 4 + full * 3 / 4 * age / WARM_MS;
}

/* Back from an outage, with cold caches: more than it can serve is refused,
 * more than twice of it takes the server down once more. */
static struct answer cold(struct server *s)
{
  int64_t load = last_second(s);
  if (s->back_ms == 0 || !s->scenario->cold)
    return good();
  if (sim->now_ms < s->back_ms)
    return bad();
  if (load > 2 * warmth(s)) {
    s->back_ms = sim->now_ms + KNOCKED_OUT_MS;
    sim->count->outages++;
    return bad();
  }
  return within(s, warmth(s)) ? good() : slow_down(0);
}

static bool troubled(const struct sim_scenario *c)
{
  return sim->now_ms >= c->from_ms && sim->now_ms < c->to_ms;
}

struct answer server_ask(struct server *s)
{
  const struct sim_scenario *c = s->scenario;
  struct answer a;
  if (!troubled(c))
    return cold(s);
  switch (c->trouble) {
  case SIM_DOWN:
    (void)last_second(s);
    s->back_ms = c->to_ms;
    return bad();
  case SIM_BUSY:
    return within(s, c->capacity) ? good() : slow_down(c->retry_after_s);
  case SIM_FLAKY:
    return between(1, 1000) <= c->permille ? bad() : good();
  case SIM_SLOW:
    a = good();
    a.after_ms += c->slow_ms;
    return a;
  }
  return good();
}
