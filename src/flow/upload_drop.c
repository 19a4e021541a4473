/* SPDX-License-Identifier: MIT
 *
 * upload_drop - see upload_drop.h.
 */
#include "flow/upload_drop.h"

#include <stdio.h>

enum { ABORT_MS = 2000 };

static enum err prepare_abort(struct job *j, struct op_args *args,
                              struct error *e)
{
  const struct upload_state *u = j->ctx;
  (void)e;
  args->upload_id = u->id;
  return ERR_OK;
}

static const struct job_hooks abort_hooks = {.prepare = prepare_abort};

static void drop(struct engine *e, struct job *j, struct summary *s)
{
  engine_run(e, j, 1);
  if (summary_of_job(s, j))
    s->end = ERR_INTERNAL;
  s->has_aborted = true;
  s->aborted = j->end == ERR_OK;
}

void upload_drop(struct engine *e, struct upload_state *u, bool dry_run,
                 struct summary *s)
{
  struct job j = {
      .op = OP_ABORT, .hooks = &abort_hooks, .ctx = u, .sink_fd = -1};
  if (e->provider->no_abort) {
    s->end = err_set(&s->error, ERR_USAGE,
                     "--abort-upload: parts of %s that were not completed "
                     "vanish by themselves",
                     e->provider->name);
    return;
  }
  if (dry_run)
    summary_dry_run(s, e, &j);
  else
    drop(e, &j, s);
  job_release(&j);
}

static void tell_left(const struct upload_state *u, struct summary *s)
{
  s->has_aborted = true;
  (void)snprintf(s->upload_id, sizeof s->upload_id, "%s", u->id);
}

void upload_abort(struct engine *e, struct upload_state *u, struct summary *s)
{
  if (u->done)
    return;
  if (u->keep || e->provider->no_abort) {
    tell_left(u, s);
    return;
  }
  struct job j = {
      .op = OP_ABORT, .hooks = &abort_hooks, .ctx = u, .sink_fd = -1};
  engine_run_last(e, &j, ABORT_MS);
  s->has_aborted = true;
  s->aborted = j.end == ERR_OK;
  if (!s->aborted)
    tell_left(u, s);
  job_release(&j);
}
