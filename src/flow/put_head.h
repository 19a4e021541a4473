/* SPDX-License-Identifier: MIT
 *
 * put_head - a side room of flow/put: the first bytes of a stream.
 */
#ifndef ANK_FLOW_PUT_HEAD_H
#define ANK_FLOW_PUT_HEAD_H

#include "flow/upload.h"

/* Reads up to ROOM bytes of SOURCE's stream into its head, and whether there
 * are more: nothing is opened before it is known whether the bytes are few.  S->end
 * says how it went. */
void put_head_read(struct engine *e, const struct put_wish *w,
                   struct upload_source *source, uint64_t room,
                   struct summary *s);

#endif
