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

enum feed {
  FEED_NONE = 0, /* there is nothing more */
  FEED_JOB,      /* the slot has a job now */
  FEED_LATER,    /* its bytes, or room for them, have not come yet */
  FEED_STOP      /* nor will there be: the others are stopped */
};

/* Where the jobs of a run come from that are not known at its start. */
struct engine_feed {
  /* Fills an idle slot; what it held was released. */
  enum feed (*next)(void *ctx, struct job *slot);
  /* A job has ended.  False stops the others. */
  bool (*done)(void *ctx, struct job *slot);
  /* Asked at each turn, before all else: it may engine_drop.  May be NULL. */
  void (*look)(void *ctx);
  int64_t look_ms; /* a turn comes at least so often; 0 = when there is work */
  /* Where room is waited for, by no job; -1 = nowhere.  May be NULL. */
  int (*full)(void *ctx);
  int fd; /* to be read from while it is FEED_LATER; -1 = nothing */
  void *ctx;
};

/* Runs what FEED has, at most N jobs at a time, until there is nothing more or
 * something stops it; SLOTS are zeroed. */
void engine_run_fed(struct engine *e, struct job *slots, size_t n,
                    const struct engine_feed *feed);

/* Ends J of a run that is fed, whatever it does; its feed's `done` is told. */
void engine_drop(struct job *j);

/* Waits until FD can be read, MS at most.  ERR_DEADLINE, ERR_INTERRUPTED. */
enum err engine_await(struct engine *e, int fd, int64_t ms, struct error *err)
    __attribute__((warn_unused_result));

/* The same until FD can be written to. */
enum err engine_await_room(struct engine *e, int fd, struct error *err)
    __attribute__((warn_unused_result));

/* Runs J after all else: one attempt of at most MS, whatever the deadline, the
 * breaker and a first signal say. */
void engine_run_last(struct engine *e, struct job *j, int64_t ms);

/* ERR_DEADLINE or ERR_INTERRUPTED when work should stop now. */
enum err engine_tick(const struct engine *e, struct error *err)
    __attribute__((warn_unused_result));

/* Builds and signs what J would send now, without sending it. */
enum err engine_dry_run(struct engine *e, struct job *j, struct error *err)
    __attribute__((warn_unused_result));

void job_release(struct job *j);
void engine_release(struct engine *e);

#endif
