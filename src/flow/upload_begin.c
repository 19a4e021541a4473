/* SPDX-License-Identifier: MIT
 *
 * upload_begin - see upload_begin.h.
 */
#include "flow/upload_begin.h"

#include <stdio.h>
#include <string.h>

#include "flow/settle.h"
#include "io/sys.h"

static void ask_for_id(struct engine *e, struct upload_state *u,
                       struct summary *s)
{
  struct job j = {.op = OP_CREATE, .sink_fd = -1};
  engine_run(e, &j, 1);
  if (j.end != ERR_OK)
    upload_job_ended(s, u, &j);
  else
    (void)snprintf(u->id, sizeof u->id, "%s", j.result.upload_id);
  if (j.ambiguous)
    s->leftover = "possible";
  job_release(&j);
}

static enum err make_id(const struct provider *p, char *id, size_t room)
{
  uint64_t dice[2] = {sys_random(), sys_random()};
  struct buf made = {.max = room - 1};
  enum err err = p->own_upload_id((const unsigned char *)dice, &made);
  if (!err)
    memcpy(id, buf_str(&made), made.len + 1);
  buf_release(&made);
  return err;
}

static void create(struct engine *e, struct upload_state *u, struct summary *s)
{
  if (!e->provider->own_upload_id)
    ask_for_id(e, u, s);
  else if (make_id(e->provider, u->id, sizeof u->id))
    s->end = err_set(&s->error, ERR_INTERNAL, "no id for the upload");
}

/* What becomes of it must be told even when the last answer is lost, so every
 * upload in parts has a nonce. */
void upload_create(struct engine *e, const struct put_wish *w,
                   struct upload_state *u, struct summary *s)
{
  const struct object_options *kept = e->options;
  struct object_options options;
  struct kv metadata = {0};
  memcpy(u->nonce, w->nonce, sizeof u->nonce);
  if (!u->nonce[0]) {
    s->end = settle_add_nonce(u->nonce, kept, &options, &metadata, &s->error);
    e->options = &options;
  }
  if (s->end == ERR_OK)
    create(e, u, s);
  e->options = kept;
  kv_release(&metadata);
}
