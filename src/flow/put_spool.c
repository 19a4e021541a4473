/* SPDX-License-Identifier: MIT
 *
 * put_spool - see put_spool.h.
 */
#include "flow/put_spool.h"

#include <stdio.h>
#include <string.h>

#include "flow/engine_show.h"
#include "flow/session.h"
#include "flow/upload_drain.h"
#include "flow/upload_end.h"

bool put_spool_needed(const struct engine *e)
{
  return session_needed(e) && !session_allowed(e);
}

/* Whose disk it is does not tell why it is needed, nor the ways around. */
static enum err explain(enum err err, struct error *e)
{
  struct error why = *e;
  return err == ERR_LOCAL
             ? err_set(e, err,
                       "%s; with HMAC keys a stream under a condition is "
                       "kept there before it is sent, and nothing was: set "
                       "TMPDIR, or use a token",
                       why.msg)
             : err;
}

enum err put_spool_expect(struct spool *s, const struct put_wish *w,
                          uint64_t room, struct error *e)
{
  if (!w->has_expected_size || w->expected_size <= room)
    return ERR_OK;
  enum err err = spool_open(s, w->spool_dir, e);
  if (!err)
    err = spool_fits(s, w->expected_size, e);
  return explain(err, e);
}

/* ---- its bytes ---- */

struct filling {
  struct engine *engine;
  const struct put_wish *wish;
  struct upload_source *source;
  struct spool *spool;
  struct hash crc;
  uint64_t room; /* of the source's head, which every byte passes */
};

/* The head has been hashed already, but for the CRC. */
static enum err keep(struct filling *f, uint64_t n, struct error *e)
{
  const char *head = f->source->head;
  if (hash_update(&f->crc, head, (size_t)n))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  return explain(spool_add(f->spool, head, n, e), e);
}

static enum err read_on(struct filling *f, uint64_t *n, struct error *e)
{
  struct upload_source *src = f->source;
  long got = stream_read(src->stream, src->head, (unsigned long)f->room, e);
  *n = got < 0 ? 0 : (uint64_t)got;
  if (got < 0)
    return ERR_LOCAL;
  return hash_update(&src->whole, src->head, (size_t)got)
             ? err_set(e, ERR_INTERNAL, "hashing failed")
             : ERR_OK;
}

static void show(const struct filling *f)
{
  const struct put_wish *w = f->wish;
  const struct job j = {.engine = f->engine};
  engine_show_work(&j, "reading", f->spool->size,
                   w->has_expected_size ? w->expected_size : UINT64_MAX);
}

static enum err fill(struct filling *f, struct summary *s)
{
  struct stream *st = f->source->stream;
  uint64_t n = f->room;
  enum err err = ERR_OK;
  if (f->spool->fd < 0)
    err =
        explain(spool_open(f->spool, f->wish->spool_dir, &s->error), &s->error);
  if (!err)
    err = keep(f, n, &s->error);
  while (!err && !st->at_end) {
    err = read_on(f, &n, &s->error);
    if (!err)
      err = keep(f, n, &s->error);
    if (!err && upload_check_size(f->wish, f->spool->size, true, &s->error)) {
      s->why = "unexpected_size";
      err = ERR_LOCAL;
    }
    show(f);
    if (!err && !st->at_end)
      err = n ? engine_tick(f->engine, &s->error)
              : upload_await(f->engine, st, s);
  }
  return err;
}

/* ---- as a file ---- */

static enum err as_file(const struct spool *s, struct upload_source *source,
                        struct file_source *file, struct piece *whole,
                        struct error *e)
{
  enum err err = file_source_adopt(file, s->fd, source->stream->name, e);
  if (err)
    return err;
  *whole = (struct piece){.file = file, .length = s->size};
  memcpy(whole->digests, source->digests, sizeof whole->digests);
  return ERR_OK;
}

void put_spool_fill(struct spool *s, struct engine *e, const struct put_wish *w,
                    struct upload_source *source, struct file_source *file,
                    struct piece *whole, struct summary *sum)
{
  struct checksum *crc = &source->digests[HASH_CRC32C];
  struct filling f = {.engine = e,
                      .wish = w,
                      .source = source,
                      .spool = s,
                      .room = source->head_len};
  sum->end = hash_start(&f.crc, HASH_CRC32C)
                 ? err_set(&sum->error, ERR_INTERNAL, "hashing failed")
                 : fill(&f, sum);
  if (sum->end == ERR_OK)
    upload_check_source(e, w, source, s->size, sum);
  crc->present =
      sum->end == ERR_OK && hash_final(&f.crc, crc->digest) == ERR_OK;
  if (sum->end == ERR_OK)
    sum->end = as_file(s, source, file, whole, &sum->error);
  hash_release(&f.crc);
}
