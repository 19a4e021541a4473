/* SPDX-License-Identifier: MIT
 *
 * upload_drop - a side room of flow/upload: the parts of an upload that is not
 * to be completed.
 */
#ifndef ANK_FLOW_UPLOAD_DROP_H
#define ANK_FLOW_UPLOAD_DROP_H

#include "flow/upload_end.h"

/* Drops the parts by the policy, for a user who asks for it; with DRY_RUN only
 * the URL is told. */
void upload_drop(struct engine *e, struct upload_state *u, bool dry_run,
                 struct summary *s);

/* Drops the parts: one attempt of two seconds, whatever else is the matter.
 * S tells of an upload that is left. */
void upload_abort(struct engine *e, struct upload_state *u, struct summary *s);

#endif
