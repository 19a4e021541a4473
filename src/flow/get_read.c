/* SPDX-License-Identifier: MIT
 *
 * get_read - see get_read.h.  One read goes through these states:
 *
 *   FIRST --2xx head--> MOVING --all bytes--> WHOLE
 *     ^                   |
 *     |                   +--cut--> MOVING again, from the byte reached
 *     +--object changed---+         (a stream fails instead)
 */
#include "flow/get_read.h"

#include <string.h>

#include "cloud/xmlapi.h"
#include "flow/facts.h"
#include "io/sys.h"

/* ---- what is asked ---- */

/* Others' bytes of the object count like those that this job has. */
static bool resuming(const struct get *g)
{
  return g->state == GET_MOVING && (g->reached > g->begin || g->ranges.on);
}

/* By now nobody else writes to the sink. */
static enum err start_over(struct get *g, struct error *e)
{
  g->over = false;
  g->state = GET_FIRST;
  g->reached = g->begin = 0;
  g->has_end = false;
  g->range = g->wish.range;
  return file_sink_rewind(&g->sink, e);
}

/* Yet their answer was no good: the last byte is asked for again, as there is
 * no asking for none. */
static bool all_came(const struct get *g)
{
  return g->has_end && g->reached == g->ranges.limit && g->reached > g->begin;
}

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct get *g = j->ctx;
  if (g->over && start_over(g, e))
    return ERR_LOCAL;
  args->range = g->range;
  if (g->state != GET_MOVING)
    return ERR_OK;
  if (resuming(g) || g->range.present) {
    args->range = (struct range){.present = true,
                                 .open = !g->has_end,
                                 .first = g->reached - all_came(g),
                                 .last = g->ranges.limit - 1};
    /* To the end of the object needs no end, and is the plainest form. */
    if (!g->range.present && g->ranges.limit == g->ranges.end)
      args->range.open = true;
  }
  if (resuming(g))
    validator_ask(&g->validator, args);
  return ERR_OK;
}

/* ---- what comes back ---- */

/* WORDS are for a person; NULL: j->error has them already. */
static enum http_head refuse(struct job *j, enum code_class code, enum err end,
                             const char *why, const char *words)
{
  if (words)
    err_set(&j->error, end, "%s", words);
  j->refusal = (struct refusal){true, code, end, why};
  return HTTP_ABORT;
}

/* What is in the sink must go: a file starts over, with a new attempt; a
 * stream cannot take bytes back. */
static enum http_head again(struct job *j, enum code_class code,
                            const char *why, const char *words)
{
  struct get *g = j->ctx;
  if (g->sink.stream && g->sink.written)
    return refuse(j, CODE_NONE, ERR_INTEGRITY, why, words);
  get_kept_forget(&g->kept);
  g->summary->has_resumed = false;
  g->over = true;
  ranges_void(&g->ranges, j);
  return refuse(j, code, ERR_INTEGRITY, why, words);
}

/* Found by the first request of a run, it is no failure of the transfer. */
enum http_head get_read_changed(struct job *j)
{
  struct get *g = j->ctx;
  g->stale = g->kept.reached && !g->kept.fresh;
  if (g->stale)
    return again(j, CODE_NONE, "object_changed",
                 "the object changed since its first bytes were fetched");
  return again(j, CODE_CONFLICT, "object_changed",
               "the object changed while it was being fetched");
}

/* Which bytes of the object the first answer brings, and which of them were
 * wanted.  A 200 to a range is the whole object: what lies outside is left. */
static void settle_range(struct get *g, const struct op_result *r)
{
  const struct range *w = &g->wish.range;
  g->has_end = r->has_size;
  g->begin = 0;
  g->end = r->size;
  if (w->present && w->suffix) {
    g->begin = r->size > w->last ? r->size - w->last : 0;
  } else if (w->present) {
    g->begin = w->first;
    if (!w->open && w->last < r->size)
      g->end = w->last + 1;
  }
  if (w->present)
    g->range = (struct range){.present = true,
                              .open = !g->has_end,
                              .first = g->begin,
                              .last = g->end - 1};
  g->reached = g->begin;
  g->whole_object = !w->present;
}

/* A body that ends when the connection does may have been cut anywhere. */
static bool has_length(const struct response *r)
{
  return r->framed || kv_get(&r->headers, "content-length") ||
         kv_get(&r->headers, "transfer-encoding");
}

/* Where this answer's first byte lies in the object; false when it is not an
 * answer to what was asked. */
static bool answer_begins(const struct response *r, const struct job *j,
                          uint64_t *at)
{
  uint64_t last, total;
  if (r->status == 206)
    return j->args.range.present &&
           xmlapi_content_range(kv_get(&r->headers, "content-range"), at, &last,
                                &total);
  *at = 0;
  return r->status == 200 && has_length(r);
}

/* Without the stored bytes there is nothing to compare a checksum with. */
static void warn_of_transformation(const struct job *j)
{
  report_warning(j->engine->report, sys_now().wall_ms, "transformed", NULL,
                 "the server unpacks what it has stored: these bytes cannot "
                 "be checked");
}

static enum http_head begin_first(struct job *j, const struct op_result *r)
{
  struct get *g = j->ctx;
  if (!facts_has_checksum(g->engine, r, &j->error))
    return refuse(j, CODE_NONE, ERR_INTEGRITY, "no_checksum", NULL);
  if (g->wish.range.present && !r->has_size)
    return refuse(j, CODE_TRANSIENT, ERR_REJECTED, "no_length",
                  "the server does not tell the object's length");
  if (r->transformed)
    warn_of_transformation(j);
  settle_range(g, r);
  if (g->wish.range.present && g->begin >= g->end)
    return refuse(j, CODE_NONE, ERR_REJECTED, "range_not_satisfiable",
                  "the range lies behind the object's end");
  validator_keep(&g->validator, r);
  get_kept_begin(&g->kept, r);
  checks_none(&g->checks);
  g->ranges.hashing = g->whole_object && checks_start(&g->checks, r);
  ranges_split(&g->ranges, g->begin, g->has_end ? g->end : UINT64_MAX);
  g->state = GET_MOVING;
  return HTTP_TO_SINK;
}

static enum http_head head(struct job *j, const struct op_result *r)
{
  struct get *g = j->ctx;
  uint64_t at;
  if (!answer_begins(&j->call.response, j, &at) || !op_result_is_genuine(r))
    return refuse(j, CODE_TRANSIENT, ERR_REJECTED, "unexpected_answer",
                  "the answer is not one to what was asked");
  if (resuming(g) && !validator_fits(&g->validator, r))
    return get_read_changed(j);
  if (g->state == GET_MOVING && !resuming(g))
    g->state = GET_FIRST; /* nothing delivered yet: any answer may begin */
  if (g->state == GET_FIRST && begin_first(j, r) != HTTP_TO_SINK)
    return HTTP_ABORT;
  if (at > g->reached)
    return refuse(j, CODE_TRANSIENT, ERR_REJECTED, "wrong_range",
                  "the server sent another range than the one asked for");
  g->skip = g->reached - at;
  return HTTP_TO_SINK;
}

enum err get_read_hash(struct ranges *r, const char *data, size_t len)
{
  return checks_update(&((struct get *)(void *)r)->checks, data, len);
}

static long deliver(struct get *g, const char *data, unsigned long len,
                    struct error *e)
{
  if (g->sink.stream)
    return ranges_pass_on(&g->ranges, data, len, e);
  return file_sink_write_at(&g->sink, g->reached - g->begin, data, len, e);
}

static long take(struct job *j, const char *data, unsigned long len)
{
  struct get *g = j->ctx;
  uint64_t skip = g->skip < len ? g->skip : len;
  uint64_t want = len - skip;
  if (g->has_end && want > g->ranges.limit - g->reached)
    want = g->ranges.limit - g->reached;
  long n = 0;
  if (want)
    n = deliver(g, data + skip, want, &j->error);
  if (n < 0)
    return -1;
  if (checks_update(&g->checks, data + skip, (size_t)n)) {
    err_set(&j->error, ERR_INTERNAL, "hashing failed");
    return -1;
  }
  g->skip -= skip;
  g->reached += (uint64_t)n;
  if (n)
    get_kept_moved(&g->kept, g->reached);
  ranges_gain(&g->ranges, j, (uint64_t)n);
  if (ranges_cut(&g->ranges, j))
    return -1;
  return (uint64_t)n < want ? (long)(skip + (uint64_t)n) : (long)len;
}

/* ---- is it whole ---- */

void get_read_finish(struct job *j)
{
  struct get *g = j->ctx;
  if (ranges_hash_rest(&g->ranges, &j->error)) {
    refuse(j, CODE_NONE, j->error.code, NULL, NULL);
  } else if (!checks_agree(&g->checks, g->summary)) {
    again(j, CODE_BAD_DIGEST, "checksum_mismatch",
          "the bytes do not have the checksum that the server told");
  } else {
    g->state = GET_WHOLE;
    g->ranges.whole = true;
  }
}

/* All bytes were here but their end was not told (a chunked body cut behind the
 * last byte): asked for the rest, the server says that there is none. */
static bool ends_here(const struct job *j)
{
  const struct get *g = j->ctx;
  uint64_t total;
  return resuming(g) && !g->has_end && j->args.resume_etag &&
         xmlapi_unsatisfied_range(
             kv_get(&j->call.response.headers, "content-range"), &total) &&
         total == g->reached;
}

static void judge(struct job *j, const struct op_result *r)
{
  struct get *g = j->ctx;
  int status = j->call.response.status;
  (void)r;
  if (j->refusal.set)
    return;
  if (status == 416 && ends_here(j))
    j->result.answered = true;
  else if (resuming(g) &&
           (status == 416 || (status == 412 && j->args.resume_etag)))
    get_read_changed(j);
  if (j->refusal.set || g->state != GET_MOVING ||
      (status >= 300 && !j->result.answered))
    return;
  if (g->has_end && g->reached < g->ranges.limit)
    refuse(j, CODE_TRANSIENT, ERR_UNAVAILABLE, "short_body",
           "the server sent fewer bytes than it told");
  else if (ranges_lead_done(&g->ranges))
    get_read_finish(j);
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct get *g = j->ctx;
  v->done = g->ranges.got;
  v->has_total = g->has_end;
  v->total = g->end - g->begin;
}

const struct job_hooks get_read_hooks = {.prepare = prepare,
                                         .head = head,
                                         .take = take,
                                         .judge = judge,
                                         .progress = progress};
