/* SPDX-License-Identifier: MIT
 *
 * upload_ours - a side room of flow/upload: what an upload means to store, for
 * flow/settle to compare with what is there.
 */
#ifndef ANK_FLOW_UPLOAD_OURS_H
#define ANK_FLOW_UPLOAD_OURS_H

#include "flow/settle.h"
#include "flow/upload.h"

/* Borrows both. */
struct upload_ours {
  const struct put_wish *wish;
  struct upload_source *source;
};

/* SIZE bytes of OURS, under NONCE.  What is not known of a file's digests is
 * hashed when it decides: all of it, or part by part as the wish would have it
 * cut.  The answer borrows OURS. */
struct settle_ours upload_ours(struct upload_ours *ours, const char *nonce,
                               uint64_t size);

#endif
