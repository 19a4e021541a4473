/* SPDX-License-Identifier: MIT
 *
 * upload_plan - a side room of flow/upload: how an object is cut at this store,
 * by the provider's limits and what is known of the store (cloud/quirk).
 */
#ifndef ANK_FLOW_UPLOAD_PLAN_H
#define ANK_FLOW_UPLOAD_PLAN_H

#include "flow/upload.h"
#include "policy/plan.h"

/* ERR_LOCAL or ERR_USAGE when it cannot be cut. */
enum err upload_plan(const struct engine *e, const struct put_wish *w,
                     const struct upload_source *source, struct plan *out,
                     struct error *err) __attribute__((warn_unused_result));

/* Warns when half of the parts of a stream are used up with NUMBER. */
void upload_plan_warn(const struct engine *e, const struct plan *plan,
                      unsigned number);

/* Does the store take uploads in parts?  A signed URL is one request, but for
 * a SAS. */
bool upload_plan_parts(const struct engine *e);

#endif
