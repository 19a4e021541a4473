/* SPDX-License-Identifier: MIT
 *
 * upload_begin - a side room of flow/upload: what comes before the parts - the
 * plan, the creation.
 */
#ifndef ANK_FLOW_UPLOAD_BEGIN_H
#define ANK_FLOW_UPLOAD_BEGIN_H

#include "flow/upload_end.h"
#include "policy/plan.h"

/* How the object is cut.  ERR_LOCAL when it cannot be. */
enum err upload_plan(const struct engine *e, const struct put_wish *w,
                     const struct upload_source *source, struct plan *out,
                     struct error *err) __attribute__((warn_unused_result));

/* Sets S->end when it fails. */
void upload_create(struct engine *e, const struct put_wish *w,
                   struct upload_state *u, struct summary *s);

#endif
