/* SPDX-License-Identifier: MIT
 *
 * checks - see checks.h.
 */
#include "flow/checks.h"

#include <string.h>

void checks_none(struct checks *c)
{
  for (int a = 0; a < HASH_ALG_COUNT; a++)
    hash_release(&c->hashes[a]);
}

bool checks_start(struct checks *c, const struct op_result *r)
{
  bool any = false;
  checks_none(c);
  memcpy(c->told, r->checksums, sizeof c->told);
  for (int a = 0; a < HASH_ALG_COUNT; a++) {
    struct hash *h = &c->hashes[a];
    if (c->told[a].present && hash_start(h, (enum hash_alg)a))
      hash_release(h);
    any = any || h->started;
  }
  return any;
}

enum err checks_update(struct checks *c, const char *data, size_t len)
{
  enum err err = ERR_OK;
  for (int a = 0; a < HASH_ALG_COUNT && !err; a++)
    if (c->hashes[a].started)
      err = hash_update(&c->hashes[a], data, len);
  return err;
}

bool checks_agree(struct checks *c, struct summary *s)
{
  unsigned char digest[HASH_MAX_LEN];
  bool agree = true;
  for (int a = 0; a < HASH_ALG_COUNT; a++) {
    enum hash_alg alg = (enum hash_alg)a;
    if (!c->hashes[a].started)
      continue;
    if (hash_final(&c->hashes[a], digest) ||
        memcmp(digest, c->told[a].digest, hash_len(alg)) != 0)
      agree = false;
    else
      summary_checksum(s, alg, digest);
  }
  return agree;
}
