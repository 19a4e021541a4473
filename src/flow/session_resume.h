/* SPDX-License-Identifier: MIT
 *
 * session_resume - a side room of flow/session: a session that a later run may
 * continue.
 *
 * Its journal has the CRC-32C of the file's bytes up to the end of each chunk,
 * noted before that was sent.  What the server has is kept when the file's
 * bytes, read again up to there, have the same one.  Who has the session's id
 * may write: the journal is its user's alone, and gone with the session.
 * All of it does nothing unless the wish says `resume`.
 */
#ifndef ANK_FLOW_SESSION_RESUME_H
#define ANK_FLOW_SESSION_RESUME_H

#include "flow/session_end.h"

/* Opens the journal and goes on with the session that it has: then U has its
 * id, where it is, and the nonce that it began with; U->done when the object
 * was made.  S->end is set when another run holds the journal, or when asking
 * failed and may be done later. */
void session_resume_open(struct session *u);

/* U's session was begun. */
void session_resume_begun(struct session *u);

/* The next chunk is about to be sent: U->crc is of all before U->end. */
void session_resume_note(struct session *u);

/* Is U's session left for a later run? */
bool session_resume_keeps(const struct session *u);

/* Takes the journal away, unless it is KEPT. */
void session_resume_close(struct session *u, bool kept);

#endif
