/* SPDX-License-Identifier: MIT
 *
 * attempt - one attempt of a job: made, started, timed, ended and told.
 *
 * The engine's hands; it decides nothing about what comes next.
 */
#ifndef ANK_FLOW_ATTEMPT_H
#define ANK_FLOW_ATTEMPT_H

#include "flow/job.h"

/* What an ended attempt amounts to. */
struct attempt_end {
  struct outcome outcome;
  struct judgement judgement;
  struct retry_after after;
};

/* Asks the job, builds and signs; leaves j->request ready. */
enum err attempt_prepare(struct job *j, struct error *e)
    __attribute__((warn_unused_result));

/* Sends j->request. */
enum err attempt_start(struct job *j, struct now now, struct error *e)
    __attribute__((warn_unused_result));

/* XPORT_OK, or the limit that has run out. */
enum xport attempt_overdue(struct job *j, struct now now);

/* When attempt_overdue should be asked again; RETRY_NEVER = no limit. */
int64_t attempt_next_ms(struct job *j, struct now now);

/* Reads and judges the ended call.  STOPPED: XPORT_OK, or why it was ended by
 * us. */
struct attempt_end attempt_finish(struct job *j, enum xport stopped,
                                  struct now now);

/* Writes the attempt's line. */
void attempt_tell(struct job *j, const struct attempt_end *end,
                  const char *next, int64_t wait_ms, const char *why,
                  struct now now);

/* Releases what one attempt held. */
void attempt_release(struct job *j);

#endif
