/* SPDX-License-Identifier: MIT
 *
 * put_spool - a side room of flow/put: a stream that must go in one request,
 * and that memory need not hold.
 *
 * Where parts take no condition and keys sign no session (Google's HMAC keys),
 * all of it is kept on disk first: its length and digests are said before its
 * first byte, and another attempt reads it again.
 */
#ifndef ANK_FLOW_PUT_SPOOL_H
#define ANK_FLOW_PUT_SPOOL_H

#include "flow/piece.h"
#include "flow/upload.h"
#include "io/spool.h"

/* Does a stream that is longer than its first bytes go this way? */
bool put_spool_needed(const struct engine *e);

/* Opens S where W says if more than ROOM bytes are expected.  ERR_LOCAL when
 * they do not fit there. */
enum err put_spool_expect(struct spool *s, const struct put_wish *w,
                          uint64_t room, struct error *e)
    __attribute__((warn_unused_result));

/* Reads SOURCE's stream to its end into S, opened if it is not, and checks that
 * it ended well and is what was promised: then FILE and WHOLE are all of it,
 * and SOURCE has its digests.  SUM->end says how it went. */
void put_spool_fill(struct spool *s, struct engine *e, const struct put_wish *w,
                    struct upload_source *source, struct file_source *file,
                    struct piece *whole, struct summary *sum);

#endif
