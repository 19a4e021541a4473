/* SPDX-License-Identifier: MIT
 *
 * get_kept - see get_kept.h.
 */
#include "flow/get_kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/engine.h"
#include "flow/engine_show.h"
#include "io/file_part.h"
#include "io/sys.h"

#define FORMAT     "1"
#define SYNC_EVERY (UINT64_C(128) << 20)

enum { SLICE = 1 << 20 };

static void warn(const struct get_kept *k, const char *why, const char *text)
{
  report_warning(k->engine->report, sys_now().wall_ms, why, k->sink->temp,
                 text);
}

/* ---- facts ---- */

static enum err add_encoded(struct kv *facts, const char *name,
                            const char *value)
{
  struct buf text = {0};
  enum err err = codec_percent(&text, value, strlen(value), true);
  if (!err)
    err = kv_add(facts, name, buf_str(&text), NULL);
  buf_release(&text);
  return err;
}

static enum err add_place(struct kv *facts, const struct engine *e)
{
  const char *version = e->options->version_id;
  struct buf place = {0};
  enum err err = kv_add(facts, "ank_download", FORMAT, NULL);
  if (!err)
    err = buf_adds(&place, e->site.base.https ? "https://" : "http://");
  if (!err)
    err = uri_authority(&place, &e->site.base);
  if (!err)
    err = buf_adds(&place, e->site.base.path);
  if (!err)
    err = kv_add(facts, "endpoint", buf_str(&place), NULL);
  if (!err)
    err = kv_add(facts, "bucket", e->target->bucket, NULL);
  if (!err)
    err = add_encoded(facts, "key", e->target->key);
  buf_release(&place);
  return err ? err : add_encoded(facts, "version", version ? version : "");
}

static enum err add_checksums(struct kv *facts, const struct op_result *r)
{
  enum err err = ERR_OK;
  for (int a = 0; a < HASH_ALG_COUNT && !err; a++) {
    struct buf hex = {0};
    enum hash_alg alg = (enum hash_alg)a;
    if (!r->checksums[a].present)
      continue;
    err = codec_hex(&hex, r->checksums[a].digest, hash_len(alg));
    if (!err)
      err = kv_add(facts, hash_name(alg), buf_str(&hex), NULL);
    buf_release(&hex);
  }
  return err;
}

static enum err add_object(struct kv *facts, const struct op_result *r)
{
  enum err err = kv_add(facts, "etag", r->etag, NULL);
  if (!err)
    err = kv_add(facts, "last_modified", r->last_modified, NULL);
  if (!err && r->has_size)
    err = kv_addf(facts, NULL, "size", "%" PRIu64, r->size);
  return err ? err : add_checksums(facts, r);
}

static void take_text(char *to, size_t room, const char *from)
{
  if (from && strlen(from) < room)
    (void)snprintf(to, room, "%s", from);
}

static void take_checksum(struct checksum *to, const char *hex, size_t len)
{
  if (!hex || strlen(hex) != 2 * len ||
      strspn(hex, "0123456789abcdef") != 2 * len)
    return;
  for (size_t i = 0; i < len; i++)
    to->digest[i] = (unsigned char)(codec_hex_digit(hex[2 * i]) * 16 +
                                    codec_hex_digit(hex[2 * i + 1]));
  to->present = true;
}

static void read_object(const struct kv *facts, struct op_result *out)
{
  const char *size = kv_get(facts, "size");
  *out = (struct op_result){.code_class = CODE_NONE};
  take_text(out->etag, sizeof out->etag, kv_get(facts, "etag"));
  take_text(out->last_modified, sizeof out->last_modified,
            kv_get(facts, "last_modified"));
  out->has_size = size && codec_u64(size, 0, INT64_MAX, &out->size);
  for (int a = 0; a < HASH_ALG_COUNT; a++)
    take_checksum(&out->checksums[a],
                  kv_get(facts, hash_name((enum hash_alg)a)),
                  hash_len((enum hash_alg)a));
}

/* ---- what is there ---- */

static bool is_of(const struct kv *facts, const struct engine *e)
{
  struct kv ours = {0};
  bool same = !add_place(&ours, e);
  for (size_t i = 0; i < ours.n && same; i++) {
    const char *theirs = kv_get(facts, ours.pairs[i].name);
    same = theirs && strcmp(theirs, ours.pairs[i].value) == 0;
  }
  kv_release(&ours);
  return same;
}

/* The last byte of a whole object is asked for again: only an answer with
 * bytes proves that it is still the same one. */
static uint64_t asked_from(const struct op_result *first, uint64_t bytes)
{
  if (!first->has_size || bytes < first->size)
    return bytes;
  return first->size ? first->size - 1 : 0;
}

static bool misfit(const struct get_kept *k, const char *why, const char *words)
{
  struct buf text = {0};
  if (k->sink->left &&
      !buf_addf(&text, "%s: %s; the file is fetched from its beginning",
                k->sink->temp, words))
    warn(k, why, buf_str(&text));
  buf_release(&text);
  return false;
}

static bool look(struct get_kept *k, struct op_result *first)
{
  struct file_sink *s = k->sink;
  if (!file_part_read(s, &k->facts, &k->reached))
    return misfit(k, "partial_damaged", "nothing tells what it is of");
  if (!is_of(&k->facts, k->engine))
    return misfit(k, "partial_other_object", "is of another object");
  read_object(&k->facts, first);
  if (first->has_size && s->left > first->size)
    return misfit(k, "partial_damaged", "is longer than the object");
  k->reached = asked_from(first, k->reached);
  return k->reached > 0;
}

bool get_kept_find(struct get_kept *k, struct op_result *first)
{
  if (look(k, first))
    return true;
  k->reached = 0;
  return false;
}

enum err get_kept_reread(struct get_kept *k, const struct job *j,
                         struct checks *c, struct error *e)
{
  char *slice = malloc(SLICE);
  enum err err = slice ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
  for (uint64_t at = 0; at < k->reached && !err;) {
    uint64_t left = k->reached - at;
    unsigned long len = left < SLICE ? (unsigned long)left : SLICE;
    if (file_sink_read_at(k->sink, at, slice, len, e) < 0)
      err = ERR_LOCAL;
    else if (checks_update(c, slice, len))
      err = err_set(e, ERR_INTERNAL, "hashing failed");
    else
      err = engine_tick(j->engine, e);
    at += len;
    engine_show_work(j, "checking", at, k->reached);
  }
  free(slice);
  return err;
}

/* ---- what is fetched ---- */

static void note(struct get_kept *k, uint64_t bytes)
{
  if (file_part_write(k->sink, &k->facts, bytes)) {
    k->synced = bytes;
  } else {
    if (!k->doubted)
      warn(k, "partial_not_kept", "what is fetched cannot be kept");
    k->doubted = true;
  }
}

void get_kept_begin(struct get_kept *k, const struct op_result *first)
{
  if (!k->engine)
    return;
  kv_clear(&k->facts);
  k->reached = k->synced = 0;
  k->doubted = false;
  /* Without any of them nothing could ever be compared. */
  if (!first->etag[0] && !first->last_modified[0])
    return;
  if (!add_place(&k->facts, k->engine) && !add_object(&k->facts, first))
    note(k, 0);
}

void get_kept_moved(struct get_kept *k, uint64_t reached)
{
  if (!k->engine)
    return;
  k->reached = reached;
  k->fresh = true;
  if (k->sink->noted && !k->doubted && reached - k->synced >= SYNC_EVERY)
    note(k, reached);
}

/* Lasting before the bytes are, which another object's take the place of. */
void get_kept_forget(struct get_kept *k)
{
  if (!k->engine || !k->sink->note)
    return;
  file_part_forget(k->sink);
  k->reached = k->synced = 0;
}

void get_kept_leave(struct get_kept *k)
{
  if (!k->engine || !k->sink->temp || k->sink->fd < 0)
    return;
  if (k->reached == 0)
    file_part_forget(k->sink);
  else if (k->sink->noted && k->fresh && !k->doubted)
    note(k, k->reached);
}

void get_kept_release(struct get_kept *k)
{
  kv_release(&k->facts);
}
