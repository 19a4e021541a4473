/* SPDX-License-Identifier: MIT
 *
 * put_head - see put_head.h.
 */
#include "flow/put_head.h"

#include <stdlib.h>

#include "flow/engine_show.h"
#include "flow/upload_drain.h"
#include "flow/upload_end.h"

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

static void show(struct engine *e, const struct put_wish *w,
                 const struct upload_source *src)
{
  const struct job j = {.engine = e};
  engine_show_work(&j, "reading", src->head_len,
                   w->has_expected_size ? w->expected_size : UINT64_MAX);
}

static enum err check_size(const struct put_wish *w,
                           const struct upload_source *src, struct summary *s)
{
  enum err err = upload_check_size(w, src->head_len, true, &s->error);
  if (err)
    s->why = "unexpected_size";
  return err;
}

void put_head_read(struct engine *e, const struct put_wish *w,
                   struct upload_source *source, uint64_t room,
                   struct summary *s)
{
  struct stream *st = source->stream;
  source->head = malloc((size_t)room);
  if (!source->head || hash_start(&source->whole, HASH_SHA256))
    s->end = err_set(&s->error, ERR_INTERNAL, "out of memory");
  while (s->end == ERR_OK) {
    s->end = read_more(source, room, &s->error);
    if (!s->end)
      s->end = check_size(w, source, s);
    if (s->end || st->at_end || st->has_ahead)
      return;
    show(e, w, source);
    s->end = upload_await(e, st, s);
  }
}
