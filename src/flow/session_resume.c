/* SPDX-License-Identifier: MIT
 *
 * session_resume - see session_resume.h.
 *
 * The journal: a version line, a line of facts, a line for the session, then
 * one a chunk.
 */
#include "flow/session_resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "flow/upload_journal.h"
#include "io/sys.h"

#define FORMAT "1"
/* Of no session, where an upload without a nonce has none. */
#define NO_NONCE "-"

enum { SLICE = 1 << 20 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static void warn(struct session *u, const char *why, const char *text)
{
  report_warning(u->engine->report, sys_now().wall_ms, why,
                 u->resume.journal.path, text);
}

/* ---- what it is ---- */

/* Where parts say their condition at the end, a session has it from the
 * beginning. */
static enum err make_facts(struct session *u)
{
  const struct object_options *o = u->engine->options;
  const struct plan plan = {.first = u->chunk};
  struct kv *facts = &u->resume.facts;
  enum err err =
      upload_journal_facts(facts, u->engine, u->wish, u->source, &plan);
  return err ? err
             : kv_addf(facts, NULL, "condition", "%s %s",
                       o->if_match ? o->if_match : "-",
                       o->if_none_match ? o->if_none_match : "-");
}

/* Not the name of an upload in parts of the same. */
static enum err make_name(const struct kv *facts, char hex[65])
{
  struct buf text = {0};
  enum err err = upload_journal_name(facts, hex);
  if (!err)
    err = buf_addf(&text, "session\n%s\n", hex);
  if (!err)
    err = hash_sha256_hex(buf_str(&text), text.len, hex);
  buf_release(&text);
  return err;
}

/* ---- what an earlier run left ---- */

static const struct upload_misfit damaged = {"journal_damaged", "is damaged"};
static const struct upload_misfit other_condition = {
    "journal_other_options", "the object was to have another condition"};
static const struct upload_misfit gone = {
    "journal_upload_gone", "the server knows the upload no more"};
static const struct upload_misfit changed = {"journal_other_source",
                                             "the file has other bytes since"};

static bool take_text(char *to, size_t room, const char *from)
{
  int n = from ? snprintf(to, room, "%s", from) : 0;
  return n > 0 && (size_t)n < room;
}

static const struct upload_misfit *compare(const struct session *u,
                                           const struct kv *theirs)
{
  const struct kv *ours = &u->resume.facts;
  const struct upload_misfit *misfit = upload_journal_compare(ours, theirs);
  const char *condition = kv_get(theirs, "condition");
  if (misfit)
    return misfit;
  if (!condition)
    return &damaged;
  return strcmp(condition, kv_get(ours, "condition")) == 0 ? NULL
                                                           : &other_condition;
}

/* The id is read whatever the facts are: the session may have to be dropped. */
static const struct upload_misfit *read_head(struct session *u, size_t *pos,
                                             char nonce[33])
{
  const struct journal *j = &u->resume.journal;
  struct kv version = {0}, facts = {0}, session = {0};
  const char *format = NULL;
  const struct upload_misfit *misfit = &damaged;
  if (journal_next(j, pos, &version))
    format = kv_get(&version, "ank_session");
  if (format && strcmp(format, FORMAT) == 0 && journal_next(j, pos, &facts) &&
      journal_next(j, pos, &session))
    misfit = compare(u, &facts);
  if (!take_text(u->id, sizeof u->id, kv_get(&session, "upload_id")) ||
      !take_text(nonce, 33, kv_get(&session, "nonce")))
    misfit = &damaged;
  kv_release(&version);
  kv_release(&facts);
  kv_release(&session);
  return misfit;
}

/* The first noted end of a chunk that is not before AT. */
static bool find_point(const struct session *u, size_t pos, uint64_t at,
                       uint64_t *point, char crc[9])
{
  struct kv line = {0};
  bool found = false;
  while (!found && journal_next(&u->resume.journal, &pos, &line)) {
    const char *text = kv_get(&line, "at");
    found = text && codec_u64(text, at, u->total, point) &&
            take_text(crc, 9, kv_get(&line, "crc32c"));
    kv_clear(&line);
  }
  kv_release(&line);
  return found;
}

/* Of the bytes before U->hashed, which may be more still. */
static bool crc_so_far(const struct session *u, char out[9])
{
  const struct checksum *all = &u->digests[HASH_CRC32C];
  struct hash copy = u->crc;
  unsigned char digest[HASH_MAX_LEN];
  struct buf hex = {0};
  bool ok = all->present || !hash_final(&copy, digest);
  ok = ok && !codec_hex(&hex, all->present ? all->digest : digest,
                        hash_len(HASH_CRC32C));
  if (ok)
    (void)snprintf(out, 9, "%s", buf_str(&hex));
  buf_release(&hex);
  return ok;
}

/* ---- is it still the file ---- */

static enum err hash_to(struct session *u, uint64_t point, struct error *e)
{
  enum err err = ERR_OK;
  while (!err && u->hashed < point) {
    uint64_t left = point - u->hashed;
    u->end = u->hashed + (left < SLICE ? left : SLICE);
    u->last = u->end == u->total;
    err = engine_tick(u->engine, e);
    if (!err)
      err = session_hash_on(u, e);
  }
  return err;
}

/* *SAME: the bytes that the server has are the file's. */
static enum err check(struct session *u, size_t pos, uint64_t persisted,
                      bool *same, struct error *e)
{
  uint64_t point = 0;
  char noted[9], now[9];
  *same = persisted == 0;
  if (*same || !find_point(u, pos, persisted, &point, noted))
    return ERR_OK;
  enum err err = hash_to(u, point, e);
  *same = !err && crc_so_far(u, now) && strcmp(noted, now) == 0;
  return err;
}

/* ---- going on ---- */

static void forget(struct session *u)
{
  u->id[0] = '\0';
  u->persisted = u->hashed = 0;
  u->done = false;
  u->digests[HASH_CRC32C].present = false;
  (void)!hash_start(&u->crc, HASH_CRC32C);
}

static void start_over(struct session *u, const struct upload_misfit *m,
                       bool drop)
{
  struct buf words = {0};
  if (!buf_addf(&words, "%s: %s; the upload starts over",
                u->resume.journal.path, m->text))
    warn(u, m->why, buf_str(&words));
  buf_release(&words);
  if (drop && u->id[0])
    (void)session_drop(u->engine, u->id, false);
  forget(u);
  u->resume.on = journal_clear(&u->resume.journal);
}

static enum err prepare_status(struct job *j, struct op_args *args,
                               struct error *e)
{
  const struct session *u = j->ctx;
  (void)e;
  args->upload_id = u->id;
  args->has_total = true;
  args->total = u->total;
  return ERR_OK;
}

/* Where is it?  False when S->end says why that is not known, or when it is
 * gone and the upload starts over. */
static bool ask(struct session *u)
{
  static const struct job_hooks hooks = {.prepare = prepare_status};
  struct summary *s = u->summary;
  struct job j = {.op = OP_STATUS, .hooks = &hooks, .ctx = u, .sink_fd = -1};
  engine_run(u->engine, &j, 1);
  bool lost = j.restart || j.end == ERR_REJECTED || j.end == ERR_NOT_FOUND;
  bool known = j.end == ERR_OK;
  if (known) {
    u->done = !j.result.has_persisted;
    u->persisted = u->done ? u->total : j.result.persisted;
  }
  if (lost)
    start_over(u, &gone, false);
  else if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  job_release(&j);
  return known && s->end == ERR_OK;
}

static void go_on(struct session *u, size_t pos, const char *nonce)
{
  struct summary *s = u->summary;
  bool same = false;
  u->resume.noted = true;
  if (!ask(u))
    return;
  s->end = u->persisted > u->total
               ? ERR_OK
               : check(u, pos, u->persisted, &same, &s->error);
  if (s->end == ERR_OK && !same) {
    start_over(u, &changed, !u->done);
    return;
  }
  if (strcmp(nonce, NO_NONCE) != 0)
    memcpy(u->own.nonce, nonce, sizeof u->own.nonce);
  s->has_resumed = true;
  s->resumed_from = u->persisted;
  u->begun_before = true;
}

static void look(struct session *u)
{
  struct error *e = &u->summary->error;
  size_t pos = 0;
  char nonce[33] = "";
  u->resume.on = true;
  if (!u->resume.journal.text.len)
    return;
  const struct upload_misfit *misfit = read_head(u, &pos, nonce);
  if (u->id[0] && u->engine->keep_secret &&
      u->engine->keep_secret(u->engine->token.ctx, u->id))
    u->summary->end = no_memory(e);
  else if (misfit)
    start_over(u, misfit, true);
  else
    go_on(u, pos, nonce);
}

static void set_aside(struct session *u, const char *text)
{
  const char *fault = NULL;
  warn(u, "journal_refused", text);
  u->resume.on = journal_set_aside(&u->resume.journal, &fault);
  if (!u->resume.on)
    warn(u, "journal_not_kept", fault);
}

void session_resume_open(struct session *u)
{
  struct session_resume *r = &u->resume;
  struct summary *s = u->summary;
  char name[65];
  const char *why = NULL;
  if (!u->wish->resume)
    return;
  if (make_facts(u) || make_name(&r->facts, name)) {
    s->end = no_memory(&s->error);
    return;
  }
  switch (journal_open(&r->journal, u->wish->state_file, name, &why)) {
  case JOURNAL_OPEN:
    look(u);
    break;
  case JOURNAL_HELD:
    s->why = "journal_held";
    s->end = err_set(&s->error, ERR_LOCAL,
                     "%s: another run continues this upload", r->journal.path);
    break;
  case JOURNAL_FOREIGN:
    set_aside(u, why);
    break;
  case JOURNAL_NOWHERE:
    warn(u, "journal_not_kept", why);
    break;
  }
}

/* ---- noting ---- */

static void doubt(struct session *u)
{
  if (!u->resume.doubted)
    warn(u, "journal_not_kept", "the journal cannot be written");
  u->resume.doubted = true;
}

void session_resume_begun(struct session *u)
{
  struct journal *j = &u->resume.journal;
  struct kv version = {0}, session = {0};
  if (!u->resume.on)
    return;
  u->resume.noted =
      journal_clear(j) && !kv_add(&version, "ank_session", FORMAT, NULL) &&
      !kv_add(&session, "upload_id", u->id, NULL) &&
      !kv_add(&session, "nonce", u->own.nonce[0] ? u->own.nonce : NO_NONCE,
              NULL) &&
      journal_add(j, &version, false) &&
      journal_add(j, &u->resume.facts, false) && journal_add(j, &session, true);
  kv_release(&version);
  kv_release(&session);
  if (!u->resume.noted)
    doubt(u);
}

void session_resume_note(struct session *u)
{
  struct kv line = {0};
  char crc[9];
  if (!u->resume.noted || u->resume.doubted || u->hashed != u->end)
    return;
  if (!crc_so_far(u, crc) || kv_addf(&line, NULL, "at", "%" PRIu64, u->end) ||
      kv_add(&line, "crc32c", crc, NULL) ||
      !journal_add(&u->resume.journal, &line, false))
    doubt(u);
  kv_release(&line);
}

bool session_resume_keeps(const struct session *u)
{
  const struct summary *s = u->summary;
  return u->resume.noted && u->id[0] && !u->lost && !u->done &&
         s->end != ERR_OK && s->end != ERR_EXISTS &&
         file_source_check(u->source->file, NULL) == ERR_OK;
}

void session_resume_close(struct session *u, bool kept)
{
  struct session_resume *r = &u->resume;
  if (r->on && !kept)
    journal_remove(&r->journal);
  if (r->facts.n)
    journal_close(&r->journal);
  kv_release(&r->facts);
}
