/* SPDX-License-Identifier: MIT
 *
 * get - see get.h.
 */
#include "flow/get.h"

#include <string.h>

#include "flow/facts.h"
#include "flow/get_read.h"
#include "io/file_part.h"
#include "io/sys.h"

static void tell_closed(struct summary *s)
{
  if (s->error.code == ERR_INTERRUPTED && !sys_interrupted())
    s->why = "stdout_closed";
}

static void ended(struct job *j)
{
  struct get *g = j->ctx;
  struct summary *s = g->summary;
  if (summary_of_job(s, j))
    s->end = ERR_INTERNAL;
  if (s->end == ERR_OK)
    s->why = NULL;
  tell_closed(s);
}

static const struct ranges_owner owner = {.hooks = &get_read_hooks,
                                          .changed = get_read_changed,
                                          .finish = get_read_finish,
                                          .hash = get_read_hash,
                                          .ended = ended};

/* As if a transfer of this run had been cut there. */
static enum err take_up(struct get *g, struct error *e)
{
  struct get_kept *k = &g->kept;
  struct op_result first;
  *k = (struct get_kept){.engine = g->engine, .sink = &g->sink};
  if (!get_kept_find(k, &first) ||
      !facts_has_checksum(g->engine, &first, NULL)) {
    get_kept_forget(k);
    return file_sink_rewind(&g->sink, e);
  }
  validator_keep(&g->validator, &first);
  g->state = GET_MOVING;
  g->whole_object = true;
  g->has_end = first.has_size;
  g->end = first.size;
  g->reached = g->ranges.got = g->ranges.most = k->reached;
  ranges_split(&g->ranges, 0, g->has_end ? g->end : UINT64_MAX);
  (void)checks_start(&g->checks, &first);
  g->job.engine = g->engine;
  enum err err = file_part_go_on(&g->sink, k->reached, e);
  if (!err)
    err = get_kept_reread(k, &g->job, &g->checks, e);
  g->summary->has_resumed = !err;
  g->summary->resumed_from = k->reached;
  return err;
}

static void run_alone(struct get *g)
{
  engine_run(g->engine, &g->job, 1);
  if (g->stale) {
    struct job fresh = {.op = g->job.op,
                        .kind = g->job.kind,
                        .hooks = g->job.hooks,
                        .ctx = g,
                        .sink_fd = g->job.sink_fd};
    job_release(&g->job);
    g->job = fresh;
    g->stale = false;
    engine_run(g->engine, &g->job, 1);
  }
  ended(&g->job);
}

/* Before anything is split. */
static void set_up_ranges(struct get *g)
{
  g->ranges.engine = g->engine;
  g->ranges.wish = g->wish.ranges;
  g->ranges.owner = owner;
  g->ranges.sink = &g->sink;
  g->ranges.validator = &g->validator;
  g->ranges.reached = &g->reached;
}

/* What a later run may go on with comes in order, by one request. */
static void run(struct get *g)
{
  struct summary *s = g->summary;
  bool alone = g->wish.resume || g->wish.ranges.parallel <= 1;
  if (alone) {
    run_alone(g);
    return;
  }
  enum err err = ranges_run(&g->ranges, &s->error);
  if (err) {
    s->end = err;
    s->why = NULL;
    tell_closed(s);
  }
}

static void conclude(struct get *g)
{
  struct summary *s = g->summary;
  if (s->end == ERR_OK)
    s->end = file_sink_commit(&g->sink, &s->error);
  if (s->end == ERR_OK) {
    s->has_bytes = true;
    s->bytes = (g->has_end ? g->end : g->reached) - g->begin;
  } else {
    s->checksum[0] = '\0';
    get_kept_leave(&g->kept);
  }
}

static void fetch(struct get *g)
{
  struct summary *s = g->summary;
  const struct get_wish *w = &g->wish;
  s->end = ranges_check(&w->ranges, &s->error);
  if (!s->end)
    s->end = w->resume ? file_sink_open_kept(&g->sink, w->output,
                                             w->create_dirs, &s->error)
                       : file_sink_open(&g->sink, w->output, w->create_dirs,
                                        &s->error);
  if (s->end && w->resume && g->sink.held)
    s->why = "partial_held";
  if (s->end)
    return;
  g->job.sink_fd = g->sink.fd;
  set_up_ranges(g);
  if (w->resume)
    s->end = take_up(g, &s->error);
  if (!s->end) {
    run(g);
    conclude(g);
  }
  file_sink_close(&g->sink);
  get_kept_release(&g->kept);
}

void get_object(struct engine *e, const struct get_wish *w, struct summary *s)
{
  struct get g = {.engine = e,
                  .wish = *w,
                  .range = w->range,
                  .summary = s,
                  .sink = {.fd = -1}};
  g.job = (struct job){.op = w->head ? OP_HEAD : OP_GET,
                       .kind = w->head ? JOB_SMALL : JOB_BULK,
                       .hooks = &get_read_hooks,
                       .ctx = &g,
                       .sink_fd = -1};
  if (w->dry_run)
    summary_dry_run(s, e, &g.job);
  else if (w->head)
    facts_ask(e, s);
  else
    fetch(&g);
  checks_none(&g.checks);
  job_release(&g.job);
}
