/* SPDX-License-Identifier: MIT
 *
 * engine_end - see engine_end.h.
 */
#include "flow/engine_end.h"

#include "flow/engine.h"
#include "flow/engine_words.h"
#include "flow/repair.h"
#include "io/sys.h"

void engine_end_job(struct job *j, enum err end, const char *why)
{
  j->end = end;
  j->why = why;
  j->state = JOB_DONE;
}

/* ---- for want of a region ---- */

/* The aid was answered, though not with a region. */
static bool refused_to_tell(const struct job *aid)
{
  return aid->end == ERR_OK ||
         (aid->end >= ERR_DENIED && aid->end <= ERR_REJECTED);
}

/* Without a region J's own answer stands; what kept the aid from being
 * answered (time, network, a signal) keeps J. */
void engine_end_asker(struct job *j, const struct job *aid)
{
  struct outcome o = {.http = j->status};
  if (aid->end == ERR_BREAKER_OPEN) {
    j->error = j->last_error;
    engine_end_job(j, j->last_end, "breaker");
    return;
  }
  if (refused_to_tell(aid)) {
    err_set(&j->error, ERR_REJECTED,
            "the server answered %d; the bucket's region is not told: give it "
            "with --region",
            j->status);
    engine_end_job(j, verdict_end(VERDICT_PERMANENT, &o), "region_unknown");
    return;
  }
  j->error = aid->error;
  j->throttled = aid->throttled;
  j->throttled_s = aid->throttled_s;
  engine_end_job(j, aid->end, aid->why);
}

/* ---- for want of credentials ---- */

/* The same ones again: the refusal stands. */
void engine_end_refused(struct job *j)
{
  j->error = j->last_error;
  engine_end_job(j, j->last_end, NULL);
}

void engine_end_wanting(struct job *j)
{
  const struct token *t = &j->engine->token;
  j->error = t->error;
  j->throttled = t->throttled;
  j->throttled_s = t->throttled_s;
  engine_end_job(j, t->end, t->why);
}

/* ---- what other runs learn ---- */

static enum breaker_event event_of(const struct judgement *judged)
{
  if (judged->verdict == VERDICT_THROTTLED)
    return BREAKER_THROTTLED;
  return judged->tally == TALLY_SUCCESS   ? BREAKER_SUCCESS
         : judged->tally == TALLY_FAILURE ? BREAKER_FAILURE
                                          : BREAKER_NOTHING;
}

/* What may pass and the target has part in; trouble of this machine has not. */
static bool costs_token(const struct judgement *judged)
{
  return judged->tally == TALLY_FAILURE ||
         judged->verdict == VERDICT_THROTTLED ||
         judged->verdict == VERDICT_TRANSIENT ||
         judged->verdict == VERDICT_INTEGRITY;
}

/* END: NULL when nothing was sent after all.  RETRIED: why it is tried again,
 * VERDICT_OK when not. */
void engine_tell_guard(struct job *j, const struct attempt_end *end,
                       enum verdict retried, struct now now)
{
  struct guard_news news = {
      .event = BREAKER_NOTHING, .hold_ms = -1, .retried = retried};
  if (end) {
    news.failed = costs_token(&end->judgement);
    news.event = event_of(&end->judgement);
    news.sent = j->call.facts.sent;
    news.received = j->call.facts.received;
    if (news.event == BREAKER_THROTTLED && j->op != OP_TOKEN)
      news.hold_ms = end->after.ms;
    if (news.event == BREAKER_THROTTLED || news.event == BREAKER_FAILURE)
      engine_say_fault(j, end, news.error, sizeof news.error);
  }
  guard_tell(&j->engine->guard, &j->ticket, &news, now);
}

/* For a policy that keeps such marks. */
static void mark_read(struct job *j, enum retry_why why, enum verdict verdict,
                      struct now now)
{
  struct engine *e = j->engine;
  const struct guard_object o = {e->target->key, e->options->version_id};
  bool spent = why == RETRY_SPENT || why == RETRY_ELAPSED;
  if (j->op == OP_GET && (spent || verdict == VERDICT_OK))
    guard_mark(&e->guard, &j->ticket, &o, verdict == VERDICT_OK, now);
}

/* ---- its end ---- */

static void stop(struct job *j, const struct attempt_end *end,
                 const struct retry_step *step, struct now now)
{
  const char *why =
      step->why == RETRY_PERMANENT ? NULL : retry_why_name(step->why);
  enum err code = verdict_end(end->judgement.verdict, &end->outcome);
  if (j->refusal.set) {
    why = j->refusal.why;
    if (j->refusal.code == CODE_NONE)
      code = j->refusal.end;
  }
  if (end->outcome.xport == XPORT_FAILED && j->error.code != ERR_OK)
    code = j->error.code;
  if (step->throttled && end->judgement.verdict == VERDICT_THROTTLED) {
    code = ERR_THROTTLED;
    j->throttled = true;
    j->throttled_s = step->throttled_s;
  }
  bool ok = end->judgement.verdict == VERDICT_OK;
  if (ok && j->enough)
    why = j->refusal.why;
  if (!ok)
    engine_say_answer(j, end);
  mark_read(j, step->why, end->judgement.verdict, now);
  attempt_tell(j, end, ok ? "done" : "stop", -1, why, now);
  engine_end_job(j, code, why);
}

/* What the run returns when nothing comes of the attempt that is due. */
static void keep_last(struct job *j, const struct attempt_end *end)
{
  int64_t after = end->after.ms;
  engine_say_answer(j, end);
  j->last_end = verdict_end(end->judgement.verdict, &end->outcome);
  if (end->judgement.verdict == VERDICT_THROTTLED && after >= 0) {
    j->last_end = ERR_THROTTLED;
    j->last_throttled_s = after / 1000 + (after % 1000 != 0);
  }
  j->last_error = j->error;
  j->error = (struct error){0};
}

/* What one job was told holds for all of them, state file or not. */
static void hold_others(struct engine *e, const struct attempt_end *end,
                        struct now now)
{
  int64_t until = now.mono_ms + end->after.ms;
  if (end->judgement.verdict == VERDICT_THROTTLED && end->after.ms >= 0 &&
      until > e->hold_mono_ms)
    e->hold_mono_ms = until;
}

static void wait_for_retry(struct job *j, const struct attempt_end *end,
                           const struct retry_step *step, struct now now)
{
  struct engine *e = j->engine;
  int64_t wait_ms = step->wait_ms;
  attempt_tell(j, end, "retry", wait_ms, j->refusal.why, now);
  retry_follow(&j->retry, step);
  j->retry_due = true;
  e->waited_ms += wait_ms;
  if (j->op != OP_TOKEN)
    hold_others(e, end, now);
  j->wake_mono_ms = now.mono_ms + wait_ms;
  j->state = JOB_WAITING;
  j->wait_why = NULL;
  keep_last(j, end);
}

static void mended(struct job *j, const struct attempt_end *end,
                   enum repair repair, struct now now)
{
  const char *why = end->judgement.verdict == VERDICT_RESEND
                        ? "stale_connection"
                        : verdict_name(end->judgement.verdict);
  engine_tell_guard(j, end, VERDICT_OK, now);
  attempt_tell(j, end, "repair", -1, why, now);
  j->engine->repairs++;
  keep_last(j, end);
  j->state = repair == REPAIR_ASK_REGION  ? JOB_ASKING
             : repair == REPAIR_ASK_TOKEN ? JOB_WANTING
                                          : JOB_READY;
}

/* The body broke on its way before any answer: the next attempt asks first. */
static void note_broken_send(struct job *j, const struct attempt_end *end)
{
  const struct http_call *c = &j->call;
  bool broke =
      end->outcome.xport == XPORT_SEND || end->outcome.xport == XPORT_RECEIVE ||
      end->outcome.xport == XPORT_TLS_CUT || end->outcome.xport == XPORT_EMPTY;
  if (broke && !c->response.status && c->facts.sent < j->request.body.length)
    j->expect = true;
}

/* All was sent and no answer came, or no more than the beginning of a good one:
 * without a connection an empty body was not sent either.  How much was sent is
 * not known when the connection was a stale one; and a completion may also have
 * worked before the server failed. */
static void note_ambiguous(struct job *j, const struct attempt_end *end)
{
  const struct outcome *o = &end->outcome;
  bool sent = j->call.connected && j->request.body.present &&
              j->call.facts.sent >= j->request.body.length;
  bool unheard = o->xport != XPORT_OK && j->call.response.status < 300;
  bool failed = end->judgement.verdict == VERDICT_TRANSIENT;
  if ((sent && unheard) || o->xport == XPORT_STALE ||
      (j->kind == JOB_COMPLETION && failed))
    j->ambiguous = true;
  j->restart = end->judgement.verdict == VERDICT_RESTART;
}

/* A resumed read that got further is a new request (policy.md 2).  Bytes that
 * were there before do not count, or a read that starts over, or a server that
 * ignores ranges, would go on for ever. */
static void note_progress(struct job *j)
{
  if (j->gained >= UINT64_C(1) << 20)
    j->retry = (struct retry_state){0};
}

/* A repair that cannot be made leaves the answer as it stands: permanent, and
 * the target is well enough to give it.  A lost connection is then one like any
 * other. */
static void give_up_repair(const struct engine *e, struct attempt_end *end)
{
  if (end->judgement.verdict == VERDICT_RESEND) {
    end->outcome.xport = XPORT_RECEIVE;
    end->judgement = verdict_of(&end->outcome, e->more, e->less);
  } else {
    end->judgement.tally = TALLY_SUCCESS;
  }
}

/* It could have been mended, with more time. */
static void too_late(struct job *j, const struct attempt_end *end,
                     enum err late, struct now now)
{
  engine_tell_guard(j, end, VERDICT_OK, now);
  attempt_tell(j, end, "stop", -1, err_name(late), now);
  engine_end_job(j, late, NULL);
}

/* True when that is all: J is to be sent again, or it is too late for it. */
static bool mend(struct job *j, struct attempt_end *end, struct now now)
{
  if (!verdict_is_repair(end->judgement.verdict))
    return false;
  enum err late = engine_tick(j->engine, &j->error);
  if (late) {
    too_late(j, end, late, now);
    return true;
  }
  enum repair repair = repair_job(j, end, now, &j->error);
  if (repair != REPAIR_NONE)
    mended(j, end, repair, now);
  else
    give_up_repair(j->engine, end);
  return repair != REPAIR_NONE;
}

static void go_on_or_stop(struct job *j, const struct attempt_end *end,
                          struct now now)
{
  const struct engine *e = j->engine;
  struct retry_policy direct = e->policy;
  direct.retries = j->direct ? j->tries - 1 : 0;
  /* Where nobody ever answered nobody is. */
  struct retry_ask ask = {.retried = end->judgement.retried &&
                                     !(j->direct && !j->heard),
                          .retry_after_ms = end->after.ms,
                          .min_wait_ms = j->result.min_wait_ms};
  struct retry_step step =
      retry_next(j->direct ? &direct : &e->policy, &j->retry, &ask,
                 e->deadline_mono_ms, now, sys_random());
  engine_tell_guard(
      j, end, step.why == RETRY_GO ? end->judgement.verdict : VERDICT_OK, now);
  if (j->ticket.suppressed)
    step = retry_suppress(&ask);
  if (step.why == RETRY_GO)
    wait_for_retry(j, end, &step, now);
  else
    stop(j, end, &step, now);
}

void engine_finish(struct job *j, enum xport stopped)
{
  struct now now = sys_now();
  struct attempt_end end = attempt_finish(j, stopped, now);
  if (end.outcome.xport != XPORT_OK && engine_limit_words(stopped))
    err_set(&j->error, ERR_UNAVAILABLE, "%s", engine_limit_words(stopped));
  note_ambiguous(j, &end);
  /* What else is kept of that time is probably just as dead. */
  j->broken = end.outcome.xport != XPORT_OK;
  if (!mend(j, &end, now)) {
    note_broken_send(j, &end);
    note_progress(j);
    go_on_or_stop(j, &end, now);
  }
  guard_announce(&j->engine->guard, &j->ticket, now);
  attempt_release(j);
}
