/* SPDX-License-Identifier: MIT
 *
 * upload_parts - see upload_parts.h.
 */
#include "flow/upload_parts.h"

#include <stdlib.h>
#include <string.h>

#include "flow/piece.h"
#include "flow/upload_sum.h"

/* A page of 1000 parts has a third of a MiB; Azure's 100,000 blocks come on
 * one. */
enum { PAGE_MAX = 16 << 20 };

/* ---- what the server lists ---- */

struct listing {
  const struct plan *plan;
  struct upload_state *upload;
  unsigned after; /* the page begins behind this number */
  struct buf body;
  struct parts_page page;
  char next[sizeof((struct op_result *)0)->next_page]; /* "" = the first one */
  bool *listed;                                        /* owned: by number */
};

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct listing *l = j->ctx;
  (void)e;
  buf_clear(&l->body);
  args->upload_id = l->upload->id;
  args->part = l->after;
  args->page = l->next[0] ? l->next : NULL;
  return ERR_OK;
}

static enum http_head head(struct job *j, const struct op_result *r)
{
  (void)j;
  (void)r;
  return HTTP_TO_SINK;
}

static long take(struct job *j, const char *data, unsigned long len)
{
  struct listing *l = j->ctx;
  if (!buf_add(&l->body, data, len))
    return (long)len;
  (void)err_set(&j->error, ERR_REJECTED, "the list of parts is too long");
  return -1;
}

/* Some stores put no quotes around an ETag in a document. */
static bool same_etag(const char *a, const char *b)
{
  size_t a_len, b_len;
  a += *a == '"';
  b += *b == '"';
  a_len = strcspn(a, "\"");
  b_len = strcspn(b, "\"");
  return a_len && a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* Another upload of the same object may be on the list, too. */
static void note(void *ctx, const struct listed_part *p)
{
  struct listing *l = ctx;
  if (upload_has_part(l->upload, p->number))
    l->listed[p->number - 1] |=
        same_etag(p->etag, l->upload->parts[p->number - 1].etag) &&
        p->size == plan_size(l->plan, p->number);
}

/* Behind a number, or where a word says; never on the spot. */
static bool go_on(struct listing *l, const struct op_result *r)
{
  if (!r->next_page[0])
    return !l->page.more || l->page.marker > l->after;
  bool on = strcmp(l->next, r->next_page) != 0;
  memcpy(l->next, r->next_page, sizeof l->next);
  l->page.more = true;
  return on;
}

static void judge(struct job *j, const struct op_result *r)
{
  struct listing *l = j->ctx;
  if (j->call.response.status >= 300)
    return;
  if (j->engine->provider->read_parts(buf_str(&l->body), l->body.len, note, l,
                                      &l->page) &&
      go_on(l, r))
    return;
  (void)err_set(&j->error, ERR_REJECTED,
                "the answer is no list of the upload's parts");
  j->refusal =
      (struct refusal){true, CODE_TRANSIENT, ERR_REJECTED, "unexpected_answer"};
}

static const struct job_hooks hooks = {
    .prepare = prepare, .head = head, .take = take, .judge = judge};

static enum err ask_page(struct engine *e, struct listing *l, struct summary *s)
{
  struct job j = {.op = OP_PARTS, .hooks = &hooks, .ctx = l, .sink_fd = -1};
  l->page = (struct parts_page){0};
  engine_run(e, &j, 1);
  if (j.end != ERR_OK)
    upload_job_ended(s, l->upload, &j);
  enum err end = j.end;
  job_release(&j);
  return end;
}

static void drop_unlisted(struct listing *l)
{
  for (size_t i = 0; i < l->upload->n; i++)
    if (!l->listed[i])
      l->upload->parts[i].number = 0;
}

enum err upload_parts_listed(struct engine *e, const struct plan *plan,
                             struct upload_state *u, struct summary *s)
{
  struct listing l = {.plan = plan, .upload = u, .body.max = PAGE_MAX};
  enum err err = ERR_OK;
  l.listed = calloc(u->n + 1, sizeof *l.listed);
  if (!l.listed)
    return s->end = err_set(&s->error, ERR_INTERNAL, "out of memory");
  do {
    l.after = l.page.marker;
    err = ask_page(e, &l, s);
  } while (!err && l.page.more);
  if (!err)
    drop_unlisted(&l);
  free(l.listed);
  buf_release(&l.body);
  return err;
}

/* ---- what the file has ---- */

static enum err compare(struct engine *e, const struct plan *plan,
                        struct upload_source *source, struct upload_part *p,
                        uint64_t *bytes, struct error *err)
{
  uint64_t offset, length;
  struct job j = {.engine = e, .sink_fd = -1};
  plan_part(plan, p->number, &offset, &length);
  struct piece piece = {.file = source->file,
                        .offset = source->offset + offset,
                        .length = length,
                        .doing = "checking"};
  enum err end = piece_hash(&piece, &j, err);
  if (end)
    ;
  else if (memcmp(piece_digest(&piece, HASH_SHA256), p->sha256,
                  sizeof p->sha256) != 0)
    p->number = 0;
  else {
    *bytes += length;
    upload_sum_part(e, &piece, p);
  }
  return end;
}

enum err upload_parts_same(struct engine *e, const struct plan *plan,
                           struct upload_source *source, struct upload_state *u,
                           uint64_t *bytes, struct error *err)
{
  enum err end = ERR_OK;
  *bytes = 0;
  for (size_t i = 0; i < u->n && !end; i++)
    if (u->parts[i].number)
      end = compare(e, plan, source, &u->parts[i], bytes, err);
  return end;
}

bool upload_parts_whole(const struct plan *plan, const struct upload_state *u)
{
  bool whole = true;
  for (unsigned n = 1; n <= plan_count(plan) && whole; n++)
    whole = upload_has_part(u, n);
  return whole;
}
