/* SPDX-License-Identifier: MIT
 *
 * upload_end - see upload_end.h.
 */
#include "flow/upload_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/piece.h"
#include "flow/settle.h"
#include "flow/upload_drain.h"
#include "flow/upload_ours.h"
#include "flow/upload_sum.h"
#include "io/sys.h"

static void fail(struct summary *s, enum err end, const char *why)
{
  s->end = end;
  s->why = why;
}

/* ---- parts ---- */

enum err upload_note_part(struct upload_state *u, const struct upload_part *p,
                          struct error *e)
{
  if (p->number > u->room) {
    size_t room = 2 * (size_t)p->number > 64 ? 2 * (size_t)p->number : 64;
    struct upload_part *more = realloc(u->parts, room * sizeof *more);
    if (!more)
      return err_set(e, ERR_INTERNAL, "out of memory");
    u->parts = more;
    u->room = room;
  }
  /* Those between are on their way, or missing. */
  for (size_t i = u->n; i + 1 < p->number; i++)
    u->parts[i].number = 0;
  u->parts[p->number - 1] = *p;
  if (p->number > u->n)
    u->n = p->number;
  return ERR_OK;
}

bool upload_has_part(const struct upload_state *u, unsigned number)
{
  return number <= u->n && u->parts[number - 1].number == number;
}

void upload_job_ended(struct summary *s, struct upload_state *u,
                      const struct job *j)
{
  u->lost = j->restart || j->result.gone;
  if (summary_of_job(s, j))
    s->end = ERR_INTERNAL;
  /* That nothing was sent is true of this request alone, unless it is the
   * first: where nothing creates an upload it has an ID from the beginning. */
  if (s->end == ERR_BREAKER_OPEN && u->id[0] && j->engine->attempts) {
    s->end = err_set(&s->error, ERR_UNAVAILABLE,
                     "the breaker opened before all was stored");
    s->why = "breaker";
  }
}

void upload_end_lost(const struct upload_state *u, struct summary *s)
{
  if (u->lost && (s->end == ERR_NOT_FOUND || s->end == ERR_REJECTED))
    s->end = ERR_UNAVAILABLE;
}

/* ---- the last checks ---- */

/* A command may go on for a while behind its last byte.  One that has ended may
 * have been ended by the signal that we got, too: that is told rather. */
static enum err await_command(struct engine *e, struct stream *st,
                              struct error *err)
{
  for (;;) {
    bool ended = stream_ended(st);
    enum err late = engine_tick(e, err);
    if (late || ended)
      return late;
    sys_pause_us(5000);
  }
}

static bool has_failed(struct stream *st)
{
  return st->command && stream_ended(st) && st->exit_status != 0;
}

static void command_failed(const struct stream *st, struct summary *s)
{
  s->has_producer_exit = true;
  s->producer_exit = st->exit_status;
  fail(s,
       err_set(&s->error, ERR_LOCAL,
               "%s: ended with status %d, nothing is stored", st->name,
               st->exit_status),
       "producer_failed");
}

/* Of a signal to all of us its part may be seen first. */
bool upload_command_fails(struct stream *st, struct summary *s)
{
  if (!has_failed(st))
    return false;
  if (st->exit_status > 128)
    sys_pause_us(50000);
  if (sys_interrupted())
    return false;
  command_failed(st, s);
  return true;
}

static void check_command(struct engine *e, struct stream *st,
                          struct summary *s)
{
  enum err late = await_command(e, st, &s->error);
  if (late) {
    fail(s, late, NULL);
    return;
  }
  s->has_producer_exit = st->command;
  s->producer_exit = st->exit_status;
  if (has_failed(st))
    command_failed(st, s);
}

void upload_check_digest(const struct put_wish *w, const unsigned char *digest,
                         struct summary *s)
{
  summary_checksum(s, HASH_SHA256, digest);
  if (w->expect_sha256 &&
      !codec_equal_nocase(w->expect_sha256, s->checksum + strlen("sha256:")))
    fail(s,
         err_set(&s->error, ERR_INTEGRITY,
                 "--expect-sha256: the bytes have another digest, nothing is "
                 "stored"),
         "checksum_mismatch");
}

enum err upload_check_size(const struct put_wish *w, uint64_t came, bool more,
                           struct error *e)
{
  if (!w->has_expected_size ||
      (more ? came <= w->expected_size : came == w->expected_size))
    return ERR_OK;
  return err_set(e, ERR_LOCAL,
                 "--expected-size: %s%" PRIu64 " bytes instead of %" PRIu64
                 ", nothing is stored",
                 more ? "at least " : "", came, w->expected_size);
}

static void check_digest(const struct put_wish *w, struct upload_source *source,
                         struct summary *s)
{
  struct checksum *sha256 = &source->digests[HASH_SHA256];
  sha256->present = hash_final(&source->whole, sha256->digest) == ERR_OK;
  if (sha256->present)
    upload_check_digest(w, sha256->digest, s);
  else
    fail(s, err_set(&s->error, ERR_INTERNAL, "hashing failed"), NULL);
}

void upload_check_source(struct engine *e, const struct put_wish *w,
                         struct upload_source *source, uint64_t sent,
                         struct summary *s)
{
  enum err err = ERR_OK;
  if (source->file) {
    err = file_source_check(source->file, &s->error);
    if (err)
      fail(s, err, "source_changed");
    return;
  }
  check_command(e, source->stream, s);
  if (s->end == ERR_OK)
    err = upload_check_size(w, sent, false, &s->error);
  if (err)
    fail(s, err, "unexpected_size");
  if (s->end == ERR_OK)
    check_digest(w, source, s);
}

/* ---- completion ---- */

struct completion {
  const struct upload_state *upload;
  const struct checksum *whole; /* the object's */
  bool differed;                /* from what the server told of it */
  struct buf body;
  struct checksum digests[HASH_ALG_COUNT]; /* of it */
};

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct completion *c = j->ctx;
  const struct engine *en = j->engine;
  struct checksum *sha256 = &c->digests[HASH_SHA256];
  buf_clear(&c->body);
  if (en->provider->complete_body(c->upload->parts, c->upload->n, args,
                                  &c->body) ||
      hash_sha256(buf_str(&c->body), c->body.len, sha256->digest))
    return err_set(e, ERR_INTERNAL, "out of memory");
  sha256->present = true;
  args->upload_id = c->upload->id;
  args->body = (struct body){
      .present = true, .length = c->body.len, .data = buf_str(&c->body)};
  args->digests = c->digests;
  args->whole = c->whole;
  return ERR_OK;
}

/* The object is there by then; a server that is asked again tells it again. */
static void judge(struct job *j, const struct op_result *r)
{
  struct completion *c = j->ctx;
  if (j->call.response.status >= 300 || r->code_class != CODE_NONE ||
      !upload_sum_differs(c->upload, c->whole, r))
    return;
  c->differed = true;
  err_set(&j->error, ERR_INTEGRITY,
          "the server's checksum of the object is not that of its parts");
  j->refusal = (struct refusal){true, CODE_BAD_DIGEST, ERR_INTEGRITY,
                                "checksum_mismatch"};
}

/* It is there, and it is wrong: neither to be dropped nor to be continued. */
static void end_differed(struct upload_state *u, struct summary *s)
{
  u->done = true;
  u->lost = u->keep = false;
  fail(s,
       err_set(&s->error, ERR_INTEGRITY,
               "an object was stored, but the server's checksum of it is not "
               "that of the bytes sent"),
       "checksum_mismatch");
}

/* ---- what is there ---- */

/* An upload whose completion may be under way is not dropped: some stores would
 * then lose parts of the object. */
static void settle(struct engine *e, const struct put_wish *w,
                   struct upload_state *u, const struct settle_ours *ours,
                   const struct job *j, struct summary *s)
{
  u->keep = j->ambiguous;
  if (s->end == ERR_EXISTS && w->no_clobber) {
    u->done = settle_exists(e, ours, s) == SETTLE_OURS;
    u->keep = false;
  } else if (settle_is_doubtful(s, j->ambiguous) ||
             (j->ambiguous && j->result.gone)) {
    if (s->end != ERR_EXISTS)
      s->end = ERR_UNAVAILABLE;
    (void)settle_lost(e, ours, s);
    u->done = s->end == ERR_OK;
    u->keep = s->end == ERR_UNKNOWN || s->end == ERR_INTERRUPTED;
  } else {
    settle_cut(s, j->ambiguous);
  }
}

/* Where an upload begins without a request, what the object is is said at its
 * end. */
static void run_completion(struct engine *e, const struct upload_state *u,
                           struct job *j)
{
  const struct object_options *kept = e->options;
  struct object_options options;
  struct kv metadata = {0};
  enum err err = ERR_OK;
  if (e->provider->own_upload_id) {
    err = settle_say_nonce(u->nonce, kept, &options, &metadata, &j->error);
    e->options = &options;
  }
  if (!err)
    engine_run(e, j, 1);
  else
    j->end = err;
  e->options = kept;
  kv_release(&metadata);
}

void upload_complete(struct engine *e, const struct put_wish *w,
                     struct upload_state *u, struct upload_source *source,
                     uint64_t sent, struct summary *s)
{
  static const struct job_hooks hooks = {.prepare = prepare, .judge = judge};
  struct completion c = {.upload = u, .whole = source->digests};
  struct job j = {.op = OP_COMPLETE,
                  .kind = JOB_COMPLETION,
                  .hooks = &hooks,
                  .ctx = &c,
                  .sink_fd = -1};
  char checksum[sizeof s->checksum];
  memcpy(checksum, s->checksum, sizeof checksum);
  upload_sum_whole(e, u, source->digests);
  run_completion(e, u, &j);
  upload_job_ended(s, u, &j);
  u->done = j.end == ERR_OK;
  struct upload_ours own = {w, source};
  const struct settle_ours ours = upload_ours(&own, u->nonce, sent);
  if (!u->done && c.differed)
    end_differed(u, s);
  else
    settle(e, w, u, &ours, &j, s);
  memcpy(s->checksum, checksum, sizeof checksum);
  job_release(&j);
  buf_release(&c.body);
}

static void look_by_stream(struct engine *e, const struct put_wish *w,
                           struct upload_source *source, struct summary *s)
{
  s->end = err_set(&s->error, ERR_EXISTS, "an object is there already");
  enum settle verdict = upload_settle_stream(e, w, source, s);
  if (verdict != SETTLE_ABSENT && verdict != SETTLE_FAILED)
    return;
  s->end = ERR_OK;
  s->why = NULL;
  s->error = (struct error){0};
}

void upload_look(struct engine *e, const struct put_wish *w,
                 struct upload_source *source, uint64_t size, struct summary *s)
{
  struct upload_ours own = {w, source};
  const struct settle_ours ours = upload_ours(&own, w->nonce, size);
  struct summary look = {.end = ERR_EXISTS};
  if (!w->no_clobber)
    return;
  if (upload_must_drain(source)) {
    look_by_stream(e, w, source, s);
    return;
  }
  switch (settle_exists(e, &ours, &look)) {
  case SETTLE_OURS:
  case SETTLE_SAME:
    s->settled = look.settled;
    s->result = look.result;
    break;
  case SETTLE_OTHER:
  case SETTLE_FOREIGN:
  case SETTLE_BLIND:
    s->end = look.end;
    s->why = look.why;
    s->error = look.error;
    if (s->end == ERR_EXISTS)
      (void)err_set(&s->error, s->end, "an object is there already");
    break;
  case SETTLE_ABSENT:
  case SETTLE_FAILED:
    /* Who may not ask is told by the condition. */
    break;
  }
}

void upload_settle_begin(struct engine *e, const struct put_wish *w,
                         struct upload_source *source, uint64_t size,
                         struct summary *s)
{
  struct upload_ours own = {w, source};
  const struct settle_ours ours = upload_ours(&own, w->nonce, size);
  if (s->end != ERR_EXISTS || !w->no_clobber)
    return;
  if (upload_must_drain(source))
    (void)upload_settle_stream(e, w, source, s);
  else
    (void)settle_exists(e, &ours, s);
}
