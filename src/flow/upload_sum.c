/* SPDX-License-Identifier: MIT
 *
 * upload_sum - see upload_sum.h.
 */
#include "flow/upload_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/sys.h"

/* What was chosen, or what the provider tells anyway. */
static bool find_alg(const struct engine *e, enum hash_alg *out)
{
  const struct object_options *o = e->options;
  int alg = 0;
  while (alg < HASH_ALG_COUNT && !(e->provider->told_whole & HASH_BIT(alg)))
    alg++;
  if (o->has_checksum)
    *out = o->checksum;
  else if (alg < HASH_ALG_COUNT)
    *out = (enum hash_alg)alg;
  else
    return false;
  return true;
}

void upload_sum_part(const struct engine *e, const struct piece *p,
                     struct upload_part *part)
{
  enum hash_alg alg;
  part->size = p->length;
  memcpy(part->sha256, p->digests[HASH_SHA256].digest, sizeof part->sha256);
  part->md5 = p->digests[HASH_MD5];
  part->checksum = find_alg(e, &alg) ? p->digests[alg] : (struct checksum){0};
}

/* The CRC of nothing is 0, so that it may stand before the first part. */
void upload_sum_whole(const struct engine *e, const struct upload_state *u,
                      struct checksum *digests)
{
  enum hash_alg alg;
  struct checksum whole = {.present = true};
  if (!find_alg(e, &alg) || !hash_combines(alg))
    return;
  for (size_t i = 0; i < u->n; i++) {
    const struct upload_part *p = &u->parts[i];
    whole.present &= p->checksum.present;
    hash_combine(alg, whole.digest, p->checksum.digest, p->size);
  }
  digests[alg] = whole;
}

static const unsigned char *digest_of(const struct upload_part *p,
                                      enum hash_alg alg)
{
  return alg == HASH_SHA256                  ? p->sha256
         : alg == HASH_MD5 && p->md5.present ? p->md5.digest
                                             : NULL;
}

/* Of the parts' digests, where all of them are known. */
static bool composite(const struct upload_state *u, enum hash_alg alg,
                      unsigned char out[HASH_MAX_LEN])
{
  struct hash h = {0};
  bool ok = u->n > 0 && hash_start(&h, alg) == ERR_OK;
  for (size_t i = 0; i < u->n && ok; i++) {
    const unsigned char *digest = digest_of(&u->parts[i], alg);
    ok = digest && !hash_update(&h, digest, hash_len(alg));
  }
  ok = ok && hash_final(&h, out) == ERR_OK;
  hash_release(&h);
  return ok;
}

bool upload_sum_differs(const struct upload_state *u,
                        const struct checksum *digests,
                        const struct op_result *r)
{
  unsigned char own[HASH_MAX_LEN];
  bool other = false;
  for (int alg = 0; alg < HASH_ALG_COUNT; alg++)
    if (digests[alg].present && r->checksums[alg].present)
      other |= memcmp(digests[alg].digest, r->checksums[alg].digest,
                      hash_len((enum hash_alg)alg)) != 0;
  if (r->composite.present && composite(u, r->composite.alg, own))
    other |= r->composite.parts != u->n ||
             memcmp(own, r->composite.digest, hash_len(r->composite.alg)) != 0;
  return other;
}

/* ---- what is told ---- */

/* Whatever was told differently has failed by now. */
static bool is_confirmed(const struct object_options *o,
                         const struct checksum *digests,
                         const struct op_result *r)
{
  return (r->checksums[o->checksum].present && digests[o->checksum].present) ||
         (r->composite.present && r->composite.alg == o->checksum);
}

static void warn(struct engine *e)
{
  char text[120];
  (void)snprintf(text, sizeof text,
                 "the store's answer does not confirm --checksum %s",
                 hash_name(e->options->checksum));
  report_warning(e->report, sys_now().wall_ms, "checksum_unconfirmed", NULL,
                 text);
}

static void tell_composite(const struct upload_state *u, struct summary *s)
{
  unsigned char digest[HASH_MAX_LEN];
  if (!composite(u, HASH_SHA256, digest))
    return;
  summary_checksum(s, HASH_SHA256, digest);
  size_t len = strlen(s->checksum);
  (void)snprintf(s->checksum + len, sizeof s->checksum - len, "-%zu", u->n);
}

void upload_sum_tell(struct engine *e, const struct upload_state *u,
                     const struct checksum *digests, struct summary *s)
{
  const struct object_options *o = e->options;
  bool confirmed = s->end == ERR_OK && o->has_checksum &&
                   is_confirmed(o, digests, &s->result);
  if (confirmed && digests[o->checksum].present)
    summary_checksum(s, o->checksum, digests[o->checksum].digest);
  else if (digests[HASH_SHA256].present)
    summary_checksum(s, HASH_SHA256, digests[HASH_SHA256].digest);
  else if (u)
    tell_composite(u, s);
  if (s->end == ERR_OK && o->has_checksum && !confirmed && !s->settled &&
      !s->dry_run)
    warn(e);
}
