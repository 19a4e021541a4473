/* SPDX-License-Identifier: MIT
 *
 * engine_end - a side room of flow/engine: what the end of an attempt leads
 * to - done, again at once, again later - and who is told.
 */
#ifndef ANK_FLOW_ENGINE_END_H
#define ANK_FLOW_ENGINE_END_H

#include "flow/attempt.h"

/* The attempt's transfer is over; STOPPED: XPORT_OK, or why we ended it. */
void engine_finish(struct job *j, enum xport stopped);

void engine_end_job(struct job *j, enum err end, const char *why);

/* END: NULL when nothing was sent after all.  RETRIED: why it is tried again,
 * VERDICT_OK when not. */
void engine_tell_guard(struct job *j, const struct attempt_end *end,
                       enum verdict retried, struct now now);

/* J had its credentials refused, and there are no others. */
void engine_end_refused(struct job *j);

/* J wants credentials, and there are none. */
void engine_end_wanting(struct job *j);

/* J asked for its bucket's region by AID, which was not told. */
void engine_end_asker(struct job *j, const struct job *aid);

#endif
