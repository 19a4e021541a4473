/* SPDX-License-Identifier: MIT
 *
 * upload - see upload.h.
 */
#include "flow/upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/piece.h"
#include "flow/settle.h"
#include "flow/upload_end.h"
#include "flow/upload_plan.h"
#include "flow/upload_resume.h"
#include "flow/upload_sum.h"
#include "io/sys.h"

/* How soon a command's failure is seen while all else waits. */
enum { LOOK_MS = 200 };

/* What is on its way in one of the engine's slots. */
struct slot {
  struct piece piece;
  unsigned number;
  char *data; /* owned: of a stream's part */
};

struct upload {
  struct engine *engine;
  const struct put_wish *wish, *given;
  struct put_wish own; /* what WISH is: as given, but for the nonce */
  struct upload_source *source;
  struct summary *summary;
  struct plan plan;
  struct upload_resume resume;
  struct job *jobs;   /* the engine's slots */
  struct slot *slots; /* beside them */
  unsigned n_slots;
  struct upload_state state;
  unsigned next;  /* number of the next part to be begun */
  uint64_t begun; /* bytes of the parts that were begun */
  uint64_t answered;
  char *filling; /* owned: the stream's next part */
  uint64_t filled, room;
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* The first failure is the upload's. */
static void fail(struct upload *u, enum err end, const char *why,
                 const struct error *e)
{
  struct summary *s = u->summary;
  if (s->end != ERR_OK)
    return;
  s->end = end;
  s->why = why;
  s->error = *e;
}

/* ---- parts ---- */

static struct slot *slot_of(struct upload *u, const struct job *j)
{
  return &u->slots[j - u->jobs];
}

static enum err prepare_part(struct job *j, struct op_args *args,
                             struct error *e)
{
  struct upload *u = j->ctx;
  struct slot *s = slot_of(u, j);
  args->upload_id = u->state.id;
  args->part = s->number;
  return piece_prepare(&s->piece, j, args, e);
}

static void judge_part(struct job *j, const struct op_result *r)
{
  struct upload *u = j->ctx;
  piece_judge(&slot_of(u, j)->piece, j, r);
}

/* All parts together. */
static void progress(struct job *j, struct progress_view *v)
{
  const struct upload *u = j->ctx;
  v->done = u->answered;
  for (unsigned i = 0; i < u->n_slots; i++)
    if (u->jobs[i].state == JOB_FLYING)
      v->done += http_moved(&u->jobs[i].call);
  v->has_total = u->source->file != NULL || u->wish->has_expected_size;
  v->total = u->source->file ? u->source->size : u->wish->expected_size;
}

static const struct job_hooks part_hooks = {
    .prepare = prepare_part, .judge = judge_part, .progress = progress};

static void begin_part(struct upload *u, struct job *j, uint64_t length)
{
  struct slot *s = slot_of(u, j);
  *s = (struct slot){.number = u->next++};
  s->piece.length = length;
  *j = (struct job){.op = OP_PART,
                    .kind = JOB_BULK,
                    .part = s->number,
                    .hooks = &part_hooks,
                    .ctx = u,
                    .sink_fd = -1};
  u->begun += length;
}

/* What an earlier run has stored is as good as sent. */
static void pass_over_kept(struct upload *u)
{
  for (; upload_has_part(&u->state, u->next); u->next++) {
    uint64_t size = plan_size(&u->plan, u->next);
    u->begun += size;
    u->answered += size;
  }
}

static enum feed next_of_file(struct upload *u, struct job *j)
{
  const struct upload_source *src = u->source;
  pass_over_kept(u);
  uint64_t left = src->size - u->begun;
  uint64_t size = plan_size(&u->plan, u->next);
  if (left == 0)
    return FEED_NONE;
  uint64_t offset = src->offset + u->begun;
  begin_part(u, j, size < left ? size : left);
  slot_of(u, j)->piece.file = src->file;
  slot_of(u, j)->piece.offset = offset;
  return FEED_JOB;
}

/* ---- a stream's parts ---- */

static unsigned in_flight(const struct upload *u)
{
  unsigned n = 0;
  for (unsigned i = 0; i < u->n_slots; i++)
    n += u->slots[i].number != 0;
  return n;
}

static enum err begin_filling(struct upload *u, struct error *e)
{
  upload_plan_warn(u->engine, &u->plan, u->next);
  u->room = plan_size(&u->plan, u->next);
  u->filled = 0;
  if (u->room == 0)
    return err_set(e, ERR_LOCAL,
                   "the stream is longer than its parts can hold; give its "
                   "size with --expected-size, or a larger --buffer-limit");
  u->filling = malloc((size_t)u->room);
  return u->filling ? ERR_OK : no_memory(e);
}

/* True when the part is whole: full, or the last one. */
static enum err fill(struct upload *u, bool *whole, struct error *e)
{
  struct upload_source *src = u->source;
  long n = stream_read(src->stream, u->filling + u->filled,
                       (unsigned long)(u->room - u->filled), e);
  if (n < 0)
    return ERR_LOCAL;
  if (n && hash_update(&src->whole, u->filling + u->filled, (size_t)n))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  u->filled += (uint64_t)n;
  *whole = u->filled == u->room || src->stream->at_end;
  return ERR_OK;
}

/* Reads on, into a new part when none is begun; WHY as a summary has it. */
static enum err read_on(struct upload *u, bool *whole, const char **why,
                        struct error *e)
{
  enum err err = u->filling ? ERR_OK : begin_filling(u, e);
  if (!err)
    err = fill(u, whole, e);
  *why = err ? NULL : "unexpected_size";
  uint64_t size = u->begun + u->filled;
  return err ? err : upload_check_size(u->wish, size, true, e);
}

static enum feed next_of_stream(struct upload *u, struct job *j)
{
  struct error e = {0};
  const char *why = NULL;
  bool whole = false;
  if (!u->filling && (u->source->stream->at_end ||
                      in_flight(u) + 1 > plan_held(&u->plan, u->next)))
    return FEED_NONE;
  enum err err = read_on(u, &whole, &why, &e);
  if (err) {
    fail(u, err, why, &e);
    return FEED_STOP;
  }
  if (!whole)
    return FEED_LATER;
  if (!u->filled) {
    free(u->filling);
    u->filling = NULL;
    return FEED_NONE;
  }
  begin_part(u, j, u->filled);
  slot_of(u, j)->piece.data = slot_of(u, j)->data = u->filling;
  u->filling = NULL;
  return FEED_JOB;
}

static enum feed next_part(void *ctx, struct job *j)
{
  struct upload *u = ctx;
  return u->source->file ? next_of_file(u, j) : next_of_stream(u, j);
}

static enum err keep_part(struct upload *u, const struct slot *s,
                          const struct op_result *r, struct error *e)
{
  struct upload_part p = {.number = s->number};
  (void)snprintf(p.etag, sizeof p.etag, "%s", r->etag);
  upload_sum_part(u->engine, &s->piece, &p);
  upload_resume_part(&u->resume, u->engine, &p);
  return upload_note_part(&u->state, &p, e);
}

static void release_slot(struct slot *s)
{
  free(s->data);
  *s = (struct slot){0};
}

static bool part_done(void *ctx, struct job *j)
{
  struct upload *u = ctx;
  struct slot *s = slot_of(u, j);
  struct error e = {0};
  if (j->end == ERR_OK && keep_part(u, s, &j->result, &e))
    fail(u, ERR_INTERNAL, NULL, &e);
  else if (j->end == ERR_OK)
    u->answered += s->piece.length;
  else if (u->summary->end == ERR_OK)
    upload_job_ended(u->summary, &u->state, j);
  release_slot(s);
  return u->summary->end == ERR_OK;
}

/* What is sent of a command that has failed is sent in vain. */
static void look_at_command(void *ctx)
{
  struct upload *u = ctx;
  if (u->summary->end != ERR_OK ||
      !upload_command_fails(u->source->stream, u->summary))
    return;
  for (unsigned i = 0; i < u->n_slots; i++)
    engine_drop(&u->jobs[i]);
}

/* Parts in flight keep their bytes; what was begun to be read is kept, too. */
static void send_parts(struct upload *u)
{
  bool command = u->source->stream && u->source->stream->command;
  const struct engine_feed feed = {
      .next = next_part,
      .done = part_done,
      .look = command ? look_at_command : NULL,
      .look_ms = command ? LOOK_MS : 0,
      .fd = u->source->stream ? u->source->stream->fd : -1,
      .ctx = u};
  struct error e = {0};
  engine_run_fed(u->engine, u->jobs, u->n_slots, &feed);
  enum err late = engine_tick(u->engine, &e);
  if (late)
    fail(u, late, NULL, &e);
}

/* ---- the whole ---- */

static void reset(struct upload *u)
{
  u->next = 1;
  u->begun = u->answered = 0;
  u->state.n = 0;
  u->state.id[0] = '\0';
  u->state.lost = u->state.done = u->state.keep = false;
}

/* The stream's head is its first part, or the beginning of it. */
static void take_head(struct upload *u)
{
  if (!u->source->stream)
    return;
  u->filling = u->source->head;
  u->filled = u->source->head_len;
  u->room = plan_size(&u->plan, 1);
  u->source->head = NULL;
}

/* True while there is something left to do. */
static bool goes_on(const struct upload *u)
{
  return u->summary->end == ERR_OK && !u->summary->settled && !u->state.done;
}

static void finish(struct upload *u)
{
  struct summary *s = u->summary;
  upload_check_source(u->engine, u->wish, u->source, u->begun, s);
  if (goes_on(u))
    upload_look(u->engine, u->wish, u->source, u->begun, s);
  if (goes_on(u))
    upload_complete(u->engine, u->wish, &u->state, u->source, u->begun, s);
}

static void attempt_upload(struct upload *u)
{
  struct summary *s = u->summary;
  uint64_t size = u->source->file ? u->source->size : u->wish->expected_size;
  bool known = u->source->file || u->wish->has_expected_size;
  reset(u);
  take_head(u);
  u->own = *u->given;
  upload_resume_start(&u->resume, u->engine, &u->own, &u->plan, u->source,
                      known ? size : UINT64_MAX, &u->state, s);
  if (goes_on(u))
    send_parts(u);
  if (goes_on(u))
    finish(u);
  if (u->state.id[0])
    upload_resume_leave(&u->resume, u->engine, u->source, &u->state, s);
}

/* What the store has lost is sent once more, where it can be. */
static bool may_start_over(const struct upload *u, enum err end)
{
  return u->state.lost && u->source->file && end != ERR_OK &&
         end != ERR_UNKNOWN && end != ERR_EXISTS;
}

static void start_over(struct upload *u)
{
  struct summary *s = u->summary;
  s->end = ERR_OK;
  s->why = NULL;
  s->error = (struct error){0};
  s->has_aborted = s->aborted = false;
  s->upload_id[0] = '\0';
  attempt_upload(u);
}

static bool make_slots(struct upload *u)
{
  u->n_slots = u->wish->parallel;
  u->jobs = calloc(u->n_slots, sizeof *u->jobs);
  u->slots = calloc(u->n_slots, sizeof *u->slots);
  return u->jobs && u->slots;
}

static void release(struct upload *u)
{
  free(u->jobs);
  free(u->slots);
  free(u->filling);
  free(u->state.parts);
}

void upload_run(struct engine *e, const struct put_wish *w,
                struct upload_source *source, struct summary *s)
{
  struct upload u = {
      .engine = e, .given = w, .own = *w, .source = source, .summary = s};
  u.wish = &u.own;
  s->end = upload_plan(e, w, source, &u.plan, &s->error);
  if (!s->end)
    (void)settle_guard(e, OP_COMPLETE, s);
  if (!s->end && !make_slots(&u))
    s->end = no_memory(&s->error);
  if (!s->end)
    upload_resume_open(&u.resume, e, w, source, &u.plan, s);
  if (!s->end)
    attempt_upload(&u);
  if (may_start_over(&u, s->end))
    start_over(&u);
  upload_end_lost(&u.state, s);
  if (s->end == ERR_OK) {
    s->has_bytes = true;
    s->bytes = source->file ? source->size : source->stream->came;
    upload_sum_tell(e, &u.state, source->digests, s);
  }
  upload_resume_close(&u.resume, s->end != ERR_OK && u.state.keep);
  release(&u);
}
