/* SPDX-License-Identifier: MIT
 *
 * put - see put.h.
 */
#include "flow/put.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow/piece.h"
#include "flow/settle.h"
#include "flow/upload_end.h"
#include "io/sys.h"

struct put {
  struct engine *engine;
  const struct put_wish *wish;
  struct summary *summary;
  struct upload_source source;
};

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

static void show(struct put *p, struct single *one)
{
  struct summary *s = p->summary;
  s->end = engine_dry_run(p->engine, &one->job, &s->error);
  if (!s->end)
    s->end = message_url(&s->url, &one->job.request);
  s->dry_run = true;
}

/* Was it stored all the same? */
static void settle(struct put *p, struct single *one)
{
  struct summary *s = p->summary;
  const struct settle_ours ours = {
      .nonce = p->wish->nonce,
      .size = one->piece.length,
      .sha256 = one->piece.hashed ? one->piece.sha256 : NULL,
      .md5 = one->piece.has_md5 ? one->piece.md5 : NULL};
  if (s->end == ERR_EXISTS && p->wish->no_clobber)
    (void)settle_exists(p->engine, &ours, s);
  else if (s->end == ERR_UNAVAILABLE && one->job.ambiguous)
    (void)settle_lost(p->engine, &ours, s);
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

static void store_single(struct put *p)
{
  const struct upload_source *src = &p->source;
  struct single one = {.piece = {.file = src->file,
                                 .data = src->head,
                                 .offset = src->offset,
                                 .length = src->size,
                                 .doing = src->file ? "hashing" : NULL}};
  one.job = (struct job){.op = OP_PUT,
                         .kind = JOB_BULK,
                         .hooks = &hooks,
                         .ctx = &one,
                         .sink_fd = -1};
  if (p->wish->dry_run)
    show(p, &one);
  else
    send_single(p, &one);
  if (one.piece.hashed)
    summary_checksum(p->summary, HASH_SHA256, one.piece.sha256);
  job_release(&one.job);
  piece_release(&one.piece);
}

/* ---- a file ---- */

static enum err expected(const struct put *p, struct error *e)
{
  const struct put_wish *w = p->wish;
  if (!w->has_expected_size || w->expected_size == p->source.size)
    return ERR_OK;
  return err_set(e, ERR_LOCAL,
                 "--expected-size: there are %" PRIu64 " bytes instead of "
                 "%" PRIu64 ", nothing is stored",
                 p->source.size, w->expected_size);
}

static bool fits_one(const struct put *p)
{
  return p->source.size <= p->wish->threshold &&
         p->source.size <= p->engine->provider->max_single;
}

static void store_file(struct put *p, struct file_source *file)
{
  struct summary *s = p->summary;
  p->source.file = file;
  p->source.size = file->size - p->source.offset;
  s->end = expected(p, &s->error);
  if (s->end != ERR_OK)
    return;
  if (p->wish->dry_run || fits_one(p))
    store_single(p);
  else
    upload_run(p->engine, p->wish, &p->source, s);
}

static void put_path(struct put *p)
{
  struct summary *s = p->summary;
  struct file_source file = {.fd = -1};
  s->end = file_source_open(&file, p->wish->path, &s->error);
  if (s->end == ERR_OK)
    store_file(p, &file);
  file_source_close(&file);
}

/* ---- a stream ---- */

/* Nothing is opened before it is known whether the bytes are few. */
static enum err read_head(struct put *p, uint64_t room, struct error *e)
{
  struct upload_source *src = &p->source;
  src->head = malloc((size_t)room);
  if (!src->head || hash_start(&src->whole, HASH_SHA256))
    return err_set(e, ERR_INTERNAL, "out of memory");
  for (;;) {
    long n = stream_read(src->stream, src->head + src->head_len,
                         (unsigned long)(room - src->head_len), e);
    if (n < 0)
      return ERR_LOCAL;
    if (n && hash_update(&src->whole, src->head + src->head_len, (size_t)n))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    src->head_len += (uint64_t)n;
    if (src->stream->at_end || src->head_len == room)
      return ERR_OK;
    enum err late = engine_await(p->engine, src->stream->fd, e);
    if (late)
      return late;
  }
}

static void store_stream(struct put *p)
{
  struct summary *s = p->summary;
  struct upload_source *src = &p->source;
  struct plan plan;
  s->end = upload_plan(p->engine, p->wish, src, &plan, &s->error);
  if (!s->end)
    s->end = read_head(p, plan_size(&plan, 1), &s->error);
  if (s->end)
    return;
  if (!src->stream->at_end) {
    upload_run(p->engine, p->wish, src, s);
    return;
  }
  src->size = src->head_len;
  upload_check_source(p->engine, p->wish, src, src->size, s);
  if (s->end == ERR_OK)
    store_single(p);
}

/* A file that a shell has opened for us can be read again like any other, from
 * where it stands. */
static bool seekable(struct put *p, struct file_source *file, struct error *e)
{
  off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (at < 0 || file_source_adopt(file, STDIN_FILENO, "-", e) ||
      (uint64_t)at > file->size)
    return false;
  p->source.offset = (uint64_t)at;
  return true;
}

static void put_stream(struct put *p)
{
  struct summary *s = p->summary;
  struct file_source file;
  struct stream stream;
  struct error e = {0};
  if (!p->wish->command && seekable(p, &file, &e)) {
    store_file(p, &file);
    return;
  }
  s->end = p->wish->command
               ? stream_open_command(&stream, p->wish->command, &s->error)
               : stream_open_input(&stream, &s->error);
  if (s->end != ERR_OK) {
    s->has_producer_exit = stream.command;
    s->producer_exit = stream.exit_status;
    s->why = stream.command ? "producer_failed" : NULL;
    return;
  }
  p->source.stream = &stream;
  store_stream(p);
  if (sys_interrupted())
    stream_signal(&stream, sys_interrupted());
  stream_close(&stream);
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
    s->end = settle_add_nonce(wish.nonce, kept, &options, &metadata, &s->error);
    options.if_none_match = "*";
    e->options = &options;
  }
  if (s->end == ERR_OK)
    run(&p);
  e->options = kept;
  kv_release(&metadata);
}

void put_abort(struct engine *e, const char *id, struct summary *s)
{
  struct upload_state u = {.n = 0};
  if (strlen(id) >= sizeof u.id) {
    s->end = err_set(&s->error, ERR_USAGE, "--abort-upload: is too long");
    return;
  }
  memcpy(u.id, id, strlen(id));
  upload_drop(e, &u, s);
}
