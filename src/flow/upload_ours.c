/* SPDX-License-Identifier: MIT
 *
 * upload_ours - see upload_ours.h.
 */
#include "flow/upload_ours.h"

#include <string.h>

#include "flow/piece.h"
#include "flow/upload_plan.h"

static bool hash_file(void *ctx, struct engine *e, struct checksum *out)
{
  const struct upload_ours *ours = ctx;
  const struct upload_source *src = ours->source;
  struct piece p = {.file = src->file,
                    .offset = src->offset,
                    .length = src->size,
                    .doing = "hashing"};
  struct job j = {.engine = e};
  if (piece_hash(&p, &j, &j.error))
    return false;
  memcpy(out, p.digests, sizeof p.digests);
  return true;
}

/* Of the digests of the parts that PLAN makes, into H. */
static bool hash_parts(const struct upload_source *src, struct engine *e,
                       const struct plan *plan, enum hash_alg alg,
                       struct hash *h)
{
  struct job j = {.engine = e};
  bool ok = true;
  for (unsigned n = 1; n <= plan_count(plan) && ok; n++) {
    struct piece p = {.file = src->file, .doing = "hashing"};
    plan_part(plan, n, &p.offset, &p.length);
    p.offset += src->offset;
    ok = !piece_hash(&p, &j, &j.error) && piece_digest(&p, alg) &&
         !hash_update(h, piece_digest(&p, alg), hash_len(alg));
  }
  return ok;
}

/* Whoever cut the same bytes elsewhere has another digest: then nothing is
 * known. */
static bool is_cut_alike(void *ctx, struct engine *e, const struct composite *c)
{
  const struct upload_ours *ours = ctx;
  unsigned kept = e->hashes;
  unsigned char own[HASH_MAX_LEN];
  struct plan plan;
  struct error ignored = {0};
  struct hash h = {0};
  if (upload_plan(e, ours->wish, ours->source, &plan, &ignored) ||
      plan_count(&plan) != c->parts || hash_start(&h, c->alg))
    return false;
  e->hashes |= HASH_BIT(c->alg);
  bool same = hash_parts(ours->source, e, &plan, c->alg, &h) &&
              !hash_final(&h, own) &&
              memcmp(own, c->digest, hash_len(c->alg)) == 0;
  e->hashes = kept;
  hash_release(&h);
  return same;
}

struct settle_ours upload_ours(struct upload_ours *ours, const char *nonce,
                               uint64_t size)
{
  const struct upload_source *src = ours->source;
  return (struct settle_ours){.nonce = nonce,
                              .size = size,
                              .digests = src->digests,
                              .hash = src->file ? hash_file : NULL,
                              .is_cut_alike = src->file ? is_cut_alike : NULL,
                              .ctx = ours};
}
