/* SPDX-License-Identifier: MIT
 *
 * session - see session.h.
 */
#include "flow/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/session_end.h"
#include "flow/settle.h"
#include "flow/upload_drain.h"
#include "flow/upload_end.h"
#include "io/sys.h"

enum { MOST_SESSIONS = 3, CHUNK = 8 << 20 };

static void fail(struct session *u, enum err end, const char *why)
{
  u->summary->end = end;
  u->summary->why = why;
}

static bool goes_on(const struct session *u)
{
  return u->summary->end == ERR_OK && !u->summary->settled;
}

/* ---- a session ---- */

static enum err prepare_begin(struct job *j, struct op_args *args,
                              struct error *e)
{
  struct session *u = j->ctx;
  buf_clear(&u->about);
  if (j->engine->provider->session_body(j->engine->options, &u->about))
    return err_set(e, ERR_INTERNAL, "out of memory");
  args->body = (struct body){
      .present = true, .length = u->about.len, .data = buf_str(&u->about)};
  args->has_total = u->has_total;
  args->total = u->total;
  args->once = u->once;
  return ERR_OK;
}

static const struct job_hooks begin_hooks = {.prepare = prepare_begin};

static void begin(struct session *u)
{
  struct summary *s = u->summary;
  struct job j = {
      .op = OP_SESSION, .hooks = &begin_hooks, .ctx = u, .sink_fd = -1};
  (void)snprintf(u->once, sizeof u->once, "%016" PRIx64 "%016" PRIx64,
                 sys_random(), sys_random());
  engine_run(u->engine, &j, 1);
  if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  if (j.end == ERR_OK)
    memcpy(u->id, j.result.upload_id, sizeof u->id);
  if (j.end == ERR_OK && u->engine->keep_secret &&
      u->engine->keep_secret(u->engine->token.ctx, u->id))
    s->end = err_set(&s->error, ERR_INTERNAL, "out of memory");
  /* It is the capability itself. */
  buf_wipe(s->result.upload_id, sizeof s->result.upload_id);
  buf_wipe(j.result.upload_id, sizeof j.result.upload_id);
  job_release(&j);
}

/* ---- its bytes ---- */

static long read_at(struct session *u, uint64_t at, char *to, unsigned long len,
                    struct error *e)
{
  struct upload_source *src = u->source;
  if (src->file)
    return file_source_read(src->file, src->offset + at, to, len, e);
  memcpy(to, u->held + (at - u->held_at), len);
  return (long)len;
}

static long read_body(void *ctx, uint64_t offset, char *to, unsigned long len)
{
  struct session *u = ctx;
  long n = read_at(u, u->persisted + offset, to, len, u->error);
  if (n >= 0 && n < (long)len)
    err_set(u->error, ERR_LOCAL, "the source became shorter while it was sent");
  else if (u->source->file && file_source_check(u->source->file, u->error))
    return -1;
  return n;
}

/* Forgets what the server has, and reads on until the chunk is full. */
static enum err fill(struct session *u, struct error *e)
{
  struct stream *st = u->source->stream;
  uint64_t had = u->persisted - u->held_at;
  memmove(u->held, u->held + had, (size_t)(u->held_len - had));
  u->held_at += had;
  u->held_len -= had;
  while (!st->at_end && u->held_len < u->chunk) {
    long n = stream_read(st, u->held + u->held_len,
                         (unsigned long)(u->chunk - u->held_len), e);
    if (n < 0)
      return ERR_LOCAL;
    if (n && hash_update(&u->source->whole, u->held + u->held_len, (size_t)n))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    u->held_len += (uint64_t)n;
    enum err err =
        upload_check_size(u->wish, u->held_at + u->held_len, true, e);
    if (err)
      u->summary->why = "unexpected_size";
    if (!err && !n && !st->at_end)
      err = upload_await(u->engine, st, u->summary);
    if (err)
      return err;
  }
  return st->at_end || stream_peek(st, e) ? ERR_OK : ERR_LOCAL;
}

/* Where the next chunk ends, and whether that is the end of all. */
static void find_end(struct session *u)
{
  uint64_t most = u->persisted + u->chunk;
  if (u->source->file) {
    u->end = most < u->total ? most : u->total;
    u->last = u->end == u->total;
    return;
  }
  u->end = u->held_at + u->held_len;
  u->last = u->source->stream->at_end;
  if (u->last) {
    u->has_total = true;
    u->total = u->end;
  }
}

/* The CRC goes on where it was, so that it is known with the last chunk. */
static enum err hash_on(struct session *u, struct error *e)
{
  char slice[16384];
  while (u->hashed < u->end) {
    uint64_t left = u->end - u->hashed;
    unsigned long want =
        left < sizeof slice ? (unsigned long)left : sizeof slice;
    long n = read_at(u, u->hashed, slice, want, e);
    if (n < 0)
      return ERR_LOCAL;
    if (n < (long)want)
      return err_set(e, ERR_LOCAL, "the source became shorter");
    if (hash_update(&u->crc, slice, want))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    u->hashed += want;
  }
  struct checksum *crc = &u->digests[HASH_CRC32C];
  if (u->last && !crc->present)
    crc->present = !hash_final(&u->crc, crc->digest);
  return ERR_OK;
}

/* ---- chunks ---- */

/* After a failure only the server knows how far it is. */
static enum err prepare_chunk(struct job *j, struct op_args *args,
                              struct error *e)
{
  struct session *u = j->ctx;
  bool ask = u->asked_first++ || u->end == u->persisted;
  (void)e;
  u->error = &j->error;
  j->op = args->op = ask ? OP_STATUS : OP_CHUNK;
  j->kind = ask ? JOB_SMALL : JOB_BULK;
  args->upload_id = u->id;
  args->has_total = u->has_total;
  args->total = u->total;
  if (u->last && !ask)
    args->digests = u->digests;
  if (ask)
    return ERR_OK;
  args->offset = u->persisted;
  args->body = (struct body){.present = true,
                             .length = u->end - u->persisted,
                             .read = read_body,
                             .ctx = u};
  return ERR_OK;
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct session *u = j->ctx;
  v->done = u->persisted;
  if (j->state == JOB_FLYING && j->op == OP_CHUNK)
    v->done += http_moved(&j->call);
  v->has_total = u->has_total;
  v->total = u->total;
}

static const struct job_hooks chunk_hooks = {.prepare = prepare_chunk,
                                             .progress = progress};

/* Attempts are counted as of one request as long as nothing gets further. */
static void note_persisted(struct session *u, const struct job *j)
{
  uint64_t now = j->result.persisted;
  struct error *e = &u->summary->error;
  if (now < u->persisted || now > u->end) {
    u->lost = true;
    fail(u,
         err_set(e, ERR_REJECTED,
                 "the session is at another place than "
                 "the bytes that were sent"),
         "unexpected_answer");
    return;
  }
  bool further = now > u->persisted;
  u->persisted = now;
  u->retry = j->retry;
  if (further)
    u->retry.retries = 0;
  if (!further && j->op == OP_CHUNK && ++u->idle > MOST_SESSIONS)
    fail(u, err_set(e, ERR_UNAVAILABLE, "the server keeps no bytes"), NULL);
  if (further)
    u->idle = 0;
}

static void send_chunk(struct session *u)
{
  struct job j = {.op = OP_CHUNK,
                  .kind = JOB_BULK,
                  .hooks = &chunk_hooks,
                  .ctx = u,
                  .retry = u->retry,
                  .sink_fd = -1};
  u->asked_first = 0;
  engine_run(u->engine, &j, 1);
  u->ambiguous = u->last && j.ambiguous;
  if (j.end == ERR_OK && j.result.has_persisted) {
    note_persisted(u, &j);
  } else {
    u->lost = j.restart;
    u->done = j.end == ERR_OK;
    if (summary_of_job(u->summary, &j))
      u->summary->end = ERR_INTERNAL;
  }
  job_release(&j);
}

/* Before the bytes that make it an object. */
static void check_last(struct session *u)
{
  upload_check_source(u->engine, u->wish, u->source, u->total, u->summary);
  if (goes_on(u) && u->begun_before)
    upload_look(u->engine, u->wish, u->source, u->total, u->summary);
}

static void move(struct session *u)
{
  struct summary *s = u->summary;
  bool checked = false;
  while (goes_on(u) && !u->done) {
    enum err err = u->source->stream ? fill(u, &s->error) : ERR_OK;
    if (!err) {
      find_end(u);
      err = hash_on(u, &s->error);
    }
    if (err) {
      s->end = err;
      return;
    }
    if (u->last && !checked)
      check_last(u);
    checked = u->last;
    u->begun_before = true;
    if (goes_on(u))
      send_chunk(u);
  }
}

/* ---- the whole ---- */

static bool restart(struct session *u)
{
  struct summary *s = u->summary;
  if (!u->lost || !u->source->file || u->done || u->ambiguous ||
      ++u->sessions > MOST_SESSIONS)
    return false;
  s->end = ERR_OK;
  s->why = NULL;
  s->error = (struct error){0};
  u->id[0] = '\0';
  u->persisted = u->hashed = 0;
  u->digests[HASH_CRC32C].present = false;
  u->lost = false;
  u->retry = (struct retry_state){0};
  u->idle = 0;
  return hash_start(&u->crc, HASH_CRC32C) == ERR_OK;
}

static void attempt_all(struct session *u)
{
  do {
    begin(u);
    if (goes_on(u))
      move(u);
  } while (restart(u));
}

uint64_t session_chunk(const struct engine *e, const struct put_wish *w)
{
  uint64_t unit = e->provider->session_unit;
  uint64_t size = w->part_size ? w->part_size : CHUNK;
  if (size > w->buffer_limit)
    size = w->buffer_limit;
  return size < unit ? unit : size / unit * unit;
}

static enum err set_up(struct session *u, struct error *e)
{
  struct upload_source *src = u->source;
  if (u->wish->resume)
    return err_set(e, ERR_USAGE,
                   "--continue keeps no large upload that has a condition; "
                   "leave one of the two");
  u->chunk = session_chunk(u->engine, u->wish);
  u->has_total = src->file != NULL;
  u->total = src->size;
  if (hash_start(&u->crc, HASH_CRC32C))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  if (!src->stream)
    return ERR_OK;
  u->held = malloc((size_t)u->chunk);
  if (!u->held)
    return err_set(e, ERR_INTERNAL, "out of memory");
  memcpy(u->held, src->head, (size_t)src->head_len);
  u->held_len = src->head_len;
  free(src->head);
  src->head = NULL;
  return ERR_OK;
}

void session_run(struct engine *e, const struct put_wish *w,
                 struct upload_source *source, struct summary *s)
{
  struct session u = {.engine = e, .wish = w, .source = source, .summary = s};
  s->end = set_up(&u, &s->error);
  if (goes_on(&u))
    upload_look(e, w, source, u.has_total ? u.total : UINT64_MAX, s);
  if (goes_on(&u))
    attempt_all(&u);
  else if (s->settled && source->stream)
    u.total = source->stream->came;
  session_end(&u);
  buf_wipe(u.id, sizeof u.id);
  free(u.held);
  hash_release(&u.crc);
  buf_release(&u.about);
}
