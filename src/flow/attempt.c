/* SPDX-License-Identifier: MIT
 *
 * attempt - see attempt.h.
 */
#include "flow/attempt.h"

#include "cloud/weburl.h"
#include "flow/explain.h"
#include "io/sys.h"

/* policy.md 3: less than this in the stall time is a stall; the answer's first
 * byte has its own limit. */
enum {
  STALL_BYTES = 1024,
  FIRST_BYTE_MS = 120000,
  BACKSTOP_MS = 1000,
  RATED_BURST = 102400,
  LOOK_MS = 5000,
  SLOW_READER_MS = 1000
};

/* ---- making one ---- */

static int64_t min_ms(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t kind_ms(const struct engine *en, const struct job *j)
{
  if (j->direct)
    return j->limit_ms;
  switch (j->kind) {
  case JOB_SMALL:
    return en->timeouts.small_ms;
  case JOB_BULK:
    return en->timeouts.bulk_ms;
  case JOB_COMPLETION:
    return en->timeouts.completion_ms;
  }
  return 0;
}

static int64_t never_if_0(int64_t ms)
{
  return ms ? ms : RETRY_NEVER;
}

enum err attempt_prepare(struct job *j, struct error *e)
{
  struct engine *en = j->engine;
  const struct provider *p = job_provider(j);
  j->refusal = (struct refusal){0};
  j->enough = false;
  j->result = (struct op_result){0};
  j->args = (struct op_args){.op = j->op,
                             .target = en->target,
                             .site = job_site(j),
                             .options = en->options};
  enum err err = j->hooks && j->hooks->prepare
                     ? j->hooks->prepare(j, &j->args, e)
                     : ERR_OK;
  if (err)
    return err;
  /* Preparing may have taken long: sign for the moment of sending. */
  struct now now = sys_now();
  j->site_gen = en->site_gen;
  j->creds_gen = en->creds_gen;
  j->clock_gen = en->clock_gen;
  j->hashes_gen = en->hashes_gen;
  j->offset = j->args.range.suffix ? 0 : j->args.range.first;
  err = p->build(&j->args, &j->request, e);
  if (!err)
    err = weburl_apply(en->target, &j->request, e);
  if (!err && en->sign && !(en->dry && !creds_present(&en->creds)))
    err = p->sign(&j->request, &j->args, &en->creds,
                  now.wall_ms + en->clock_offset_ms, &j->trace, e);
  if (!err)
    explain_attempt(j);
  return err;
}

static enum http_head on_head(void *ctx)
{
  struct job *j = ctx;
  if (j->call.response.status >= 300 || !j->hooks || !j->hooks->head)
    return HTTP_CAPTURE;
  job_provider(j)->read(&j->args, &j->call.response, &j->result);
  return j->hooks->head(j, &j->result);
}

static long on_take(void *ctx, const char *data, unsigned long len)
{
  struct job *j = ctx;
  return j->hooks->take(j, data, len);
}

enum err attempt_start(struct job *j, struct now now, struct error *e)
{
  struct engine *en = j->engine;
  int64_t left = retry_left(en->deadline_mono_ms, now);
  j->timeout_ms = min_ms(never_if_0(kind_ms(en, j)), left);
  j->begun_mono_ms = j->mark_mono_ms = now.mono_ms;
  j->mark_moved = j->gained = 0;
  j->number = j->retry.retries + 1;
  if (!j->retry.began_mono_ms)
    j->retry.began_mono_ms = now.mono_ms;
  j->waiting_mono_ms = j->first_byte_ms = j->held_mono_ms = -1;
  j->held_ms = 0;
  j->call = (struct http_call){
      .request = &j->request,
      .expect = j->expect && !j->no_expect && j->request.body.length,
      .no_proxy = j->direct,
      .fresh = j->broken,
      .backstop_ms = left == RETRY_NEVER ? 0 : left + BACKSTOP_MS,
      .head = on_head,
      .take = on_take,
      .ctx = j,
  };
  en->attempts++;
  en->prior_attempts += j->op == OP_TOKEN || j->op == OP_NAMESPACE;
  j->away_ms = en->away_ms;
  return http_start(en->http, &j->call, e);
}

/* ---- its time ---- */

/* A rate of our own lets a buffer go at once and then nothing for as long as
 * that would have taken. */
static int64_t stall_ms(const struct engine *en)
{
  int64_t ms = en->timeouts.stall_ms;
  uint64_t rate = http_rate(en->http);
  return ms && rate ? ms + (int64_t)(RATED_BURST * 1000 / rate) : ms;
}

/* Under a rate limit of our own, bytes may come slower than the stall rule
 * knows. */
static uint64_t stall_bytes(const struct job *j)
{
  const struct engine *en = j->engine;
  uint64_t rate = http_rate(en->http);
  uint64_t allowed = rate * (uint64_t)en->timeouts.stall_ms / 2000;
  /* A completion says with a blank now and then that it is at work. */
  if (j->kind == JOB_COMPLETION)
    return 1;
  return rate && allowed < STALL_BYTES ? allowed : STALL_BYTES;
}

/* libcurl's own figure is the first byte either way. */
static void note_first_byte(struct job *j, struct now now)
{
  if (j->first_byte_ms < 0 && j->call.response.status)
    j->first_byte_ms = now.mono_ms - j->begun_mono_ms;
}

/* How long our own reader kept the transfer waiting. */
static void watch_sink(struct job *j, enum http_phase phase, struct now now)
{
  if (j->held_mono_ms >= 0)
    j->held_ms += now.mono_ms - j->held_mono_ms;
  j->held_mono_ms = phase == HTTP_PAUSED ? now.mono_ms : -1;
}

/* Moves the mark when enough bytes did, or when nothing was to be expected of
 * the other side. */
static void watch(struct job *j, enum http_phase phase, struct now now)
{
  uint64_t moved = http_moved(&j->call);
  int64_t away = j->engine->away_ms - j->away_ms;
  /* While a helper ran nobody has looked at the bytes that came. */
  j->away_ms += away;
  j->begun_mono_ms += away;
  j->mark_mono_ms += away;
  if (j->waiting_mono_ms >= 0)
    j->waiting_mono_ms += away;
  note_first_byte(j, now);
  watch_sink(j, phase, now);
  if (phase == HTTP_CONNECTING || phase == HTTP_PAUSED ||
      moved - j->mark_moved >= stall_bytes(j)) {
    j->mark_moved = moved;
    j->mark_mono_ms = now.mono_ms;
  }
  if (phase != HTTP_WAITING)
    j->waiting_mono_ms = -1;
  else if (j->waiting_mono_ms < 0)
    j->waiting_mono_ms = now.mono_ms;
}

struct limit {
  enum xport xport;
  int64_t at_mono_ms;
};

static void sooner(struct limit *l, enum xport xport, int64_t from, int64_t ms)
{
  if (ms > 0 && ms != RETRY_NEVER && from + ms < l->at_mono_ms)
    *l = (struct limit){xport, from + ms};
}

/* The limit that runs out first. */
static struct limit limit_of(struct job *j, struct now now)
{
  const struct engine *en = j->engine;
  struct limit l = {XPORT_DEADLINE, en->deadline_mono_ms};
  enum http_phase phase = http_phase(&j->call);
  watch(j, phase, now);
  sooner(&l, XPORT_TIMEOUT, j->begun_mono_ms, kind_ms(en, j));
  if (phase == HTTP_CONNECTING)
    sooner(&l, XPORT_CONNECT_TIMEOUT, j->begun_mono_ms,
           en->timeouts.connect_ms);
  if (phase == HTTP_WAITING && j->kind != JOB_COMPLETION)
    sooner(&l, XPORT_FIRST_BYTE, j->waiting_mono_ms, FIRST_BYTE_MS);
  if (phase == HTTP_SENDING || phase == HTTP_RECEIVING)
    sooner(&l, XPORT_STALL, j->mark_mono_ms, stall_ms(en));
  return l;
}

enum xport attempt_overdue(struct job *j, struct now now)
{
  struct limit l = limit_of(j, now);
  return l.at_mono_ms != RETRY_NEVER && now.mono_ms >= l.at_mono_ms ? l.xport
                                                                    : XPORT_OK;
}

/* Nothing wakes us when the other side has taken bytes that rest in the
 * kernel, so one has to look. */
static int64_t look_ms(const struct engine *en)
{
  int64_t stall = en->timeouts.stall_ms;
  return stall == 0 ? LOOK_MS : stall < 4 ? 1 : stall / 4;
}

int64_t attempt_next_ms(struct job *j, struct now now)
{
  int64_t ms = retry_left(limit_of(j, now).at_mono_ms, now);
  return http_phase(&j->call) == HTTP_SENDING ? min_ms(ms, look_ms(j->engine))
                                              : ms;
}

/* ---- its end ---- */

/* A status that was read stands, even when the connection broke behind it:
 * servers answer and close while a body is still being sent. */
static bool status_stands(const struct http_call *c, enum xport x)
{
  switch ((int)x) {
  case XPORT_SEND:
  case XPORT_RECEIVE:
  case XPORT_SHORT:
  case XPORT_TLS_CUT:
  case XPORT_STALL:
  case XPORT_TIMEOUT:
    return c->head_done && c->response.status >= 300;
  default:
    return false;
  }
}

/* Our own reader took most of the time, perhaps more than the other side has
 * patience for. */
static bool reader_was_slow(const struct job *j, struct now now)
{
  return j->held_ms >= SLOW_READER_MS &&
         j->held_ms >= (now.mono_ms - j->begun_mono_ms) / 2;
}

static enum xport xport_of(const struct job *j, enum xport stopped,
                           struct now now)
{
  enum xport x = j->call.xport;
  if (j->enough)
    return XPORT_OK;
  if (status_stands(&j->call, stopped != XPORT_OK ? stopped : x))
    return XPORT_OK;
  if (stopped != XPORT_OK)
    return stopped;
  bool lost = x == XPORT_RECEIVE || x == XPORT_SHORT || x == XPORT_TLS_CUT;
  return lost && reader_was_slow(j, now) ? XPORT_NODE : x;
}

/* Nothing of a signed URL can be mended: its status stands. */
static enum code_class of_signed(enum code_class code)
{
  return code == CODE_REAUTH || code == CODE_RECLOCK || code == CODE_REDIRECT
             ? CODE_NONE
             : code;
}

static void read_answer(struct job *j, struct outcome *o,
                        struct retry_after *after, struct now now)
{
  const struct response *r = &j->call.response;
  job_provider(j)->read(&j->args, r, &j->result);
  if (target_is_signed(j->engine->target))
    j->result.code_class = of_signed(j->result.code_class);
  o->code = j->result.code_class;
  if (r->status == 417 && j->call.expect)
    o->code = CODE_EXPECT;
  if (retry_after_counts(&j->engine->policy, r->status))
    *after =
        retry_after_read(&r->headers, now.wall_ms + j->engine->clock_offset_ms);
  o->retry_after = after->ms >= 0;
}

/* The job's word goes before the table's; the transfer it broke off did not
 * fail by itself. */
static struct judgement refused(const struct job *j, struct outcome *o)
{
  o->xport = XPORT_OK;
  if (j->refusal.code == CODE_NONE)
    return (struct judgement){VERDICT_PERMANENT, false, TALLY_NOTHING};
  o->code = j->refusal.code;
  return verdict_of(o, NULL, NULL);
}

static void keep_answer(struct job *j)
{
  struct response *r = &j->call.response;
  kv_release(&j->headers);
  j->headers = r->headers;
  r->headers = (struct kv){0};
  j->status = r->status;
}

struct attempt_end attempt_finish(struct job *j, enum xport stopped,
                                  struct now now)
{
  struct engine *en = j->engine;
  struct attempt_end end = {.after = {.ms = -1}};
  struct outcome *o = &end.outcome;
  o->xport = xport_of(j, stopped, now);
  o->http = j->call.response.status;
  note_first_byte(j, now);
  j->heard = j->heard || o->http;
  if (o->xport == XPORT_OK) {
    read_answer(j, o, &end.after, now);
    if (j->hooks && j->hooks->judge)
      j->hooks->judge(j, &j->result);
  }
  end.judgement = verdict_of(o, en->more, en->less);
  if (o->xport == XPORT_OK && j->result.answered)
    end.judgement = (struct judgement){VERDICT_OK, false, TALLY_SUCCESS};
  if (j->refusal.set)
    end.judgement = refused(j, o);
  keep_answer(j);
  return end;
}

void attempt_release(struct job *j)
{
  http_call_release(&j->call);
  request_release(&j->request);
  sign_trace_release(&j->trace);
}
