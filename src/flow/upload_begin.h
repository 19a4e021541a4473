/* SPDX-License-Identifier: MIT
 *
 * upload_begin - a side room of flow/upload: how it comes to its id.
 */
#ifndef ANK_FLOW_UPLOAD_BEGIN_H
#define ANK_FLOW_UPLOAD_BEGIN_H

#include "flow/upload_end.h"

/* Sets S->end when it fails. */
void upload_create(struct engine *e, const struct put_wish *w,
                   struct upload_state *u, struct summary *s);

#endif
