/* SPDX-License-Identifier: MIT
 *
 * admission - see admission.h.
 */
#include "flow/admission.h"

#include "io/sys.h"

/* How long a run that has sent something waits for an open breaker, in all. */
enum { OPEN_PATIENCE_MS = 60000 };

/* Another's probe may end at any moment: it is looked for again after so
 * long and up to so much more, each at its own time, or all who have gathered
 * would be on the target at once when it has just come back. */
enum { PROBE_LOOK_MS = 1000, PROBE_SPREAD_MS = 4000 };

/* What has gathered behind a hold-off is let go over so long a time. */
enum { HOLD_SPREAD_MS = 1000 };

static void tell_wait(const struct job *j, int64_t ms, const char *why,
                      struct now now)
{
  struct report_line l =
      report_begin(j->engine->report, REPORT_EVENT_WAIT, now.wall_ms);
  report_number(&l, REPORT_WAIT_MS, ms);
  report_text(&l, REPORT_WHY, why);
  report_end(&l);
}

static enum admission wait_for(struct job *j, int64_t ms, const char *why,
                               struct now now)
{
  tell_wait(j, ms, why, now);
  j->wake_mono_ms = now.mono_ms + ms;
  j->wait_why = why;
  j->engine->waited_ms += ms;
  return ADMISSION_WAIT;
}

static enum admission end(struct job *j, enum err code, const char *why)
{
  j->end = code;
  j->why = why;
  return ADMISSION_END;
}

/* ---- a hold-off ---- */

/* As a Retry-After that our own request had met, for what fits and for the
 * dice. */
static enum admission hold_off(struct job *j, const struct guard_answer *a,
                               struct now now)
{
  const struct engine *e = j->engine;
  const struct retry_policy p = {
      .retries = 1,
      .backoff = {.list_ms = {HOLD_SPREAD_MS}, .n = 1},
      .max_retry_after_ms = e->policy.max_retry_after_ms};
  const struct retry_state s = {0};
  const struct retry_ask ask = {.retried = true, .retry_after_ms = a->wait_ms};
  struct retry_step step =
      retry_next(&p, &s, &ask, e->deadline_mono_ms, now, sys_random());
  if (step.why == RETRY_GO) {
    j->ticket.kept_hold_at_ms = a->hold_at_ms;
    return wait_for(j, step.wait_ms, "hold_off", now);
  }
  j->throttled = true;
  j->throttled_s = step.throttled_s;
  err_set(&j->error, ERR_THROTTLED,
          "the server asked for a pause that is too long");
  return end(j, ERR_THROTTLED, "hold_off");
}

/* ---- an open breaker ---- */

static int64_t patience(const struct engine *e)
{
  bool begun = e->attempts > e->prior_attempts;
  int64_t all = begun ? OPEN_PATIENCE_MS : e->breaker_wait_ms;
  return all > e->breaker_waited_ms ? all - e->breaker_waited_ms : 0;
}

/* A job that has an answer returns it; one that has none sent nothing. */
static enum admission give_up(struct job *j, int64_t left_ms, struct now now)
{
  struct engine *e = j->engine;
  if (!guard_reject(&e->guard, &j->ticket, now))
    return ADMISSION_GO;
  if (j->last_end != ERR_OK) {
    j->error = j->last_error;
    j->throttled = j->last_end == ERR_THROTTLED;
    j->throttled_s = j->last_throttled_s;
    return end(j, j->last_end, "breaker");
  }
  j->open_left_ms = left_ms;
  err_set(&j->error, ERR_BREAKER_OPEN,
          "the breaker is open, nothing was sent: it may be tried again in "
          "%lld s (ankbreaker shows why)",
          (long long)(left_ms / 1000 + (left_ms % 1000 != 0)));
  return end(j, ERR_BREAKER_OPEN, NULL);
}

static enum admission open_breaker(struct job *j, const struct guard_answer *a,
                                   struct now now)
{
  struct engine *e = j->engine;
  int64_t ms = a->wait_ms;
  int64_t look =
      PROBE_LOOK_MS + backoff_uniform(sys_random(), (int64_t)PROBE_SPREAD_MS);
  if (a->probing && ms > look)
    ms = look;
  if (a->probing && ms > patience(e))
    ms = patience(e);
  if (ms == 0 || ms > patience(e) || ms >= retry_left(e->deadline_mono_ms, now))
    return give_up(j, a->wait_ms, now);
  e->breaker_waited_ms += ms;
  return wait_for(j, ms, "breaker", now);
}

static enum admission answer(struct job *j, const struct guard_answer *a,
                             struct now now)
{
  switch (a->word) {
  case GUARD_GO:
    return ADMISSION_GO;
  case GUARD_HELD:
    return hold_off(j, a, now);
  case GUARD_REFUSED:
    return open_breaker(j, a, now);
  }
  return ADMISSION_GO;
}

/* The pause that another job of this run was told to make. */
static enum admission own_hold(struct job *j, struct now now)
{
  const struct guard_answer a = {.word = GUARD_HELD,
                                 .wait_ms =
                                     j->engine->hold_mono_ms - now.mono_ms,
                                 .hold_at_ms = j->ticket.kept_hold_at_ms};
  return a.wait_ms > 0 ? hold_off(j, &a, now) : ADMISSION_GO;
}

/* A read of what could not be read a while ago, before anything was sent. */
static bool is_marked(struct job *j, struct now now)
{
  struct engine *e = j->engine;
  const struct guard_object o = {e->target->key, e->options->version_id};
  int64_t left = j->op == OP_GET && e->attempts == e->prior_attempts
                     ? guard_mark_left(&e->guard, &j->ticket, &o, now)
                     : 0;
  if (!left)
    return false;
  j->open_left_ms = left;
  err_set(&j->error, ERR_BREAKER_OPEN,
          "an earlier read of this object spent its retries, nothing was sent: "
          "it may be tried again in %lld s",
          (long long)(left / 1000 + (left % 1000 != 0)));
  return true;
}

enum admission admission_ask(struct job *j, struct now now)
{
  struct engine *e = j->engine;
  bool token = j->op == OP_TOKEN;
  if (j->direct)
    return ADMISSION_GO;
  guard_enlist(&e->guard, &j->ticket, job_site(j), token ? NULL : e->target);
  if (!token && is_marked(j, now))
    return end(j, ERR_BREAKER_OPEN, "read_marked");
  struct guard_answer a = guard_look(&e->guard, &j->ticket, now);
  enum admission shared = answer(j, &a, now);
  /* The pause is the object store's. */
  return shared == ADMISSION_GO && !token ? own_hold(j, now) : shared;
}

enum admission admission_enter(struct job *j, struct now now)
{
  struct engine *e = j->engine;
  if (j->direct)
    return ADMISSION_GO;
  struct guard_answer a = guard_enter(&e->guard, &j->ticket, now);
  guard_announce(&e->guard, &j->ticket, now);
  return answer(j, &a, now);
}
