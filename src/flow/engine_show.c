/* SPDX-License-Identifier: MIT
 *
 * engine_show - see engine_show.h.
 */
#include "flow/engine_show.h"

#include "io/sys.h"

static struct progress_view view_of(const struct job *j)
{
  const struct engine *e = j->engine;
  return (struct progress_view){
      .key = e->target->key,
      .attempt = j->retry.retries + 1,
      .of = e->policy.retries < UINT64_MAX ? e->policy.retries + 1 : UINT64_MAX,
      .wait_ms = -1,
  };
}

void engine_show(struct job *j, struct now now)
{
  struct engine *e = j->engine;
  if ((j->state != JOB_FLYING && j->state != JOB_WAITING) || !e->progress ||
      !e->progress->on)
    return;
  struct progress_view v = view_of(j);
  if (j->hooks && j->hooks->progress)
    j->hooks->progress(j, &v);
  if (j->state == JOB_WAITING) {
    v.wait_ms = retry_left(j->wake_mono_ms, now);
    v.why = j->wait_why ? j->wait_why : j->last_error.msg;
  }
  progress_show(e->progress, &v, now);
}

void engine_show_work(const struct job *j, const char *doing, uint64_t done,
                      uint64_t total)
{
  const struct engine *e = j->engine;
  struct progress_view v = view_of(j);
  if (!e->progress || !e->progress->on)
    return;
  v.doing = doing;
  v.done = done;
  v.total = total;
  v.has_total = total != UINT64_MAX;
  progress_show(e->progress, &v, sys_now());
}
