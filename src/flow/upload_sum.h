/* SPDX-License-Identifier: MIT
 *
 * upload_sum - a side room of flow/upload: the checksum of an object, from
 * those of its parts, against what the server tells of it.
 *
 * Parts are hashed apart, and sent and stored in any order, by several runs
 * maybe.  A CRC of all comes from those of the parts; SHA-256 does not: of an
 * object in parts there is the SHA-256 of the parts' SHA-256s (providers.md
 * 2.6).
 */
#ifndef ANK_FLOW_UPLOAD_SUM_H
#define ANK_FLOW_UPLOAD_SUM_H

#include "flow/piece.h"
#include "flow/upload_end.h"

/* PART gets size and digests of P, which was hashed. */
void upload_sum_part(const struct engine *e, const struct piece *p,
                     struct upload_part *part);

/* Puts the whole object's checksum among DIGESTS, HASH_ALG_COUNT of them, when
 * one was chosen, or is told by the provider anyway, that comes from the
 * parts'. */
void upload_sum_whole(const struct engine *e, const struct upload_state *u,
                      struct checksum *digests);

/* Does R, an answer about the whole object, tell other checksums than those
 * among DIGESTS, or another one of the digests of U's parts? */
bool upload_sum_differs(const struct upload_state *u,
                        const struct checksum *digests,
                        const struct op_result *r);

/* How S->result came about: S tells the checksum that the server confirmed, or
 * the one that was signed: by a request (U is NULL), or by the parts of U.  One
 * that was chosen and is not confirmed makes a warning. */
void upload_sum_tell(struct engine *e, const struct upload_state *u,
                     const struct checksum *digests, struct summary *s);

#endif
