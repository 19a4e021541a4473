/* SPDX-License-Identifier: MIT
 *
 * ranges_one - a part of flow/ranges: one range, as the hooks of its job.
 */
#include "cloud/xmlapi.h"
#include "flow/ranges_side.h"

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = ranges_slot(r, j);
  (void)e;
  /* All came, yet the answer was no good. */
  if (s->reached == s->end) {
    s->reached = s->piece ? ahead_doubt(&r->ahead, s->piece) : s->first;
    r->got -= ranges_min(r->got, s->end - s->reached);
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
  else if (as_asked(j, ranges_slot(r, j)))
    return HTTP_TO_SINK;
  else
    do_without(r, j);
  return HTTP_ABORT;
}

static enum err keep(struct ranges *r, struct range_slot *s, const char *data,
                     uint64_t len, struct error *e)
{
  if (s->piece)
    return ahead_take(&r->ahead, s->piece, data, (size_t)len, e);
  return file_sink_write_at(r->sink, s->reached - r->begin, data,
                            (unsigned long)len, e) < 0
             ? e->code
             : ERR_OK;
}

static long take(struct job *j, const char *data, unsigned long len)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = ranges_slot(r, j);
  uint64_t want = ranges_min(len, s->end - s->reached);
  if (keep(r, s, data, want, &j->error))
    return -1;
  s->reached += want;
  ranges_gain(r, j, want);
  if (ranges_hash_some(r, 2 * want, &j->error))
    return -1;
  j->enough = want < len;
  return j->enough ? -1 : (long)len;
}

static void judge(struct job *j, const struct op_result *result)
{
  struct ranges *r = j->ctx;
  struct range_slot *s = ranges_slot(r, j);
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
  if (s->piece)
    s->piece->sure = true;
  if (ranges_complete(r))
    r->owner.finish(j);
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct ranges *r = j->ctx;
  v->done = r->got;
  v->has_total = true;
  v->total = r->end - r->begin;
}

const struct job_hooks ranges_one_hooks = {.prepare = prepare,
                                           .head = head,
                                           .take = take,
                                           .judge = judge,
                                           .progress = progress};
