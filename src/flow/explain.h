/* SPDX-License-Identifier: MIT
 *
 * explain - what a run is about to do, for a person (--explain): as whom, by
 * which policy, and for each attempt what is signed.
 *
 * Goes to engine.explain; nothing is told when that is NULL.
 */
#ifndef ANK_FLOW_EXPLAIN_H
#define ANK_FLOW_EXPLAIN_H

#include "flow/job.h"

/* Once, when the engine is set up. */
void explain_run(const struct engine *e, struct now now);

/* J->request has been built and signed. */
void explain_attempt(const struct job *j);

#endif
