/* SPDX-License-Identifier: MIT
 *
 * engine_feed - a side room of flow/engine: a run whose jobs are not known at
 * its start.
 */
#include "flow/engine_loop.h"

static void end_fed(struct loop *l, struct job *j)
{
  bool go_on = l->feed->done(l->feed->ctx, j);
  job_release(j);
  *j = (struct job){.state = JOB_IDLE};
  if (!go_on && !l->closing)
    engine_stop_all(l, XPORT_CANCELLED, ERR_INTERRUPTED);
}

static void begin_fed(struct loop *l, struct job *j)
{
  switch (l->feed->next(l->feed->ctx, j)) {
  case FEED_NONE:
    break;
  case FEED_JOB:
    j->engine = l->e;
    j->state = JOB_READY;
    break;
  case FEED_LATER:
    l->later = true;
    break;
  case FEED_STOP:
    engine_stop_all(l, XPORT_CANCELLED, ERR_INTERRUPTED);
    break;
  }
}

/* While bytes are waited for no job may notice that time is up. */
static void watch_feed(struct loop *l)
{
  struct error e = {0};
  enum err late = engine_tick(l->e, &e);
  if (late && !l->closing)
    engine_stop_all(
        l, late == ERR_DEADLINE ? XPORT_DEADLINE : XPORT_INTERRUPTED, late);
}

void engine_take_feed(struct loop *l)
{
  l->later = false;
  if (!l->feed)
    return;
  watch_feed(l);
  if (l->feed->look)
    l->feed->look(l->feed->ctx);
  for (size_t i = 0; i < l->n; i++)
    if (l->jobs[i].state == JOB_DONE)
      end_fed(l, &l->jobs[i]);
  for (size_t i = 0; i < l->n && !l->closing && !l->later; i++)
    if (l->jobs[i].state == JOB_IDLE)
      begin_fed(l, &l->jobs[i]);
}
