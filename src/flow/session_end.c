/* SPDX-License-Identifier: MIT
 *
 * session_end - see session_end.h.
 */
#include "flow/session_end.h"

#include <stdio.h>
#include <string.h>

#include "flow/session.h"
#include "flow/session_resume.h"
#include "flow/settle.h"

enum { CANCEL_MS = 2000, SHOWN_ID = 12 };

bool session_needed(const struct engine *e)
{
  const struct object_options *o = e->options;
  return e->provider->session_unit && !target_is_signed(e->target) &&
         (o->if_match || o->if_none_match ||
          (o->headers && kv_get(o->headers, "x-goog-if-generation-match")));
}

bool session_allowed(const struct engine *e)
{
  return !e->sign || e->creds.kind != CREDS_KEYS;
}

static struct settle_ours ours_of(struct session *u)
{
  u->digests[HASH_SHA256] = u->source->digests[HASH_SHA256];
  return (struct settle_ours){
      .nonce = u->wish->nonce, .size = u->total, .digests = u->digests};
}

static void settle(struct session *u)
{
  struct summary *s = u->summary;
  const struct settle_ours ours = ours_of(u);
  /* Unless it was looked at already. */
  if (s->end == ERR_EXISTS && !s->why && u->wish->no_clobber && u->has_total)
    (void)settle_exists(u->engine, &ours, s);
  else if (settle_is_doubtful(s, u->ambiguous) || (u->ambiguous && u->lost)) {
    if (s->end != ERR_EXISTS)
      s->end = ERR_UNAVAILABLE;
    (void)settle_lost(u->engine, &ours, s);
  } else {
    settle_cut(s, u->ambiguous);
  }
}

/* ---- what is stored is not what was sent ---- */

static enum err prepare_delete(struct job *j, struct op_args *args,
                               struct error *e)
{
  const struct session *u = j->ctx;
  (void)e;
  args->version = u->summary->result.version_id;
  return ERR_OK;
}

static void remove_bad(struct session *u)
{
  static const struct job_hooks hooks = {.prepare = prepare_delete};
  struct job j = {.op = OP_DELETE, .hooks = &hooks, .ctx = u, .sink_fd = -1};
  engine_run(u->engine, &j, 1);
  if (j.end != ERR_OK)
    u->summary->leftover = "possible";
  job_release(&j);
}

static void compare(struct session *u)
{
  struct summary *s = u->summary;
  const struct checksum *ours = &u->digests[HASH_CRC32C];
  const struct checksum *told = &s->result.checksums[HASH_CRC32C];
  bool same = s->result.size == u->total &&
              (!told->present ||
               memcmp(told->digest, ours->digest, hash_len(HASH_CRC32C)) == 0);
  if (!same) {
    s->end = err_set(&s->error, ERR_INTEGRITY,
                     "what the server has stored is not what was sent");
    s->why = "checksum_mismatch";
    remove_bad(u);
  } else if (!s->checksum[0]) {
    summary_checksum(s, HASH_CRC32C, ours->digest);
  }
}

/* ---- a session that is left ---- */

static enum err prepare_cancel(struct job *j, struct op_args *args,
                               struct error *e)
{
  (void)e;
  args->upload_id = j->ctx;
  return ERR_OK;
}

bool session_drop(struct engine *e, const char *id, bool at_end)
{
  static const struct job_hooks hooks = {.prepare = prepare_cancel};
  struct job j = {
      .op = OP_CANCEL, .hooks = &hooks, .ctx = (void *)id, .sink_fd = -1};
  if (at_end)
    engine_run_last(e, &j, CANCEL_MS);
  else
    engine_run(e, &j, 1);
  bool dropped = j.end == ERR_OK;
  job_release(&j);
  return dropped;
}

/* Its id is a secret, and the beginning of it enough to tell it. */
static void leave(struct session *u)
{
  struct summary *s = u->summary;
  s->has_aborted = true;
  s->aborted = !session_resume_keeps(u) && session_drop(u->engine, u->id, true);
  if (!s->aborted)
    (void)snprintf(s->upload_id, sizeof s->upload_id, "%.*s", SHOWN_ID, u->id);
}

void session_end(struct session *u)
{
  struct summary *s = u->summary;
  if (u->done)
    compare(u);
  else if (s->end != ERR_OK)
    settle(u);
  if (s->end == ERR_OK) {
    s->has_bytes = true;
    s->bytes = u->total;
  } else if (u->id[0] && !u->done && !u->lost && s->end != ERR_EXISTS &&
             s->end != ERR_UNKNOWN) {
    leave(u);
  }
}
