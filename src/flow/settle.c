/* SPDX-License-Identifier: MIT
 *
 * settle - see settle.h.
 */
#include "flow/settle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cloud/weburl.h"
#include "io/sys.h"

/* ---- by what is told ---- */

static const char *told_nonce(const struct job *j, struct buf *name)
{
  buf_clear(name);
  if (buf_addf(name, "%s%s", j->engine->provider->meta_prefix, SETTLE_NONCE))
    return NULL;
  return kv_get(&j->headers, buf_str(name));
}

/* One checksum that both sides have decides. */
static bool compare_checksums(const struct checksum *digests,
                              const struct op_result *r, enum settle *out)
{
  for (int alg = 0; alg < HASH_ALG_COUNT; alg++) {
    const struct checksum *told = &r->checksums[alg], *own;
    own = &digests[alg];
    if (!told->present || !own->present)
      continue;
    *out = memcmp(told->digest, own->digest, hash_len((enum hash_alg)alg)) == 0
               ? SETTLE_SAME
               : SETTLE_OTHER;
    return true;
  }
  return false;
}

/* What we would have to read all of ours for, when it alone decides. */
static void hash_ours(struct engine *e, struct settle_ours *ours,
                      const struct op_result *found, struct checksum *made)
{
  unsigned kept = e->hashes;
  unsigned told = 0;
  for (unsigned alg = 0; alg < HASH_ALG_COUNT; alg++)
    if (found->checksums[alg].present)
      told |= HASH_BIT(alg);
  if (!ours->hash || (!told && ours->size > SETTLE_MOST_READ))
    return;
  e->hashes |= told;
  if (ours->hash(ours->ctx, e, made))
    ours->digests = made;
  e->hashes = kept;
}

static enum settle compare(const struct job *j, const struct settle_ours *ours)
{
  struct buf name = {0};
  enum settle verdict = SETTLE_BLIND;
  const char *nonce = *ours->nonce ? told_nonce(j, &name) : NULL;
  bool mark = nonce && strcmp(nonce, ours->nonce) == 0;
  bool told = compare_checksums(ours->digests, &j->result, &verdict);
  if (mark)
    verdict = verdict == SETTLE_OTHER ? SETTLE_OTHER : SETTLE_OURS;
  else if (j->result.has_size && j->result.size != ours->size)
    verdict = SETTLE_OTHER;
  else if (!told && nonce)
    verdict = SETTLE_FOREIGN;
  buf_release(&name);
  return verdict;
}

/* ---- by reading it back ---- */

struct reading {
  struct hash hash;
  uint64_t bytes;
};

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct reading *r = j->ctx;
  (void)args;
  hash_release(&r->hash);
  r->bytes = 0;
  return hash_start(&r->hash, HASH_SHA256)
             ? err_set(e, ERR_INTERNAL, "hashing failed")
             : ERR_OK;
}

static enum http_head head(struct job *j, const struct op_result *r)
{
  (void)j;
  (void)r;
  return HTTP_TO_SINK;
}

static long take(struct job *j, const char *data, unsigned long len)
{
  struct reading *r = j->ctx;
  r->bytes += len;
  return hash_update(&r->hash, data, len) ? -1 : (long)len;
}

static const struct job_hooks hooks = {
    .prepare = prepare, .head = head, .take = take};

static enum settle read_object(struct engine *e, uint64_t size,
                               const unsigned char *sha256,
                               enum settle otherwise)
{
  struct reading r = {.bytes = 0};
  unsigned char digest[HASH_MAX_LEN];
  struct job j = {.op = OP_GET,
                  .kind = JOB_BULK,
                  .hooks = &hooks,
                  .ctx = &r,
                  .sink_fd = -1};
  enum settle verdict = otherwise;
  engine_run(e, &j, 1);
  if (j.end == ERR_OK && !hash_final(&r.hash, digest))
    verdict =
        r.bytes == size && memcmp(digest, sha256, hash_len(HASH_SHA256)) == 0
            ? SETTLE_SAME
            : SETTLE_OTHER;
  job_release(&j);
  hash_release(&r.hash);
  return verdict;
}

/* What no checksum that both have decides is read back when it is small. */
static enum settle look_closer(struct engine *e,
                               const struct settle_ours *known,
                               const struct op_result *found,
                               enum settle otherwise)
{
  struct checksum made[HASH_ALG_COUNT] = {{.present = false}};
  struct settle_ours ours = *known;
  enum settle verdict = otherwise;
  if (found->composite.present && ours.is_cut_alike &&
      ours.is_cut_alike(ours.ctx, e, &found->composite))
    return SETTLE_SAME;
  hash_ours(e, &ours, found, made);
  const struct checksum *sha256 = &ours.digests[HASH_SHA256];
  if (compare_checksums(ours.digests, found, &verdict) ||
      ours.size > SETTLE_MOST_READ || !sha256->present)
    return verdict;
  return read_object(e, ours.size, sha256->digest, otherwise);
}

/* ---- what is known of the store ---- */

bool settle_guard(const struct engine *e, enum op op, struct summary *s)
{
  const struct quirk *q = e->site.quirk;
  const struct object_options *o = e->options;
  if (!q || !(o->if_match || o->if_none_match))
    return true;
  switch (op == OP_PUT ? q->put : q->complete) {
  case QUIRK_OBEYED:
    break;
  case QUIRK_IGNORED:
    s->unguarded = true;
    if (!weburl_is_one_request(e->target))
      break;
    s->why = "condition_refused";
    s->end = err_set(&s->error, ERR_REJECTED,
                     "%s ignores a condition, and a signed URL cannot ask what "
                     "is there; nothing was sent",
                     q->name);
    return false;
  case QUIRK_REFUSED:
    s->why = "condition_refused";
    s->end =
        err_set(&s->error, ERR_REJECTED,
                "%s refuses a condition with an upload%s; nothing was sent",
                q->name, op == OP_PUT ? "" : " in parts");
    return false;
  }
  return true;
}

/* ---- the question ---- */

/* Conditions and versions are the store's, not this question's. */
static enum settle ask(struct engine *e, const struct settle_ours *ours,
                       struct op_result *found, struct error *err)
{
  struct job j = {.op = OP_HEAD, .sink_fd = -1};
  enum settle verdict = SETTLE_FAILED;
  engine_run(e, &j, 1);
  *found = j.result;
  *err = j.error;
  if (j.end == ERR_OK)
    verdict = compare(&j, ours);
  else if (j.end == ERR_NOT_FOUND)
    verdict = SETTLE_ABSENT;
  job_release(&j);
  return verdict;
}

enum settle settle_object(struct engine *e, const struct settle_ours *ours,
                          struct op_result *found, struct error *err)
{
  const struct object_options *kept = e->options;
  const struct object_options plain = {.headers = kept->headers,
                                       .has_checksum = kept->has_checksum,
                                       .checksum = kept->checksum};
  e->options = &plain;
  enum settle verdict = ask(e, ours, found, err);
  if (verdict == SETTLE_BLIND || verdict == SETTLE_FOREIGN)
    verdict = look_closer(e, ours, found, verdict);
  e->options = kept;
  return verdict;
}

enum err settle_say_nonce(const char *nonce, const struct object_options *from,
                          struct object_options *to, struct kv *metadata,
                          struct error *e)
{
  enum err err = from->metadata ? kv_copy(metadata, from->metadata, e) : ERR_OK;
  if (!err)
    err = kv_set(metadata, SETTLE_NONCE, nonce, e);
  *to = *from;
  to->metadata = metadata;
  return err;
}

enum err settle_add_nonce(char nonce[33], const struct object_options *from,
                          struct object_options *to, struct kv *metadata,
                          struct error *e)
{
  (void)snprintf(nonce, 33, "%016" PRIx64 "%016" PRIx64, sys_random(),
                 sys_random());
  return settle_say_nonce(nonce, from, to, metadata, e);
}

static void take_over(struct summary *s, const struct op_result *found)
{
  s->end = ERR_OK;
  s->why = NULL;
  s->error = (struct error){0};
  s->result = *found;
}

/* Asks, and makes S a success when it is ours. */
static enum settle look(struct engine *e, const struct settle_ours *ours,
                        struct summary *s, struct error *err)
{
  struct op_result found = {.code_class = CODE_NONE};
  if (weburl_is_one_request(e->target)) {
    (void)err_set(err, ERR_DENIED, "a signed URL is for one request");
    return SETTLE_FAILED;
  }
  enum settle verdict = settle_object(e, ours, &found, err);
  if (verdict == SETTLE_OURS || verdict == SETTLE_SAME)
    take_over(s, &found);
  return verdict;
}

bool settle_is_doubtful(const struct summary *s, bool ambiguous)
{
  return ambiguous && (s->end == ERR_UNAVAILABLE || s->end == ERR_EXISTS);
}

void settle_cut(struct summary *s, bool ambiguous)
{
  struct error cut = s->error;
  if (!ambiguous || (s->end != ERR_DEADLINE && s->end != ERR_INTERRUPTED))
    return;
  s->why = "may_be_stored";
  (void)err_set(&s->error, s->end,
                "%.200s; all had been sent, and may have been stored", cut.msg);
}

/* A question that a signal cut off has no answer, and the shell must see it. */
static bool was_interrupted(struct summary *s)
{
  if (!sys_interrupted())
    return false;
  s->end = err_set(&s->error, ERR_INTERRUPTED, "interrupted by a signal");
  s->why = NULL;
  return true;
}

/* Why what was lost is not known. */
static void end_unknown(struct summary *s, const struct error *asked)
{
  if (was_interrupted(s))
    settle_cut(s, true);
  else if (asked->msg[0])
    s->end = err_set(&s->error, ERR_UNKNOWN,
                     "the answer was lost, and asking what is there failed: "
                     "%.300s",
                     asked->msg);
  else
    s->end = err_set(&s->error, ERR_UNKNOWN,
                     "the answer was lost, and nothing tells whether what is "
                     "there now is what was sent");
}

enum settle settle_lost(struct engine *e, const struct settle_ours *ours,
                        struct summary *s)
{
  struct error err = {0};
  enum settle verdict = look(e, ours, s, &err);
  switch (verdict) {
  case SETTLE_OURS:
  case SETTLE_SAME:
    s->confirmed_by = "head";
    break;
  case SETTLE_OTHER:
  case SETTLE_ABSENT:
  case SETTLE_FOREIGN:
    break;
  case SETTLE_BLIND:
  case SETTLE_FAILED:
    end_unknown(s, &err);
    break;
  }
  return verdict;
}

/* With more time, or without a signal, it might have been. */
void settle_uncompared(struct engine *e, struct summary *s)
{
  struct error late = {0};
  enum err end = engine_tick(e, &late);
  s->why = end ? NULL : "not_comparable";
  if (!end)
    return;
  s->end = end;
  s->error = late;
}

enum settle settle_exists(struct engine *e, const struct settle_ours *ours,
                          struct summary *s)
{
  struct error err = {0};
  enum settle verdict = look(e, ours, s, &err);
  switch (verdict) {
  case SETTLE_OURS:
  case SETTLE_SAME:
    s->settled = "same_object";
    break;
  case SETTLE_OTHER:
    s->why = "other_object";
    break;
  case SETTLE_ABSENT:
    s->why = "not_there_any_more";
    break;
  case SETTLE_FOREIGN:
  case SETTLE_BLIND:
  case SETTLE_FAILED:
    settle_uncompared(e, s);
    break;
  }
  return verdict;
}
