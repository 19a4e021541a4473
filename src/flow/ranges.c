/* SPDX-License-Identifier: MIT
 *
 * ranges - see ranges.h.
 */
#include "flow/ranges.h"

#include <stdlib.h>

#include "flow/ranges_side.h"
#include "policy/plan.h"

#define MIB (UINT64_C(1) << 20)

/* A range shorter than what renews the count of attempts would never do so.
 * More ranges than that gain nothing in a file; those of a pipe are held in
 * memory, so they never grow. */
static const struct plan_limits limits = {.min_part = MIB,
                                          .max_part = MIB << 20,
                                          .max_parts = 10000,
                                          .max_object = UINT64_MAX};
static const struct plan_limits pipe_limits = {.min_part = MIB,
                                               .max_part = MIB << 20,
                                               .max_parts = 1 << 23,
                                               .max_object = UINT64_MAX};

static enum err plan(struct plan *p, const struct plan_limits *l,
                     const struct ranges_wish *w, uint64_t size,
                     struct error *e)
{
  const struct plan_wish wish = {.part_size = w->part_size, .parallel = 1};
  return plan_file(p, l, &wish, size, e);
}

enum err ranges_check(const struct ranges_wish *w, struct error *e)
{
  struct plan p;
  return plan(&p, &limits, w, 0, e);
}

/* ---- what is fetched next ---- */

static bool worthwhile(const struct ranges *r, struct plan *p)
{
  struct error e = {0};
  uint64_t size = r->end - r->begin;
  bool pipe = r->sink->stream;
  return r->jobs && !r->off && r->end != UINT64_MAX &&
         size > r->wish.threshold && r->validator->etag[0] &&
         (!pipe || r->ahead.most > 1) &&
         plan(p, pipe ? &pipe_limits : &limits, &r->wish, size, &e) == ERR_OK &&
         plan_count(p) > 1;
}

void ranges_split(struct ranges *r, uint64_t begin, uint64_t end)
{
  struct plan p;
  r->begin = begin;
  r->end = r->limit = end;
  r->lead_done = false;
  r->got = 0;
  ahead_begin(&r->ahead, begin, r->ahead.room);
  r->on = worthwhile(r, &p);
  if (!r->on)
    return;
  r->part = p.first;
  r->limit = r->next = r->hashed = begin + r->part;
  if (!r->sink->stream)
    return;
  ahead_begin(&r->ahead, begin, (size_t)r->part);
  r->lead_piece = ahead_next(&r->ahead, r->limit);
}

/* True when what A asks for ends where the first job's range does. */
static bool is_bounded(const struct ranges *r, const struct op_args *a)
{
  return a->range.present && !a->range.open && !a->range.suffix &&
         a->range.last + 1 == r->limit;
}

bool ranges_cut(const struct ranges *r, struct job *j)
{
  j->enough = r->on && *r->reached == r->limit && r->limit < r->end &&
              !is_bounded(r, &j->args);
  if (j->enough)
    j->refusal.why = "range_reached";
  return j->enough;
}

void ranges_void(struct ranges *r, struct job *j)
{
  if (!r->on || r->dropping)
    return;
  /* Another job may notice each void start: they count as one's. */
  if (j->retry.retries < r->voids)
    j->retry.retries = r->voids;
  r->voids++;
  r->noticed = j;
  r->dropping = true;
}

/* ---- the engine's feed ---- */

static void drop_others(struct ranges *r, const struct job *keep)
{
  for (unsigned i = 0; i < r->wish.parallel; i++) {
    struct job *j = &r->jobs[i];
    if (j == keep || (!r->slots[i].end && j != r->lead))
      continue;
    r->slots[i].dropped = true;
    engine_drop(j);
  }
}

static void start_over(struct ranges *r)
{
  struct job *j = r->noticed;
  drop_others(r, j);
  ahead_begin(&r->ahead, r->begin, r->ahead.room);
  *ranges_slot(r, j) = (struct range_slot){0};
  j->hooks = r->owner.hooks;
  r->lead = j;
  r->noticed = NULL;
}

/* The first job's answer may be one that goes on to the end.  What came in
 * order behind its range stays. */
static void go_on_alone(struct ranges *r)
{
  bool pipe = r->sink->stream;
  uint64_t to = pipe ? ahead_cut(&r->ahead, r->lead_done ? r->ahead.most : 1)
                     : ranges_settled(r);
  if (r->lead_done && pipe)
    (void)!ranges_hash_to(r, to, &r->fault);
  if (r->lead_done)
    *r->reached = r->hashing ? r->hashed : to;
  else if (r->lead && !is_bounded(r, &r->lead->args))
    r->limit = r->end;
  drop_others(r, r->lead);
  r->got = *r->reached - r->begin;
}

static void regroup(struct ranges *r)
{
  if (r->noticed)
    start_over(r);
  else
    go_on_alone(r);
  r->lead_piece = NULL;
  r->on = r->dropping = false;
}

static void look(void *ctx)
{
  struct ranges *r = ctx;
  if (r->ended)
    return;
  if (r->dropping)
    regroup(r);
  if (!r->fault.code && !ahead_write(&r->ahead, &r->fault))
    return;
  r->ended = true;
  drop_others(r, NULL);
}

static int full(void *ctx)
{
  const struct ranges *r = ctx;
  return ahead_waits(&r->ahead) ? r->sink->fd : -1;
}

static struct job new_job(struct ranges *r, const struct job_hooks *hooks)
{
  return (struct job){.op = OP_GET,
                      .kind = JOB_BULK,
                      .hooks = hooks,
                      .ctx = r,
                      .sink_fd = r->sink->stream ? r->sink->fd : -1};
}

/* LATER while a pipe must take something first. */
static enum feed next_range(struct ranges *r, struct job *slot)
{
  struct range_slot *s = ranges_slot(r, slot);
  uint64_t end = ranges_min(r->next + r->part, r->end);
  struct ahead_piece *piece = NULL;
  if (r->sink->stream) {
    piece = ahead_next(&r->ahead, end);
    if (!piece)
      return FEED_LATER;
  }
  *s = (struct range_slot){
      .first = r->next, .reached = r->next, .end = end, .piece = piece};
  r->next = end;
  *slot = new_job(r, &ranges_one_hooks);
  return FEED_JOB;
}

static enum feed next(void *ctx, struct job *slot)
{
  struct ranges *r = ctx;
  if (r->ended)
    return FEED_STOP;
  if (r->on && r->next < r->end)
    return next_range(r, slot);
  if (r->on || r->lead)
    return FEED_NONE;
  r->limit = r->end;
  r->lead = slot;
  *slot = new_job(r, r->owner.hooks);
  return FEED_JOB;
}

static bool done(void *ctx, struct job *j)
{
  struct ranges *r = ctx;
  struct range_slot *s = ranges_slot(r, j);
  bool last = j->end != ERR_OK || r->whole;
  if (!s->dropped && last && !r->ended) {
    r->owner.ended(j);
    r->ended = true;
  }
  if (j == r->lead)
    r->lead = NULL;
  *s = (struct range_slot){0};
  return !r->ended;
}

/* As many pieces as memory is allowed for. */
static enum err set_up_ahead(struct ranges *r, struct error *e)
{
  struct plan p;
  enum err err = plan(&p, &pipe_limits, &r->wish, 0, e);
  if (err)
    return err;
  uint64_t most = ranges_min(r->wish.parallel, r->wish.buffer_limit / p.first);
  r->ahead = (struct ahead){.sink = r->sink, .wrote = ranges_wrote, .ctx = r};
  return most > 1 ? ahead_set_up(&r->ahead, (unsigned)most, e) : ERR_OK;
}

static enum err set_up(struct ranges *r, struct error *e)
{
  r->jobs = calloc(r->wish.parallel, sizeof *r->jobs);
  r->slots = calloc(r->wish.parallel, sizeof *r->slots);
  r->slice = malloc(RANGES_HASH_SLICE);
  if (!r->jobs || !r->slots || !r->slice)
    return err_set(e, ERR_INTERNAL, "out of memory");
  return r->sink->stream ? set_up_ahead(r, e) : ERR_OK;
}

static void take_down(struct ranges *r)
{
  free(r->jobs);
  free(r->slots);
  free(r->slice);
  ahead_release(&r->ahead);
  r->jobs = NULL;
}

/* What no job could tell. */
static enum err outcome(struct ranges *r, struct error *e)
{
  if (r->fault.code != ERR_OK) {
    *e = r->fault;
    return e->code;
  }
  /* Time may be up before anything is begun. */
  if (!r->ended)
    return engine_tick(r->engine, e);
  return r->whole ? ranges_drain(r, e) : ERR_OK;
}

enum err ranges_run(struct ranges *r, struct error *e)
{
  const struct engine_feed feed = {.next = next,
                                   .done = done,
                                   .look = look,
                                   .full = full,
                                   .fd = -1,
                                   .ctx = r};
  enum err err = set_up(r, e);
  if (!err) {
    engine_run_fed(r->engine, r->jobs, r->wish.parallel, &feed);
    err = outcome(r, e);
  }
  take_down(r);
  return err;
}
