/* SPDX-License-Identifier: MIT
 *
 * engine - see engine.h.  One job's life:
 *
 *   READY --start--> FLYING --ok, permanent, spent--> DONE
 *     ^                |  |
 *     |                |  +--retry--> WAITING --its time--> READY
 *     +----repaired----+
 *     +--region told-- ASKING <--wrong region, which is not told--+ (FLYING)
 *
 *   any --signal, deadline--> DONE
 */
#include "flow/engine.h"

#include "flow/attempt.h"
#include "flow/repair.h"
#include "io/sys.h"

/* The run of one call of engine_run. */
struct loop {
  struct engine *e;
  struct job *jobs;
  size_t n;
  struct job aid; /* asks for the bucket's region on behalf of ASKING jobs */
  bool aiding;
};

static void end_job(struct job *j, enum err end, const char *why)
{
  j->end = end;
  j->why = why;
  j->state = JOB_DONE;
}

enum err engine_tick(const struct engine *e, struct error *err)
{
  if (sys_interrupted())
    return err_set(err, ERR_INTERRUPTED, "interrupted by a signal");
  if (e->deadline_mono_ms != RETRY_NEVER &&
      sys_now().mono_ms >= e->deadline_mono_ms)
    return err_set(err, ERR_DEADLINE, "the deadline has passed");
  return ERR_OK;
}

/* ---- the start of an attempt ---- */

static void start(struct job *j)
{
  enum err err = engine_tick(j->engine, &j->error);
  if (!err)
    err = attempt_prepare(j, &j->error);
  if (!err)
    err = engine_tick(j->engine, &j->error);
  if (!err)
    err = attempt_start(j, sys_now(), &j->error);
  if (err) {
    attempt_release(j);
    end_job(j, err, NULL);
    return;
  }
  j->state = JOB_FLYING;
}

/* ---- its end ---- */

static void say_answer(struct job *j, const struct attempt_end *end)
{
  const struct outcome *o = &end->outcome;
  if (j->error.code != ERR_OK)
    return;
  if (o->xport != XPORT_OK)
    err_set(&j->error, ERR_UNAVAILABLE, "%s",
            j->call.message[0] ? j->call.message : xport_name(o->xport));
  else
    err_set(&j->error, ERR_REJECTED, "the server answered %d%s%s%s%.300s",
            o->http, j->result.code[0] ? " " : "", j->result.code,
            j->result.message[0] ? ": " : "", j->result.message);
}

static const char *limit_words(enum xport x)
{
  switch ((int)x) {
  case XPORT_DEADLINE:
    return "the deadline has passed";
  case XPORT_INTERRUPTED:
    return "interrupted by a signal";
  case XPORT_TIMEOUT:
    return "the attempt took too long";
  case XPORT_CONNECT_TIMEOUT:
    return "connecting took too long";
  case XPORT_FIRST_BYTE:
    return "no answer within 120 s";
  case XPORT_STALL:
    return "no bytes moved within the stall timeout";
  default:
    return NULL;
  }
}

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
  if (!ok)
    say_answer(j, end);
  attempt_tell(j, end, ok ? "done" : "stop", -1, why, now);
  end_job(j, code, why);
}

static void wait_for_retry(struct job *j, const struct attempt_end *end,
                           int64_t wait_ms, struct now now)
{
  struct engine *e = j->engine;
  attempt_tell(j, end, "retry", wait_ms, j->refusal.why, now);
  j->retry.retries++;
  e->retries++;
  e->waited_ms += wait_ms;
  j->wake_mono_ms = now.mono_ms + wait_ms;
  j->state = JOB_WAITING;
  j->error = (struct error){0};
}

static void mended(struct job *j, const struct attempt_end *end,
                   enum repair repair, struct now now)
{
  const char *why = end->judgement.verdict == VERDICT_RESEND
                        ? "stale_connection"
                        : verdict_name(end->judgement.verdict);
  attempt_tell(j, end, "repair", -1, why, now);
  j->engine->repairs++;
  j->error = (struct error){0};
  j->state = repair == REPAIR_ASK_REGION ? JOB_ASKING : JOB_READY;
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

/* A resumed read that got further is a new request (policy.md 2).  Bytes that
 * were there before do not count, or a read that starts over, or a server that
 * ignores ranges, would go on for ever. */
static void note_progress(struct job *j)
{
  if (j->gained >= UINT64_C(1) << 20)
    j->retry.retries = 0;
}

/* A repair that cannot be made leaves the answer as it stands; a lost
 * connection is then one like any other. */
static void give_up_repair(const struct engine *e, struct attempt_end *end)
{
  if (end->judgement.verdict == VERDICT_RESEND) {
    end->outcome.xport = XPORT_RECEIVE;
    end->judgement = verdict_of(&end->outcome, e->more, e->less);
  }
}

/* It could have been mended, with more time. */
static void too_late(struct job *j, const struct attempt_end *end,
                     enum err late, struct now now)
{
  attempt_tell(j, end, "stop", -1, err_name(late), now);
  attempt_release(j);
  end_job(j, late, NULL);
}

static void finish(struct job *j, enum xport stopped)
{
  struct engine *e = j->engine;
  struct now now = sys_now();
  struct attempt_end end = attempt_finish(j, stopped, now);
  if (end.outcome.xport != XPORT_OK && limit_words(stopped))
    err_set(&j->error, ERR_UNAVAILABLE, "%s", limit_words(stopped));
  if (verdict_is_repair(end.judgement.verdict)) {
    enum err late = engine_tick(e, &j->error);
    if (late) {
      too_late(j, &end, late, now);
      return;
    }
    enum repair repair = repair_job(j, &end, now, &j->error);
    if (repair != REPAIR_NONE) {
      mended(j, &end, repair, now);
      attempt_release(j);
      return;
    }
    give_up_repair(e, &end);
  }
  note_broken_send(j, &end);
  note_progress(j);
  struct retry_ask ask = {.retried = end.judgement.retried,
                          .retry_after_ms = end.after.ms};
  struct retry_step step = retry_next(&e->policy, &j->retry, &ask,
                                      e->deadline_mono_ms, now, sys_random());
  if (step.why == RETRY_GO)
    wait_for_retry(j, &end, step.wait_ms, now);
  else
    stop(j, &end, &step, now);
  attempt_release(j);
}

static void cut(struct job *j, enum xport why)
{
  http_cancel(&j->call);
  finish(j, why);
}

/* ---- the loop ---- */

/* All jobs of the run, the aid last. */
static struct job *nth(struct loop *l, size_t i)
{
  return i < l->n ? &l->jobs[i] : &l->aid;
}

static size_t count(const struct loop *l)
{
  return l->n + (l->aiding ? 1 : 0);
}

/* The aid was answered, though not with a region. */
static bool refused_to_tell(const struct job *aid)
{
  return aid->end == ERR_OK ||
         (aid->end >= ERR_DENIED && aid->end <= ERR_REJECTED);
}

/* Without a region J's own answer stands; what kept the aid from being
 * answered (time, network, a signal) keeps J. */
static void end_asker(struct job *j, const struct job *aid)
{
  struct outcome o = {.http = j->status};
  if (refused_to_tell(aid)) {
    err_set(&j->error, ERR_REJECTED,
            "the server answered %d; the bucket's region is not told",
            j->status);
    end_job(j, verdict_end(VERDICT_PERMANENT, &o), "region_unknown");
    return;
  }
  j->error = aid->error;
  j->throttled = aid->throttled;
  j->throttled_s = aid->throttled_s;
  end_job(j, aid->end, aid->why);
}

static void wake_askers(struct loop *l)
{
  bool told = l->aid.end == ERR_OK &&
              repair_region(l->e, &l->aid.result, &l->aid.error);
  l->aiding = false;
  for (size_t i = 0; i < l->n; i++) {
    struct job *j = &l->jobs[i];
    if (j->state == JOB_ASKING && told)
      j->state = JOB_READY;
    else if (j->state == JOB_ASKING)
      end_asker(j, &l->aid);
  }
  job_release(&l->aid);
}

/* True when the aid has just joined the loop. */
static bool aid_askers(struct loop *l)
{
  if (l->aiding)
    return false;
  for (size_t i = 0; i < l->n && !l->aiding; i++)
    l->aiding = l->jobs[i].state == JOB_ASKING;
  if (l->aiding)
    l->aid = (struct job){.op = OP_BUCKET, .engine = l->e, .sink_fd = -1};
  return l->aiding;
}

static void stop_all(struct loop *l, enum xport why, enum err end)
{
  for (size_t i = 0; i < count(l); i++) {
    struct job *j = nth(l, i);
    if (j->state == JOB_FLYING)
      cut(j, why);
    if (j->state != JOB_DONE) {
      err_set(&j->error, end, "%s", limit_words(why));
      end_job(j, end, NULL);
    }
  }
}

/* Starts what is due and ends what is overdue; how long nothing needs doing,
 * or -1 when all is done. */
static int64_t step(struct loop *l)
{
  int64_t next = RETRY_NEVER;
  bool all_done = true;
  for (size_t i = 0; i < count(l); i++) {
    struct job *j = nth(l, i);
    struct now now = sys_now();
    if (j->state == JOB_WAITING && now.mono_ms >= j->wake_mono_ms)
      j->state = JOB_READY;
    if (j->state == JOB_READY)
      start(j);
    enum xport overdue =
        j->state == JOB_FLYING ? attempt_overdue(j, now) : XPORT_OK;
    if (overdue != XPORT_OK)
      cut(j, overdue);
    int64_t ms = RETRY_NEVER;
    if (j->state == JOB_FLYING)
      ms = attempt_next_ms(j, now);
    else if (j->state == JOB_WAITING)
      ms = retry_left(j->wake_mono_ms, now);
    else if (j->state == JOB_READY)
      ms = 0;
    next = ms < next ? ms : next;
    all_done = all_done && j->state == JOB_DONE;
  }
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
  http_wait(l->e->http, ms, fd);
  while ((c = http_next_done(l->e->http)) != NULL)
    finish(c->ctx, XPORT_OK);
  for (size_t i = 0; i < l->n && fd >= 0; i++)
    if (l->jobs[i].state == JOB_FLYING)
      http_resume(&l->jobs[i].call);
}

void engine_run(struct engine *e, struct job *jobs, size_t n)
{
  struct loop l = {.e = e, .jobs = jobs, .n = n};
  for (size_t i = 0; i < n; i++) {
    jobs[i].engine = e;
    jobs[i].state = JOB_READY;
  }
  for (;;) {
    if (sys_interrupted())
      stop_all(&l, XPORT_INTERRUPTED, ERR_INTERRUPTED);
    int64_t ms = step(&l);
    if (l.aiding && l.aid.state == JOB_DONE) {
      wake_askers(&l);
      continue;
    }
    if (ms < 0)
      break;
    turn(&l, aid_askers(&l) ? 0 : ms);
  }
}

enum err engine_dry_run(struct engine *e, struct job *j, struct error *err)
{
  j->engine = e;
  return attempt_prepare(j, err);
}

void job_release(struct job *j)
{
  attempt_release(j);
  kv_release(&j->headers);
}

void engine_release(struct engine *e)
{
  site_release(&e->site);
  creds_release(&e->creds);
}
