/* SPDX-License-Identifier: MIT
 *
 * doors - io/sys, io/http and io/state as the engine sees them, in a world
 * without time, network and disk.
 */
#include <stdio.h>
#include <stdlib.h>

#include "io/sys.h"
#include "sim.h"

/* ---- time and dice ---- */

/* 2030-01-01; far from 0, which means "none" in places. */
static const int64_t wall0_ms = INT64_C(1893456000000);
enum { MONO0_MS = 1000000 };

struct now sys_now(void)
{
  return (struct now){.mono_ms = MONO0_MS + sim->now_ms,
                      .wall_ms = wall0_ms + sim->now_ms};
}

uint64_t sys_random(void)
{
  return sim_throw(&sim->dice);
}

int sys_poll_ms(int64_t ms, bool busy)
{
  (void)ms;
  (void)busy;
  return 0;
}

void sys_polled(int64_t ms, bool busy, bool woken)
{
  (void)ms;
  (void)busy;
  (void)woken;
}

void sys_pause_us(int64_t us)
{
  (void)us;
}

/* ---- what one machine's runs share ---- */

void state_peek(struct state *s, const char *scope, struct scope *out)
{
  (void)scope;
  *out = ((struct machine *)s)->scope;
}

bool state_step(struct state *s, const char *scope, state_fn *step, void *ctx)
{
  struct machine *m = (struct machine *)s;
  (void)scope;
  step(ctx, &m->scope, sys_now().wall_ms);
  m->scope.seen_ms = sys_now().wall_ms;
  return true;
}

bool state_writable(struct state *s)
{
  (void)s;
  return true;
}

/* ---- the wire: one call at a time ---- */

struct http {
  struct http_call *call;
  struct answer answer;
  int64_t due_ms;
};

enum err http_new(const struct http_options *options, struct http **out,
                  struct error *e)
{
  (void)options;
  *out = calloc(1, sizeof **out);
  return *out ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
}

enum err http_start(struct http *h, struct http_call *c, struct error *e)
{
  (void)e;
  count_request();
  h->call = c;
  h->answer = server_ask(&sim->server);
  h->due_ms = sim->now_ms + h->answer.after_ms;
  c->owner = h;
  c->in_flight = true;
  sim->current->timed_out = false;
  return ERR_OK;
}

uint64_t http_rate(const struct http *h)
{
  (void)h;
  return 0;
}

void http_move(struct http *h)
{
  (void)h;
}

void http_wait(struct http *h, int64_t ms, int sink, int source)
{
  int64_t until = ms == RETRY_NEVER ? RETRY_NEVER : sim->now_ms + ms;
  (void)sink;
  (void)source;
  if (h->call && h->due_ms < until)
    until = h->due_ms;
  sim_sleep_until(until);
  if (!h->call)
    sim->current->wake_ms = sim->now_ms;
}

static enum err fill(struct http_call *c, const struct answer *a)
{
  static const char slow_down[] =
      "<Error><Code>SlowDown</Code><Message>Please reduce your request "
      "rate.</Message></Error>";
  struct response *r = &c->response;
  enum err err = ERR_OK;
  r->status = a->status;
  if (a->status < 300)
    return kv_add(&r->headers, "ETag", "\"0\"", NULL);
  if (a->slow_down)
    err = buf_adds(&r->body, slow_down);
  if (!err && a->retry_after_s)
    err = kv_addf(&r->headers, NULL, "Retry-After", "%lld",
                  (long long)a->retry_after_s);
  return err;
}

struct http_call *http_next_done(struct http *h)
{
  struct http_call *c = h->call;
  if (!c || sim->now_ms < h->due_ms)
    return NULL;
  if (fill(c, &h->answer))
    exit(3);
  c->head_done = true;
  c->in_flight = false;
  c->xport = XPORT_OK;
  h->call = NULL;
  count_answer(h->answer.status < 300);
  return c;
}

void http_cancel(struct http_call *c)
{
  c->owner->call = NULL;
  c->in_flight = false;
  sim->current->timed_out = true;
  count_answer(false);
}

void http_resume(struct http_call *c)
{
  (void)c;
}

enum http_phase http_phase(const struct http_call *c)
{
  (void)c;
  return HTTP_WAITING;
}

uint64_t http_moved(struct http_call *c)
{
  (void)c;
  return 0;
}

void http_call_release(struct http_call *c)
{
  response_release(&c->response);
}

void http_free(struct http *h)
{
  free(h);
}

const char *http_library(void)
{
  return "none";
}
