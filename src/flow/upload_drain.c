/* SPDX-License-Identifier: MIT
 *
 * upload_drain - see upload_drain.h.
 */
#include "flow/upload_drain.h"

#include "flow/upload_end.h"

/* How soon a command's failure is seen while it prints nothing; bytes that are
 * read only to be hashed. */
enum { LOOK_MS = 200, SLICE = 16384 };

enum err upload_await(struct engine *e, struct stream *st, struct summary *s)
{
  enum err err =
      engine_await(e, st->fd, st->command ? LOOK_MS : INT64_MAX, &s->error);
  return !err && upload_command_fails(st, s) ? ERR_LOCAL : err;
}

static void fail(struct summary *s, enum err end, const char *why)
{
  s->end = end;
  s->why = why;
}

/* Stops behind MOST bytes.  False: S has ended otherwise. */
static bool drain(struct engine *e, const struct put_wish *w,
                  struct upload_source *source, uint64_t most,
                  struct summary *s)
{
  char slice[SLICE];
  struct stream *st = source->stream;
  while (!st->at_end && st->came <= most) {
    enum err err = ERR_OK;
    long n = stream_read(st, slice, sizeof slice, &s->error);
    if (n < 0)
      err = ERR_LOCAL;
    else if (n && hash_update(&source->whole, slice, (size_t)n))
      err = err_set(&s->error, ERR_INTERNAL, "hashing failed");
    else if (upload_check_size(w, st->came, true, &s->error)) {
      fail(s, ERR_LOCAL, "unexpected_size");
      return false;
    }
    if (!err && !n && !st->at_end)
      err = upload_await(e, st, s);
    if (err) {
      s->end = err;
      return false;
    }
  }
  return true;
}

bool upload_must_drain(const struct upload_source *source)
{
  return source->stream && !source->digests[HASH_SHA256].present;
}

/* Is it worth reading on? */
static bool is_comparable(const struct op_result *found)
{
  return found->has_size && (found->size <= SETTLE_MOST_READ ||
                             found->checksums[HASH_SHA256].present);
}

static void compare(struct engine *e, const struct put_wish *w,
                    struct upload_source *source, struct summary *s)
{
  const struct error exists = s->error;
  s->end = ERR_OK;
  upload_check_source(e, w, source, source->stream->came, s);
  if (s->end)
    return;
  const struct settle_ours ours = {.nonce = w->nonce,
                                   .size = source->stream->came,
                                   .digests = source->digests};
  s->end = ERR_EXISTS;
  s->error = exists;
  (void)settle_exists(e, &ours, s);
}

static void read_on(struct engine *e, const struct put_wish *w,
                    struct upload_source *source, uint64_t size,
                    struct summary *s)
{
  bool other = w->has_expected_size && w->expected_size != size;
  if (!other && !drain(e, w, source, size, s))
    return;
  if (other || source->stream->came != size)
    s->why = "other_object";
  else
    compare(e, w, source, s);
}

enum settle upload_settle_stream(struct engine *e, const struct put_wish *w,
                                 struct upload_source *source,
                                 struct summary *s)
{
  const struct settle_ours unknown = {
      .nonce = "", .size = UINT64_MAX, .digests = source->digests};
  struct op_result found = {.code_class = CODE_NONE};
  struct error err = {0};
  enum settle verdict = settle_object(e, &unknown, &found, &err);
  if (verdict == SETTLE_ABSENT)
    s->why = "not_there_any_more";
  else if (verdict == SETTLE_FAILED || !is_comparable(&found))
    settle_uncompared(e, s);
  else
    read_on(e, w, source, found.size, s);
  return verdict;
}
