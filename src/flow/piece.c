/* SPDX-License-Identifier: MIT
 *
 * piece - see piece.h.
 */
#include "flow/piece.h"

#include <stdlib.h>
#include <string.h>

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

/* The digests that one pass makes. */
struct hashing {
  unsigned wanted; /* HASH_BIT of each */
  struct hash running[HASH_ALG_COUNT];
};

static bool makes(const struct hashing *h, unsigned alg)
{
  return (h->wanted & HASH_BIT(alg)) != 0;
}

static enum err start(struct hashing *h)
{
  enum err err = ERR_OK;
  for (unsigned alg = 0; alg < HASH_ALG_COUNT && !err; alg++)
    if (makes(h, alg))
      err = hash_start(&h->running[alg], (enum hash_alg)alg);
  return err;
}

static enum err update(struct hashing *h, const char *data, size_t len)
{
  enum err err = ERR_OK;
  for (unsigned alg = 0; alg < HASH_ALG_COUNT && !err; alg++)
    if (makes(h, alg))
      err = hash_update(&h->running[alg], data, len);
  return err;
}

static enum err finish(struct hashing *h, struct checksum *digests)
{
  enum err err = ERR_OK;
  for (unsigned alg = 0; alg < HASH_ALG_COUNT && !err; alg++) {
    if (!makes(h, alg))
      continue;
    err = hash_final(&h->running[alg], digests[alg].digest);
    digests[alg].present = !err;
  }
  return err;
}

static enum err hash_slices(struct piece *p, const struct job *j,
                            struct hashing *h, char *slice, struct error *e)
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
    if (update(h, slice, want))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    at += want;
    if (p->doing)
      engine_show_work(j, p->doing, at, p->length);
  }
  return check_source(p, e);
}

/* One pass for those of WANTED that are still missing. */
static enum err hash_piece(struct piece *p, const struct job *j,
                           unsigned wanted, struct error *e)
{
  struct hashing h = {.wanted = wanted};
  for (unsigned alg = 0; alg < HASH_ALG_COUNT; alg++)
    if (p->digests[alg].present)
      h.wanted &= ~HASH_BIT(alg);
  if (!h.wanted)
    return ERR_OK;
  char *slice = malloc(SLICE);
  enum err err = slice ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
  if (!err && start(&h))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  if (!err)
    err = hash_slices(p, j, &h, slice, e);
  if (!err && finish(&h, p->digests))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  for (unsigned alg = 0; alg < HASH_ALG_COUNT; alg++)
    hash_release(&h.running[alg]);
  free(slice);
  return err;
}

/* SHA-256 is the journal's and the settlement's, whoever the provider is. */
static unsigned hashes(const struct engine *en)
{
  return HASH_BIT(HASH_SHA256) | en->provider->hashes | en->hashes;
}

enum err piece_hash(struct piece *p, const struct job *j, struct error *e)
{
  enum err err = check_source(p, e);
  return err ? err : hash_piece(p, j, hashes(j->engine), e);
}

const unsigned char *piece_digest(const struct piece *p, enum hash_alg alg)
{
  return p->digests[alg].present ? p->digests[alg].digest : NULL;
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
  enum err err = check_source(p, e);
  if (!err)
    err = hash_piece(p, j, hashes(j->engine), e);
  if (err == ERR_LOCAL && check_source(p, NULL))
    j->refusal.why = "source_changed";
  p->error = &j->error;
  args->body = (struct body){
      .present = true, .length = p->length, .read = read_body, .ctx = p};
  args->digests = p->digests;
  return err;
}

/* Each digest that both sides have. */
static bool differs(const struct piece *p, const struct op_result *r)
{
  bool other = false;
  for (unsigned alg = 0; alg < HASH_ALG_COUNT; alg++) {
    const unsigned char *ours = piece_digest(p, (enum hash_alg)alg);
    const struct checksum *told = &r->checksums[alg];
    if (ours && told->present)
      other |= memcmp(told->digest, ours, hash_len((enum hash_alg)alg)) != 0;
  }
  return other;
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
  else if (stored && differs(p, r))
    mismatch(j);
}
