/* SPDX-License-Identifier: MIT
 *
 * files - see files.h.
 */
#include "cli/files.h"

#include "cli/config_operands.h"
#include "io/sys.h"

/* What the file alone has cost: the engine counts for the run. */
static struct engine since(const struct engine *e, const struct engine *before,
                           struct now begun)
{
  struct engine own = *e;
  own.attempts -= before->attempts;
  own.retries -= before->retries;
  own.repairs -= before->repairs;
  own.waited_ms -= before->waited_ms;
  own.start_mono_ms = begun.mono_ms;
  return own;
}

static void add_up(struct summary *all, const struct summary *one)
{
  if (one->has_bytes) {
    all->has_bytes = true;
    all->bytes += one->bytes;
  }
  if (!err_outranks(one->end, all->end))
    return;
  all->end = one->end;
  all->why = one->why;
  all->error = one->error;
  all->throttled = one->throttled;
  all->throttled_s = one->throttled_s;
  all->open_left_ms = one->open_left_ms;
}

static void put_one(struct engine *e, const struct config *c, const char *path,
                    files_fn *told, void *ctx, struct summary *all)
{
  struct summary s = {.file = path};
  struct put_wish wish = c->put;
  struct target target = {.scheme = NULL};
  struct engine before = *e;
  struct now begun = sys_now();
  wish.path = path;
  s.end = target_below(&target, &c->target, path, &s.error);
  if (s.end == ERR_OK)
    s.end = config_check_key(&target, e->provider, &s.error);
  e->target = &target;
  if (s.end == ERR_OK)
    put_object(e, &wish, &s);
  struct engine own = since(e, &before, begun);
  told(ctx, &s, &own);
  add_up(all, &s);
  e->target = &c->target;
  target_release(&target);
  summary_release(&s);
}

void files_put(struct engine *e, const struct config *c, files_fn *told,
               void *ctx, struct summary *all)
{
  for (int i = 0; i < c->n_files && all->end != ERR_INTERRUPTED; i++)
    put_one(e, c, c->files[i], told, ctx, all);
}
