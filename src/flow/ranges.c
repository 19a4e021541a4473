/* SPDX-License-Identifier: MIT
 *
 * ranges - see ranges.h.
 */
#include "flow/ranges.h"

#include <stdlib.h>

#include "cloud/xmlapi.h"
#include "policy/plan.h"

#define MIB (UINT64_C(1) << 20)

/* A range shorter than what renews the count of attempts would never do so.
 * More ranges than that gain nothing. */
static const struct plan_limits limits = {.min_part = MIB,
                                          .max_part = MIB << 20,
                                          .max_parts = 10000,
                                          .max_object = UINT64_MAX};

enum { HASH_SLICE = 256 * 1024 };

static enum err plan(struct plan *p, const struct ranges_wish *w, uint64_t size,
                     struct error *e)
{
  const struct plan_wish wish = {.part_size = w->part_size, .parallel = 1};
  return plan_file(p, &limits, &wish, size, e);
}

enum err ranges_check(const struct ranges_wish *w, struct error *e)
{
  struct plan p;
  return plan(&p, w, 0, e);
}

static struct range_slot *slot_of(struct ranges *r, const struct job *j)
{
  return &r->slots[j - r->jobs];
}

/* ---- how far it is ---- */

void ranges_gain(struct ranges *r, struct job *j, uint64_t n)
{
  r->got += n;
  if (r->got <= r->most)
    return;
  j->gained += r->got - r->most;
  r->most = r->got;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* All below it is in the file, by answers that were good to their end. */
static uint64_t settled(const struct ranges *r)
{
  uint64_t to = r->lead_done ? r->next : r->begin;
  for (unsigned i = 0; i < r->wish.parallel; i++)
    if (r->slots[i].end && !r->slots[i].done)
      to = min_u64(to, r->slots[i].first);
  return to;
}

static bool complete(const struct ranges *r)
{
  return r->on ? settled(r) == r->end : r->limit == r->end;
}

bool ranges_lead_done(struct ranges *r)
{
  r->lead_done = true;
  return complete(r);
}

static enum err hash_slice(struct ranges *r, uint64_t len, struct error *e)
{
  if (file_sink_read_at(r->sink, r->hashed - r->begin, r->slice,
                        (unsigned long)len, e) < 0)
    return ERR_LOCAL;
  if (r->owner.hash(r, r->slice, (size_t)len))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  r->hashed += len;
  return ERR_OK;
}

/* What has come into order is hashed at twice the pace of what comes in: no
 * connection waits for long, and little is left for the end. */
static enum err hash_some(struct ranges *r, uint64_t most, struct error *e)
{
  enum err err = ERR_OK;
  uint64_t to = min_u64(settled(r), r->hashed + most);
  while (r->hashing && r->hashed < to && !err)
    err = hash_slice(r, min_u64(to - r->hashed, HASH_SLICE), e);
  return err;
}

enum err ranges_hash_rest(struct ranges *r, struct error *e)
{
  enum err err = ERR_OK;
  while (r->on && r->hashing && r->hashed < r->end && !err) {
    err = engine_tick(r->engine, e);
    if (!err)
      err = hash_some(r, MIB, e);
  }
  return err;
}

/* ---- one range ---- */

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = slot_of(r, j);
  (void)e;
  /* All came, yet the answer was no good. */
  if (s->reached == s->end) {
    r->got -= min_u64(r->got, s->end - s->first);
    s->reached = s->first;
  }
  args->range =
      (struct range){.present = true, .first = s->reached, .last = s->end - 1};
  validator_ask(r->validator, args);
  return ERR_OK;
}

static void refuse(struct job *j, enum err end, const char *why,
                   const char *words)
{
  err_set(&j->error, end, "%s", words);
  j->refusal = (struct refusal){true, CODE_TRANSIENT, end, why};
}

static bool as_asked(const struct job *j, const struct range_slot *s)
{
  const struct response *a = &j->call.response;
  uint64_t first, last, total;
  return a->status == 206 &&
         xmlapi_content_range(kv_get(&a->headers, "content-range"), &first,
                              &last, &total) &&
         first == s->reached;
}

/* Nothing is wrong with the object: one that asks for all of it gets it. */
static void do_without(struct ranges *r, struct job *j)
{
  j->enough = true;
  j->refusal.why = "ranges_ignored";
  r->off = true;
  r->dropping = true;
}

static enum http_head head(struct job *j, const struct op_result *result)
{
  struct ranges *r = j->ctx;
  if (op_result_is_genuine(result) && !validator_fits(r->validator, result))
    return r->owner.changed(j);
  if (!op_result_is_genuine(result))
    refuse(j, ERR_REJECTED, "unexpected_answer",
           "the answer is not one to what was asked");
  else if (as_asked(j, slot_of(r, j)))
    return HTTP_TO_SINK;
  else
    do_without(r, j);
  return HTTP_ABORT;
}

static long take(struct job *j, const char *data, unsigned long len)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = slot_of(r, j);
  uint64_t want = min_u64(len, s->end - s->reached);
  if (file_sink_write_at(r->sink, s->reached - r->begin, data,
                         (unsigned long)want, &j->error) < 0)
    return -1;
  s->reached += want;
  ranges_gain(r, j, want);
  if (hash_some(r, 2 * want, &j->error))
    return -1;
  j->enough = want < len;
  return j->enough ? -1 : (long)len;
}

static void judge(struct job *j, const struct op_result *result)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = slot_of(r, j);
  int status = j->call.response.status;
  (void)result;
  if (j->refusal.set)
    return;
  if (status == 416 || (status == 412 && j->args.resume_etag)) {
    r->owner.changed(j);
    return;
  }
  if (status >= 300 || r->off)
    return;
  if (s->reached < s->end) {
    refuse(j, ERR_UNAVAILABLE, "short_body",
           "the server sent fewer bytes than it told");
    return;
  }
  s->done = true;
  if (complete(r))
    r->owner.finish(j);
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct ranges *r = j->ctx;
  v->done = r->got;
  v->has_total = true;
  v->total = r->end - r->begin;
}

static const struct job_hooks range_hooks = {.prepare = prepare,
                                             .head = head,
                                             .take = take,
                                             .judge = judge,
                                             .progress = progress};

/* ---- what is fetched next ---- */

static bool worthwhile(const struct ranges *r, struct plan *p)
{
  struct error e = {0};
  uint64_t size = r->end - r->begin;
  return r->jobs && !r->off && r->end != UINT64_MAX &&
         size > r->wish.threshold && r->validator->etag[0] &&
         plan(p, &r->wish, size, &e) == ERR_OK && plan_count(p) > 1;
}

void ranges_split(struct ranges *r, uint64_t begin, uint64_t end)
{
  struct plan p;
  r->begin = begin;
  r->end = r->limit = end;
  r->lead_done = false;
  r->got = 0;
  r->on = worthwhile(r, &p);
  if (!r->on)
    return;
  r->part = p.first;
  r->limit = r->next = r->hashed = begin + r->part;
}

bool ranges_bounded(const struct ranges *r, const struct op_args *a)
{
  return a->range.present && !a->range.open && !a->range.suffix &&
         a->range.last + 1 == r->limit;
}

bool ranges_cut(const struct ranges *r, struct job *j)
{
  j->enough = r->on && *r->reached == r->limit && r->limit < r->end &&
              !ranges_bounded(r, &j->args);
  if (j->enough)
    j->refusal.why = "range_reached";
  return j->enough;
}

void ranges_void(struct ranges *r, struct job *j)
{
  if (!r->on || r->dropping)
    return;
  /* Each start may be noticed to be void by another job: they count as one's. */
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
  *slot_of(r, j) = (struct range_slot){0};
  j->hooks = r->owner.hooks;
  r->lead = j;
  r->noticed = NULL;
}

/* The first job's answer may be one that goes on to the end.  What came in
 * order behind its range stays. */
static void go_on_alone(struct ranges *r)
{
  if (r->lead_done)
    *r->reached = r->hashing ? r->hashed : settled(r);
  else if (r->lead && !ranges_bounded(r, &r->lead->args))
    r->limit = r->end;
  drop_others(r, r->lead);
  r->got = *r->reached - r->begin;
}

static void look(void *ctx)
{
  struct ranges *r = ctx;
  if (!r->dropping || r->ended)
    return;
  if (r->noticed)
    start_over(r);
  else
    go_on_alone(r);
  r->on = r->dropping = false;
}

static struct job new_job(struct ranges *r, const struct job_hooks *hooks)
{
  return (struct job){
      .op = OP_GET, .kind = JOB_BULK, .hooks = hooks, .ctx = r, .sink_fd = -1};
}

static enum feed next(void *ctx, struct job *slot)
{
  struct ranges *r = ctx;
  if (r->on && r->next < r->end) {
    struct range_slot *s = slot_of(r, slot);
    *s = (struct range_slot){.first = r->next, .reached = r->next};
    s->end = r->next = min_u64(r->next + r->part, r->end);
    *slot = new_job(r, &range_hooks);
    return FEED_JOB;
  }
  if (r->on || r->lead || r->ended)
    return FEED_NONE;
  r->limit = r->end;
  r->lead = slot;
  *slot = new_job(r, r->owner.hooks);
  return FEED_JOB;
}

static bool done(void *ctx, struct job *j)
{
  struct ranges *r = ctx;
  struct range_slot *s = slot_of(r, j);
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

enum err ranges_run(struct ranges *r, struct error *e)
{
  const struct engine_feed feed = {
      .next = next, .done = done, .look = look, .fd = -1, .ctx = r};
  r->jobs = calloc(r->wish.parallel, sizeof *r->jobs);
  r->slots = calloc(r->wish.parallel, sizeof *r->slots);
  r->slice = malloc(HASH_SLICE);
  enum err err = ERR_OK;
  if (r->jobs && r->slots && r->slice)
    engine_run_fed(r->engine, r->jobs, r->wish.parallel, &feed);
  else
    err = err_set(e, ERR_INTERNAL, "out of memory");
  /* Time may be up before anything is begun. */
  if (!err && !r->ended)
    err = engine_tick(r->engine, e);
  free(r->jobs);
  free(r->slots);
  free(r->slice);
  r->jobs = NULL;
  return err;
}
