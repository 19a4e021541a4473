/* SPDX-License-Identifier: MIT
 *
 * session - a large object under a condition, where uploads in parts take none:
 * in chunks, one after the other, to a session of the server's:
 *
 *   BEGIN --id--> MOVING --all bytes--> DONE
 *     ^             |  ^
 *     |             +--+ failure: how far is it?, and on from there
 *     +--the session was lost, and the source can be read again--+
 *
 *   any --failure, signal, deadline--> CANCEL --> FAILED
 *
 * The server says how much it has; that, and never what was sent, is where the
 * next chunk begins.
 */
#ifndef ANK_FLOW_SESSION_H
#define ANK_FLOW_SESSION_H

#include "flow/upload.h"

/* Is a large object to be stored under a condition that parts do not take?
 * May who asks begin a session?  Not with keys that sign. */
bool session_needed(const struct engine *e);
bool session_allowed(const struct engine *e);

/* Bytes of a chunk, a multiple of the provider's unit; of a stream they are
 * held in memory. */
uint64_t session_chunk(const struct engine *e, const struct put_wish *w);

/* Stores it; S is filled as put_object does.  Takes SOURCE's head, of at
 * most a chunk. */
void session_run(struct engine *e, const struct put_wish *w,
                 struct upload_source *source, struct summary *s);

#endif
