/* SPDX-License-Identifier: MIT
 *
 * checks - the checksums that an answer tells of an object, computed over its
 * bytes as they come in order, and compared at the end.
 *
 * Knows no request and no file; called by what reads objects.
 */
#ifndef ANK_FLOW_CHECKS_H
#define ANK_FLOW_CHECKS_H

#include "flow/summary.h"

struct checks {
  struct hash hashes[HASH_ALG_COUNT];
  struct checksum told[HASH_ALG_COUNT];
};

/* Begins anew with what R tells; true when it tells anything. */
bool checks_start(struct checks *c, const struct op_result *r);

/* Nothing is to be compared. */
void checks_none(struct checks *c);

enum err checks_update(struct checks *c, const char *data, size_t len)
    __attribute__((warn_unused_result));

/* False when a checksum is another one than was told.  What was verified goes
 * to S. */
bool checks_agree(struct checks *c, struct summary *s);

#endif
