/* SPDX-License-Identifier: MIT
 *
 * engine_loop - what the parts of flow/engine share: one run of the loop.
 */
#ifndef ANK_FLOW_ENGINE_LOOP_H
#define ANK_FLOW_ENGINE_LOOP_H

#include "flow/engine.h"

/* The run of one call of engine_run. */
struct loop {
  struct engine *e;
  struct job *jobs;
  size_t n;
  struct job aid; /* asks for the bucket's region on behalf of ASKING jobs */
  bool aiding;
  const struct engine_feed *feed; /* NULL: the jobs are all there */
  bool later;                     /* its bytes are waited for */
  bool closing;                   /* nothing new is begun */
};

/* Ends all jobs that are not at rest, and lets no new one begin. */
void engine_stop_all(struct loop *l, enum xport why, enum err end);

/* Hands the ended jobs to the feed, and fills the idle slots from it. */
void engine_take_feed(struct loop *l);

static inline bool engine_at_rest(const struct job *j)
{
  return j->state == JOB_DONE || j->state == JOB_IDLE;
}

#endif
