/* SPDX-License-Identifier: MIT
 *
 * engine - the one loop: every request of every program goes through here.
 *
 * For each attempt of each job: build, sign afresh, send, watch the clock,
 * read, judge, tell the report, then stop, mend or wait as policy.md says.
 * Serial and parallel jobs share it.
 */
#ifndef ANK_FLOW_ENGINE_H
#define ANK_FLOW_ENGINE_H

#include "flow/job.h"

/* Runs the jobs to their ends; each job's `end` says how. */
void engine_run(struct engine *e, struct job *jobs, size_t n);

/* ERR_DEADLINE or ERR_INTERRUPTED when work should stop now. */
enum err engine_tick(const struct engine *e, struct error *err)
    __attribute__((warn_unused_result));

/* Builds and signs what J would send now, without sending it. */
enum err engine_dry_run(struct engine *e, struct job *j, struct error *err)
    __attribute__((warn_unused_result));

void job_release(struct job *j);
void engine_release(struct engine *e);

#endif
