/* SPDX-License-Identifier: MIT
 *
 * admission - may this job's next attempt start, wait, or not be made at all?
 *
 * What the guard answers is weighed against the run's patience (policy.md 5):
 * before the run's first request --breaker-wait, after it a minute in all,
 * both within the deadline; a hold-off is waited for by the rules of a
 * Retry-After.
 */
#ifndef ANK_FLOW_ADMISSION_H
#define ANK_FLOW_ADMISSION_H

#include "flow/job.h"

enum admission {
  ADMISSION_GO = 0,
  ADMISSION_WAIT, /* j->wake_mono_ms is set, the `wait` line written */
  ADMISSION_END   /* j->end, j->error and j->why say how */
};

/* Before the attempt is prepared, which may take long. */
enum admission admission_ask(struct job *j, struct now now);

/* Right before it is sent; may make it the breaker's probe. */
enum admission admission_enter(struct job *j, struct now now);

#endif
