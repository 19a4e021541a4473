/* SPDX-License-Identifier: MIT
 *
 * put - see put.h.
 */
#include "flow/put.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cloud/weburl.h"
#include "flow/engine_show.h"
#include "flow/piece.h"
#include "flow/put_way.h"
#include "flow/session.h"
#include "flow/settle.h"
#include "flow/upload_drain.h"
#include "flow/upload_drop.h"
#include "flow/upload_plan.h"
#include "flow/upload_sum.h"
#include "io/sys.h"

struct put {
  struct engine *engine;
  const struct put_wish *wish;
  struct summary *summary;
  struct upload_source source;
  struct piece whole; /* the source as one piece */
};

static enum err check_size(struct put *p, uint64_t came, bool more)
{
  struct summary *s = p->summary;
  enum err err = upload_check_size(p->wish, came, more, &s->error);
  if (err)
    s->why = "unexpected_size";
  return err;
}

/* ---- in one request ---- */

struct single {
  struct piece piece;
  struct job job;
};

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct single *s = j->ctx;
  return piece_prepare(&s->piece, j, args, e);
}

static void judge(struct job *j, const struct op_result *r)
{
  struct single *s = j->ctx;
  piece_judge(&s->piece, j, r);
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct single *s = j->ctx;
  v->done = j->state == JOB_FLYING ? http_moved(&j->call) : 0;
  v->total = s->piece.length;
  v->has_total = true;
}

static const struct job_hooks hooks = {
    .prepare = prepare, .judge = judge, .progress = progress};

static void show(struct put *p, struct job *j)
{
  struct summary *s = p->summary;
  s->end = engine_dry_run(p->engine, j, &s->error);
  if (!s->end)
    s->end = message_url(&s->url, &j->request);
  s->dry_run = true;
}

/* Was it stored all the same? */
static void settle(struct put *p, struct single *one)
{
  struct summary *s = p->summary;
  const struct settle_ours ours = {.nonce = p->wish->nonce,
                                   .size = one->piece.length,
                                   .digests = one->piece.digests};
  if (s->end == ERR_EXISTS && p->wish->no_clobber)
    (void)settle_exists(p->engine, &ours, s);
  else if (settle_is_doubtful(s, one->job.ambiguous))
    (void)settle_lost(p->engine, &ours, s);
  else
    settle_cut(s, one->job.ambiguous);
}

static void send_single(struct put *p, struct single *one)
{
  struct summary *s = p->summary;
  engine_run(p->engine, &one->job, 1);
  if (summary_of_job(s, &one->job))
    s->end = ERR_INTERNAL;
  settle(p, one);
  if (s->end == ERR_OK) {
    s->has_bytes = true;
    s->bytes = one->piece.length;
  }
}

/* Where the condition is known to be ignored, what is there is looked at before
 * it would be overwritten. */
static bool may_store(struct put *p, uint64_t size)
{
  struct summary *s = p->summary;
  if (!settle_guard(p->engine, OP_PUT, s))
    return false;
  if (!s->unguarded || p->wish->dry_run)
    return true;
  upload_look(p->engine, p->wish, &p->source, size, s);
  if (s->end != ERR_OK || s->settled)
    s->unguarded = false;
  if (s->settled) {
    s->has_bytes = true;
    s->bytes = size;
  }
  return s->end == ERR_OK && !s->settled;
}

/* Takes the whole piece. */
static void store_single(struct put *p)
{
  struct single one = {.piece = p->whole};
  p->whole = (struct piece){0};
  one.job = (struct job){.op = OP_PUT,
                         .kind = JOB_BULK,
                         .hooks = &hooks,
                         .ctx = &one,
                         .sink_fd = -1};
  if (!may_store(p, one.piece.length))
    ;
  else if (p->wish->dry_run)
    show(p, &one.job);
  else
    send_single(p, &one);
  upload_sum_tell(p->engine, NULL, one.piece.digests, p->summary);
  job_release(&one.job);
}

/* ---- a file ---- */

/* Before the first request: parts are hashed one by one, and late. */
static void check_digest(struct put *p)
{
  struct summary *s = p->summary;
  struct job j = {.engine = p->engine};
  struct op_args args;
  s->end = piece_prepare(&p->whole, &j, &args, &s->error);
  if (s->end != ERR_OK)
    return;
  memcpy(p->source.digests, p->whole.digests, sizeof p->source.digests);
  upload_check_digest(p->wish, p->whole.digests[HASH_SHA256].digest, s);
}

/* What a part's request says comes from an answer, and its digest from reading
 * it: what can be shown is how the upload would begin, and how it is cut. */
static void show_parts(struct put *p)
{
  struct summary *s = p->summary;
  struct job create = {.op = OP_CREATE, .sink_fd = -1};
  struct plan plan;
  s->end = upload_plan(p->engine, p->wish, &p->source, &plan, &s->error);
  if (s->end || !settle_guard(p->engine, OP_COMPLETE, s))
    return;
  s->parts = plan_count(&plan);
  s->part_size = plan_size(&plan, 1);
  show(p, &create);
  job_release(&create);
}

static void store_file(struct put *p, struct file_source *file)
{
  struct summary *s = p->summary;
  struct upload_source *src = &p->source;
  src->file = file;
  src->size = file->size - src->offset;
  p->whole = (struct piece){.file = file,
                            .offset = src->offset,
                            .length = src->size,
                            .doing = "hashing"};
  s->end = check_size(p, src->size, false);
  if (s->end == ERR_OK && p->wish->expect_sha256)
    check_digest(p);
  if (s->end != ERR_OK)
    return;
  if (put_way_is_single(p->engine, p->wish, src->size))
    store_single(p);
  else if (session_needed(p->engine) && !p->wish->dry_run)
    session_run(p->engine, p->wish, src, s);
  else if (p->wish->dry_run)
    show_parts(p);
  else
    upload_run(p->engine, p->wish, src, s);
}

/* Those of /proc have bytes, but no size. */
static enum err check_empty(struct file_source *file, struct error *e)
{
  char byte;
  long n = file->size ? 0 : file_source_read(file, 0, &byte, 1, e);
  if (n > 0)
    return err_set(e, ERR_LOCAL,
                   "%s: does not tell its size; give it as standard input",
                   file->path);
  return n < 0 ? ERR_LOCAL : ERR_OK;
}

static void put_path(struct put *p)
{
  struct summary *s = p->summary;
  struct file_source file = {.fd = -1};
  s->end = file_source_open(&file, p->wish->path, &s->error);
  if (s->end == ERR_OK)
    s->end = check_empty(&file, &s->error);
  if (s->end == ERR_OK)
    store_file(p, &file);
  file_source_close(&file);
}

/* ---- a stream ---- */

static enum err read_more(struct upload_source *src, uint64_t room,
                          struct error *e)
{
  char *to = src->head + src->head_len;
  long n =
      stream_read(src->stream, to, (unsigned long)(room - src->head_len), e);
  if (n < 0)
    return ERR_LOCAL;
  if (n && hash_update(&src->whole, to, (size_t)n))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  src->head_len += (uint64_t)n;
  return src->head_len < room || stream_peek(src->stream, e) ? ERR_OK
                                                             : ERR_LOCAL;
}

static void show_reading(const struct put *p)
{
  const struct put_wish *w = p->wish;
  const struct job j = {.engine = p->engine};
  engine_show_work(&j, "reading", p->source.head_len,
                   w->has_expected_size ? w->expected_size : UINT64_MAX);
}

/* Nothing is opened before it is known whether the bytes are few. */
static enum err read_head(struct put *p, uint64_t room, struct error *e)
{
  struct upload_source *src = &p->source;
  struct stream *st = src->stream;
  src->head = malloc((size_t)room);
  if (!src->head || hash_start(&src->whole, HASH_SHA256))
    return err_set(e, ERR_INTERNAL, "out of memory");
  for (;;) {
    enum err err = read_more(src, room, e);
    if (!err)
      err = check_size(p, src->head_len, true);
    if (err || st->at_end || st->has_ahead)
      return err;
    show_reading(p);
    err = upload_await(p->engine, st, p->summary);
    if (err)
      return err;
  }
}

static void store_stream(struct put *p, uint64_t room)
{
  struct summary *s = p->summary;
  struct upload_source *src = &p->source;
  s->end = read_head(p, room, &s->error);
  if (s->end)
    return;
  if (!src->stream->at_end && session_needed(p->engine)) {
    session_run(p->engine, p->wish, src, s);
    return;
  }
  if (!src->stream->at_end && !upload_plan_parts(p->engine)) {
    s->end = err_set(&s->error, ERR_LOCAL,
                     "%s takes no upload in parts, and of a stream more than "
                     "%" PRIu64 " bytes are not held in memory; give a file, "
                     "or a larger --buffer-limit",
                     target_is_signed(p->engine->target)
                         ? "a signed URL"
                         : p->engine->site.quirk->name,
                     room);
    return;
  }
  if (!src->stream->at_end) {
    upload_run(p->engine, p->wish, src, s);
    return;
  }
  src->size = src->head_len;
  p->whole = (struct piece){.data = src->head, .length = src->size};
  upload_check_source(p->engine, p->wish, src, src->size, s);
  if (s->end == ERR_OK)
    store_single(p);
}

/* A file that a shell has opened for us can be read again like any other, from
 * where it stands.  Those of /proc have bytes, but no size. */
static bool seekable(struct put *p, struct file_source *file)
{
  struct error e = {0};
  off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (at < 0 || file_source_adopt(file, STDIN_FILENO, "-", &e) ||
      (uint64_t)at >= file->size)
    return false;
  p->source.offset = (uint64_t)at;
  return true;
}

/* Whoever shares the descriptor finds it read, as from any stream. */
static void store_input_file(struct put *p, struct file_source *file)
{
  store_file(p, file);
  if (p->summary->end == ERR_OK && !p->wish->dry_run)
    (void)lseek(STDIN_FILENO, (off_t)file->size, SEEK_SET);
}

static enum err open_stream(struct put *p, struct stream *stream)
{
  struct summary *s = p->summary;
  if (!p->wish->command)
    return stream_open_input(stream, &s->error);
  enum err err = stream_open_command(stream, p->wish->command, &s->error);
  if (err) {
    s->has_producer_exit = true;
    s->producer_exit = stream->exit_status;
    s->why = "producer_failed";
  }
  return err;
}

/* What cannot fit is refused before anything is read or run. */
static void put_stream(struct put *p)
{
  struct summary *s = p->summary;
  struct file_source file;
  struct stream stream;
  uint64_t room = 0;
  if (!p->wish->command && seekable(p, &file)) {
    store_input_file(p, &file);
    return;
  }
  s->end = put_way_room(p->engine, p->wish, &p->source, &room, &s->error);
  if (s->end == ERR_OK && p->wish->dry_run) {
    store_single(p);
    return;
  }
  if (s->end == ERR_OK)
    s->end = open_stream(p, &stream);
  if (s->end != ERR_OK)
    return;
  p->source.stream = &stream;
  store_stream(p, room);
  stream_close(&stream, s->end == ERR_OK    ? 0
                        : sys_interrupted() ? sys_interrupted()
                                            : SIGTERM);
}

static void run(struct put *p)
{
  if (p->wish->path)
    put_path(p);
  else
    put_stream(p);
  free(p->source.head);
  hash_release(&p->source.whole);
}

void put_object(struct engine *e, const struct put_wish *w, struct summary *s)
{
  struct put_wish wish = *w;
  struct put p = {.engine = e, .wish = &wish, .summary = s};
  const struct object_options *kept = e->options;
  struct object_options options;
  struct kv metadata = {0};
  if (w->no_clobber) {
    /* What nobody has asked for would break a signed URL. */
    options = *kept;
    if (!weburl_is_one_request(e->target))
      s->end =
          settle_add_nonce(wish.nonce, kept, &options, &metadata, &s->error);
    options.if_none_match = "*";
    e->options = &options;
  }
  if (s->end == ERR_OK)
    run(&p);
  e->options = kept;
  kv_release(&metadata);
}
