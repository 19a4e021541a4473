/* SPDX-License-Identifier: MIT
 *
 * piece - see piece.h.
 */
#include "flow/piece.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/engine.h"
#include "flow/engine_show.h"

/* What is hashed between two looks at deadline and signals. */
enum { SLICE = 1 << 20 };

static enum err check_source(const struct piece *p, struct error *e)
{
  return p->file ? file_source_check(p->file, e) : ERR_OK;
}

static long read_at(const struct piece *p, uint64_t offset, char *to,
                    unsigned long len, struct error *e)
{
  if (p->file)
    return file_source_read(p->file, p->offset + offset, to, len, e);
  memcpy(to, p->data + offset, len);
  return (long)len;
}

/* ---- hashing ---- */

/* SHA and MD5 may each be NULL. */
static enum err hash_slices(struct piece *p, const struct job *j,
                            struct hash *sha, struct hash *md5, char *slice,
                            struct error *e)
{
  for (uint64_t at = 0; at < p->length;) {
    uint64_t left = p->length - at;
    unsigned long want = left < SLICE ? (unsigned long)left : SLICE;
    enum err err = engine_tick(j->engine, e);
    if (err)
      return err;
    long n = read_at(p, at, slice, want, e);
    if (n < 0)
      return ERR_LOCAL;
    if (n < (long)want)
      return err_set(e, ERR_LOCAL, "%s: became shorter while it was being read",
                     p->file->path);
    if ((sha && hash_update(sha, slice, want)) ||
        (md5 && hash_update(md5, slice, want)))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    at += want;
    if (p->doing)
      engine_show_work(j, p->doing, at, p->length);
  }
  return check_source(p, e);
}

static enum err keep_sha256(struct piece *p, struct hash *h)
{
  buf_clear(&p->sha256_hex);
  p->hashed = !hash_final(h, p->sha256) &&
              !codec_hex(&p->sha256_hex, p->sha256, hash_len(HASH_SHA256));
  return p->hashed ? ERR_OK : ERR_INTERNAL;
}

static enum err keep_md5(struct piece *p, struct hash *h)
{
  buf_clear(&p->md5_base64);
  p->has_md5 = !hash_final(h, p->md5) &&
               !hash_base64(&p->md5_base64, p->md5, hash_len(HASH_MD5));
  return p->has_md5 ? ERR_OK : ERR_INTERNAL;
}

/* One pass for whichever digests are still missing. */
static enum err hash_piece(struct piece *p, const struct job *j, bool want_md5,
                           struct error *e)
{
  struct hash sha = {0}, md5 = {0};
  char *slice = malloc(SLICE);
  bool do_sha = !p->hashed, do_md5 = want_md5 && !p->has_md5;
  enum err err = slice ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
  if (!err && ((do_sha && hash_start(&sha, HASH_SHA256)) ||
               (do_md5 && hash_start(&md5, HASH_MD5))))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  if (!err)
    err =
        hash_slices(p, j, do_sha ? &sha : NULL, do_md5 ? &md5 : NULL, slice, e);
  if (!err &&
      ((do_sha && keep_sha256(p, &sha)) || (do_md5 && keep_md5(p, &md5))))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  hash_release(&sha);
  hash_release(&md5);
  free(slice);
  return err;
}

enum err piece_hash(struct piece *p, const struct job *j, struct error *e)
{
  enum err err = check_source(p, e);
  return err ? err : hash_piece(p, j, false, e);
}

/* ---- sending ---- */

/* Before the last byte is handed over the file must still be the one that was
 * hashed: without that byte the server publishes nothing. */
static long read_body(void *ctx, uint64_t offset, char *to, unsigned long len)
{
  const struct piece *p = ctx;
  struct error *e = p->error;
  long n = read_at(p, offset, to, len, e);
  if (n >= 0 && n < (long)len)
    err_set(e, ERR_LOCAL, "%s: became shorter while it was being sent",
            p->file->path);
  else if (n >= 0 && offset + (uint64_t)n == p->length && check_source(p, e))
    return -1;
  return n;
}

enum err piece_prepare(struct piece *p, struct job *j, struct op_args *args,
                       struct error *e)
{
  bool want_md5 = j->engine->want_md5;
  enum err err = check_source(p, e);
  if (!err && (!p->hashed || (want_md5 && !p->has_md5)))
    err = hash_piece(p, j, want_md5, e);
  if (err == ERR_LOCAL && check_source(p, NULL))
    j->refusal.why = "source_changed";
  p->error = &j->error;
  args->body = (struct body){
      .present = true, .length = p->length, .read = read_body, .ctx = p};
  args->sha256_hex = buf_str(&p->sha256_hex);
  args->md5_base64 = want_md5 ? buf_str(&p->md5_base64) : NULL;
  return err;
}

static bool differs(const struct checksum *told, const unsigned char *ours,
                    size_t len)
{
  return told->present && memcmp(told->digest, ours, len) != 0;
}

static void mismatch(struct job *j)
{
  err_set(&j->error, ERR_INTEGRITY,
          "the server's checksum is not that of the bytes sent");
  j->refusal = (struct refusal){true, CODE_BAD_DIGEST, ERR_INTEGRITY,
                                "checksum_mismatch"};
}

void piece_judge(struct piece *p, struct job *j, const struct op_result *r)
{
  bool stored = j->call.response.status < 300;
  if (r->code_class == CODE_BAD_DIGEST && check_source(p, &j->error))
    j->refusal = (struct refusal){true, CODE_NONE, ERR_LOCAL, "source_changed"};
  else if (stored && !op_result_is_genuine(r))
    j->refusal = (struct refusal){true, CODE_TRANSIENT, ERR_REJECTED,
                                  "unexpected_answer"};
  else if (stored && differs(&r->checksums[HASH_SHA256], p->sha256,
                             hash_len(HASH_SHA256)))
    mismatch(j);
}

void piece_release(struct piece *p)
{
  buf_release(&p->sha256_hex);
  buf_release(&p->md5_base64);
}
