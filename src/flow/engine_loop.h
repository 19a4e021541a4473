/* SPDX-License-Identifier: MIT
 *
 * engine_loop - what the parts of flow/engine share: one run of the loop.
 */
#ifndef ANK_FLOW_ENGINE_LOOP_H
#define ANK_FLOW_ENGINE_LOOP_H

#include "flow/engine.h"

/* Jobs on behalf of those that wait for what they find out. */
enum loop_aid {
  AID_REGION, /* where the bucket is */
  AID_TOKEN,  /* credentials */
  AID_COUNT
};

/* The run of one call of engine_run. */
struct loop {
  struct engine *e;
  struct job *jobs;
  size_t n;
  struct job aids[AID_COUNT];     /* IDLE while there is nothing to find out */
  const struct engine_feed *feed; /* NULL: the jobs are all there */
  bool later;                     /* its bytes are waited for */
  bool closing;                   /* nothing new is begun */
};

/* Ends all jobs that are not at rest, and lets no new one begin. */
void engine_stop_all(struct loop *l, enum xport why, enum err end);

/* Hands the ended jobs to the feed, and fills the idle slots from it. */
void engine_take_feed(struct loop *l);

/* All jobs of the run, the aids last. */
static inline size_t engine_count(const struct loop *l)
{
  return l->n + AID_COUNT;
}

static inline struct job *engine_nth(struct loop *l, size_t i)
{
  return i < l->n ? &l->jobs[i] : &l->aids[i - l->n];
}

/* Sets aids to work for those that wait.  True when there is something new to
 * be seen to. */
bool engine_begin_aids(struct loop *l);

/* Hands what aids have found to those that wait.  True as above. */
bool engine_end_aids(struct loop *l);

static inline bool engine_at_rest(const struct job *j)
{
  return j->state == JOB_DONE || j->state == JOB_IDLE;
}

#endif
