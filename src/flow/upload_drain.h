/* SPDX-License-Identifier: MIT
 *
 * upload_drain - a side room of flow/upload: waiting for a stream, and reading
 * it to its end only to know what it is.
 */
#ifndef ANK_FLOW_UPLOAD_DRAIN_H
#define ANK_FLOW_UPLOAD_DRAIN_H

#include "flow/settle.h"
#include "flow/upload.h"

/* Until there is something to read of the stream ST, in short waits.  A command
 * that has failed ends it, though what it left behind holds the pipe open: then
 * S->why is set, too. */
enum err upload_await(struct engine *e, struct stream *st, struct summary *s)
    __attribute__((warn_unused_result));

/* Has not all of the stream been read, so that only reading on tells whether it
 * is what is there? */
bool upload_must_drain(const struct upload_source *source);

/* With no_clobber, when something is there already and S->end is ERR_EXISTS:
 * nothing will be sent, so the stream is read on as far as it takes to compare.
 * S->settled says that it is the same object, S->why, if not, what it is.
 * SETTLE_ABSENT and SETTLE_FAILED: nothing was read. */
enum settle upload_settle_stream(struct engine *e, const struct put_wish *w,
                                 struct upload_source *source,
                                 struct summary *s);

#endif
