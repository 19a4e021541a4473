/* SPDX-License-Identifier: MIT
 *
 * engine - see engine.h.  One job's life:
 *
 *   READY --start--> FLYING --ok, permanent, spent--> DONE
 *     ^                |  |
 *     |                |  +--retry--> WAITING --its time--> READY
 *     +----repaired----+
 *     +--region told-- ASKING <--wrong region, which is not told--+ (FLYING)
 *     +--credentials-- WANTING <--refused (FLYING), or due (READY)
 *
 *   any --signal, deadline--> DONE
 */
#include "flow/engine.h"

#include "flow/admission.h"
#include "flow/attempt.h"
#include "flow/engine_end.h"
#include "flow/engine_loop.h"
#include "flow/engine_show.h"
#include "flow/engine_words.h"
#include "flow/token.h"
#include "io/sys.h"

enum err engine_tick(const struct engine *e, struct error *err)
{
  if (sys_interrupted() && !e->deaf)
    return err_set(err, ERR_INTERRUPTED, "interrupted by a signal");
  if (e->deadline_mono_ms != RETRY_NEVER &&
      sys_now().mono_ms >= e->deadline_mono_ms)
    return err_set(err, ERR_DEADLINE, "the deadline has passed");
  return ERR_OK;
}

/* ---- the start of an attempt ---- */

/* True when the attempt may go on; else J waits or is done. */
static bool may_go_on(struct job *j, enum admission a)
{
  if (a == ADMISSION_GO)
    return true;
  attempt_release(j);
  j->state = a == ADMISSION_WAIT ? JOB_WAITING : JOB_DONE;
  return false;
}

static enum err send_attempt(struct job *j)
{
  struct engine *e = j->engine;
  struct now now = sys_now();
  guard_sent(&j->ticket, j->number == 0, now);
  e->retries += j->retry_due;
  j->retry_due = false;
  enum err err = attempt_start(j, now, &j->error);
  if (err) {
    engine_tell_guard(j, NULL, VERDICT_OK, now);
    guard_announce(&e->guard, &j->ticket, now);
  }
  return err;
}

/* Asked twice: what hashing takes long for may be in vain, and what was true
 * before it may not be any more. */
static void start(struct job *j)
{
  const char *why = NULL;
  enum err err = engine_tick(j->engine, &j->error);
  if (!err && !may_go_on(j, admission_ask(j, sys_now())))
    return;
  if (!err && j->op != OP_TOKEN && token_is_due(j->engine, sys_now())) {
    j->state = JOB_WANTING;
    return;
  }
  if (!err && j->asks_only) {
    engine_end_job(j, ERR_OK, NULL);
    return;
  }
  if (!err) {
    err = attempt_prepare(j, &j->error);
    why = err ? j->refusal.why : NULL;
  }
  if (!err)
    err = engine_tick(j->engine, &j->error);
  if (!err && !may_go_on(j, admission_enter(j, sys_now())))
    return;
  if (!err)
    err = send_attempt(j);
  if (!err) {
    j->state = JOB_FLYING;
    return;
  }
  attempt_release(j);
  engine_end_job(j, err, why);
}

/* ---- its end ---- */

static void cut(struct job *j, enum xport why)
{
  http_cancel(&j->call);
  engine_finish(j, why);
}

/* ---- the loop ---- */

static void stop_one(struct job *j, enum xport why, enum err end)
{
  if (j->state == JOB_FLYING)
    cut(j, why);
  if (engine_at_rest(j))
    return;
  err_set(&j->error, end, "%s", engine_limit_words(why));
  engine_end_job(j, end, NULL);
}

void engine_stop_all(struct loop *l, enum xport why, enum err end)
{
  l->closing = true;
  for (size_t i = 0; i < engine_count(l); i++)
    stop_one(engine_nth(l, i), why, end);
}

void engine_drop(struct job *j)
{
  stop_one(j, XPORT_CANCELLED, ERR_INTERRUPTED);
}

/* Starts J when it is due and ends it when it is overdue; how long nothing
 * needs doing. */
static int64_t step_job(struct loop *l, struct job *j, struct now now)
{
  if (j->state == JOB_WAITING && now.mono_ms >= j->wake_mono_ms)
    j->state = JOB_READY;
  if (j->state == JOB_READY)
    start(j);
  enum xport overdue =
      j->state == JOB_FLYING ? attempt_overdue(j, now) : XPORT_OK;
  if (overdue != XPORT_OK)
    cut(j, overdue);
  if (j->state == JOB_FLYING)
    guard_renew(&l->e->guard, &j->ticket, http_moved(&j->call), now);
  engine_show(j, now);
  if (j->state == JOB_FLYING)
    return attempt_next_ms(j, now);
  if (j->state == JOB_WAITING)
    return retry_left(j->wake_mono_ms, now);
  return j->state == JOB_READY ? 0 : RETRY_NEVER;
}

/* How long nothing needs doing, or -1 when all is done. */
static int64_t step(struct loop *l)
{
  bool all_done = !l->later;
  int64_t next =
      l->later ? retry_left(l->e->deadline_mono_ms, sys_now()) : RETRY_NEVER;
  for (size_t i = 0; i < engine_count(l); i++) {
    struct job *j = engine_nth(l, i);
    int64_t ms = step_job(l, j, sys_now());
    /* What a feed's job leaves is to be taken before anything is waited for. */
    bool left = l->feed && j->state == JOB_DONE;
    if (left)
      ms = 0;
    next = ms < next ? ms : next;
    all_done = all_done && engine_at_rest(j) && !left;
  }
  if (l->e->progress && l->e->progress->on && next > PROGRESS_EVERY_MS)
    next = PROGRESS_EVERY_MS;
  if (l->feed && l->feed->look_ms && next > l->feed->look_ms)
    next = l->feed->look_ms;
  return all_done ? -1 : next;
}

/* The sink of the first job that waits for room there. */
static int full_sink(struct loop *l)
{
  for (size_t i = 0; i < l->n; i++)
    if (l->jobs[i].state == JOB_FLYING && l->jobs[i].call.paused)
      return l->jobs[i].sink_fd;
  return -1;
}

static void turn(struct loop *l, int64_t ms)
{
  struct http_call *c;
  /* What is moved first may fill a sink, and that one must be waited for. */
  http_move(l->e->http);
  int fd = full_sink(l);
  if (fd < 0 && l->feed && l->feed->full)
    fd = l->feed->full(l->feed->ctx);
  http_wait(l->e->http, ms, fd, l->later ? l->feed->fd : -1);
  while ((c = http_next_done(l->e->http)) != NULL)
    engine_finish(c->ctx, XPORT_OK);
  for (size_t i = 0; i < l->n && fd >= 0; i++)
    if (l->jobs[i].state == JOB_FLYING)
      http_resume(&l->jobs[i].call);
}

static void run(struct loop *l)
{
  for (;;) {
    if (sys_interrupted() && !l->e->deaf)
      engine_stop_all(l, XPORT_INTERRUPTED, ERR_INTERRUPTED);
    engine_take_feed(l);
    int64_t ms = step(l);
    if (engine_end_aids(l) || engine_begin_aids(l))
      continue;
    if (ms < 0)
      break;
    turn(l, ms);
  }
}

static void rest_aids(struct loop *l)
{
  for (size_t i = 0; i < AID_COUNT; i++)
    l->aids[i].state = JOB_IDLE;
}

void engine_run(struct engine *e, struct job *jobs, size_t n)
{
  struct loop l = {.e = e, .jobs = jobs, .n = n};
  rest_aids(&l);
  for (size_t i = 0; i < n; i++) {
    jobs[i].engine = e;
    jobs[i].state = JOB_READY;
  }
  run(&l);
}

void engine_run_fed(struct engine *e, struct job *slots, size_t n,
                    const struct engine_feed *feed)
{
  struct loop l = {.e = e, .jobs = slots, .n = n, .feed = feed};
  rest_aids(&l);
  for (size_t i = 0; i < n; i++)
    slots[i].state = JOB_IDLE;
  run(&l);
}

static enum err await(struct engine *e, int sink, int source, int64_t ms,
                      struct error *err)
{
  enum err late = engine_tick(e, err);
  if (late)
    return late;
  int64_t left = retry_left(e->deadline_mono_ms, sys_now());
  http_wait(e->http, left < ms ? left : ms, sink, source);
  return engine_tick(e, err);
}

enum err engine_await(struct engine *e, int fd, int64_t ms, struct error *err)
{
  return await(e, -1, fd, ms, err);
}

enum err engine_await_room(struct engine *e, int fd, struct error *err)
{
  return await(e, fd, -1, INT64_MAX, err);
}

void engine_run_last(struct engine *e, struct job *j, int64_t ms)
{
  struct engine kept = *e;
  struct state *state = e->guard.state;
  e->deaf = true;
  e->guard.state = NULL;
  e->policy.retries = 0;
  e->hold_mono_ms = 0;
  e->deadline_mono_ms = sys_now().mono_ms + ms;
  sys_hush_signals();
  engine_run(e, j, 1);
  e->deaf = kept.deaf;
  e->guard.state = state;
  e->policy = kept.policy;
  e->hold_mono_ms = kept.hold_mono_ms;
  e->deadline_mono_ms = kept.deadline_mono_ms;
}

enum err engine_dry_run(struct engine *e, struct job *j, struct error *err)
{
  j->engine = e;
  e->dry = true;
  return attempt_prepare(j, err);
}

void job_release(struct job *j)
{
  attempt_release(j);
  kv_release(&j->headers);
}

void engine_release(struct engine *e)
{
  guard_release(&e->guard);
  site_release(&e->site);
  creds_release(&e->creds);
  token_release(&e->token);
}
