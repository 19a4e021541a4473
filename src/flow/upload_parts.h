/* SPDX-License-Identifier: MIT
 *
 * upload_parts - a side room of flow/upload: which of an upload's parts the
 * server has, and whether they are the file's.
 */
#ifndef ANK_FLOW_UPLOAD_PARTS_H
#define ANK_FLOW_UPLOAD_PARTS_H

#include "flow/upload_end.h"
#include "policy/plan.h"

/* Takes out of U each part that the server does not list with the same ETag
 * and the size that PLAN has for it.  ERR_OK, or how asking failed, with *S
 * filled. */
enum err upload_parts_listed(struct engine *e, const struct plan *plan,
                             struct upload_state *u, struct summary *s)
    __attribute__((warn_unused_result));

/* Takes out of U each part whose bytes in SOURCE have another SHA-256.  *BYTES:
 * how many those have that stay. */
enum err upload_parts_same(struct engine *e, const struct plan *plan,
                           struct upload_source *source, struct upload_state *u,
                           uint64_t *bytes, struct error *err)
    __attribute__((warn_unused_result));

/* Does U have all parts of PLAN? */
bool upload_parts_whole(const struct plan *plan, const struct upload_state *u);

#endif
