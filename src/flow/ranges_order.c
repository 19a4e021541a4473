/* SPDX-License-Identifier: MIT
 *
 * ranges_order - a part of flow/ranges: what has come into order, and what
 * becomes of it - it is hashed, and handed to a pipe.
 */
#include "flow/ranges_side.h"

#define MIB (UINT64_C(1) << 20)

/* ---- how far it is ---- */

void ranges_gain(struct ranges *r, struct job *j, uint64_t n)
{
  r->got += n;
  if (r->got <= r->most)
    return;
  j->gained += r->got - r->most;
  r->most = r->got;
}

uint64_t ranges_settled(const struct ranges *r)
{
  uint64_t to = r->lead_done ? r->next : r->begin;
  for (unsigned i = 0; i < r->wish.parallel; i++)
    if (r->slots[i].end && !r->slots[i].done)
      to = ranges_min(to, r->slots[i].first);
  return to;
}

bool ranges_complete(const struct ranges *r)
{
  return r->on ? ranges_settled(r) == r->end : r->limit == r->end;
}

bool ranges_lead_done(struct ranges *r)
{
  r->lead_done = true;
  if (r->lead_piece)
    r->lead_piece->sure = true;
  return ranges_complete(r);
}

/* ---- hashing ---- */

static enum err hash_slice(struct ranges *r, uint64_t len, struct error *e)
{
  const char *data = r->slice;
  uint64_t held = len;
  if (r->sink->stream)
    data = ahead_bytes(&r->ahead, r->hashed, &held);
  else if (file_sink_read_at(r->sink, r->hashed - r->begin, r->slice,
                             (unsigned long)len, e) < 0)
    return ERR_LOCAL;
  len = ranges_min(len, held);
  if (!data || r->owner.hash(r, data, (size_t)len))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  r->hashed += len;
  return ERR_OK;
}

enum err ranges_hash_to(struct ranges *r, uint64_t to, struct error *e)
{
  enum err err = ERR_OK;
  while (r->hashing && r->hashed < to && !err)
    err = hash_slice(r, ranges_min(to - r->hashed, RANGES_HASH_SLICE), e);
  return err;
}

/* What has come into order is hashed at twice the pace of what comes in: no
 * connection waits for long, and little is left for the end. */
enum err ranges_hash_some(struct ranges *r, uint64_t most, struct error *e)
{
  return ranges_hash_to(r, ranges_min(ranges_settled(r), r->hashed + most), e);
}

enum err ranges_hash_rest(struct ranges *r, struct error *e)
{
  enum err err = ERR_OK;
  while (r->on && r->hashing && r->hashed < r->end && !err) {
    err = engine_tick(r->engine, e);
    if (!err)
      err = ranges_hash_some(r, MIB, e);
  }
  return err;
}

/* ---- a pipe ---- */

/* Those of the first job were hashed when they came. */
enum err ranges_wrote(void *ctx, uint64_t at, const char *data, size_t len)
{
  struct ranges *r = ctx;
  uint64_t to = at + len;
  if (!r->hashing || to <= r->hashed)
    return ERR_OK;
  uint64_t known = r->hashed > at ? r->hashed - at : 0;
  r->hashed = to;
  return r->owner.hash(r, data + known, len - (size_t)known);
}

long ranges_pass_on(struct ranges *r, const char *data, unsigned long len,
                    struct error *e)
{
  if (r->on)
    return ahead_take(&r->ahead, r->lead_piece, data, len, e) ? -1 : (long)len;
  if (ahead_write(&r->ahead, e))
    return -1;
  return ahead_waits(&r->ahead) ? 0 : file_sink_write(r->sink, data, len, e);
}

enum err ranges_drain(struct ranges *r, struct error *e)
{
  enum err err = ahead_write(&r->ahead, e);
  while (!err && ahead_waits(&r->ahead)) {
    err = engine_await_room(r->engine, r->sink->fd, e);
    if (!err)
      err = ahead_write(&r->ahead, e);
  }
  return err;
}
