/* SPDX-License-Identifier: MIT
 *
 * upload_resume - see upload_resume.h.
 */
#include "flow/upload_resume.h"

#include <stdlib.h>
#include <string.h>

#include "flow/settle.h"
#include "flow/upload_begin.h"
#include "flow/upload_drop.h"
#include "flow/upload_journal.h"
#include "flow/upload_parts.h"
#include "io/sys.h"

enum resumed {
  RESUMED_NOT = 0, /* a new upload is to be begun */
  RESUMED_ON,      /* the state goes on with the old one */
  RESUMED_WHOLE    /* it had been completed: S has the object */
};

static void warn(const struct upload_resume *r, struct engine *e,
                 const char *why, const char *text)
{
  report_warning(e->report, sys_now().wall_ms, why, r->journal.path, text);
}

/* ---- setting aside ---- */

/* The parts of an upload that nobody continues cost money. */
static void drop_upload(struct engine *e, struct upload_state *u)
{
  struct summary unheard = {0};
  if (u->id[0])
    upload_drop(e, u, false, &unheard);
  u->id[0] = '\0';
  u->n = 0;
}

static void set_aside(struct upload_resume *r, struct engine *e,
                      const char *why, const char *text)
{
  struct buf words = {0};
  const char *fault = NULL;
  r->found = false;
  if (!buf_addf(&words, "%s; the upload starts over", text))
    warn(r, e, why, buf_str(&words));
  buf_release(&words);
  r->on = journal_set_aside(&r->journal, &fault);
  if (!r->on)
    warn(r, e, "journal_not_kept", fault);
}

/* Another object's upload is not ours to drop. */
static void misfits_journal(struct upload_resume *r, struct engine *e,
                            const struct upload_misfit *m)
{
  if (strcmp(m->why, "journal_other_target") == 0)
    r->left.id[0] = '\0';
  set_aside(r, e, m->why, m->text);
}

/* ---- opening ---- */

static void held(struct upload_resume *r, struct summary *s)
{
  s->end = err_set(&s->error, ERR_LOCAL,
                   "%s: another run continues this upload", r->journal.path);
  s->why = "journal_held";
}

static void look(struct upload_resume *r, struct engine *e,
                 const struct plan *plan, struct summary *s)
{
  const struct upload_misfit *misfit = NULL;
  r->on = true;
  if (!r->journal.text.len)
    return;
  s->end = upload_journal_read(&r->journal, &r->facts, plan, &r->left, &misfit);
  if (s->end) {
    r->on = false;
    (void)err_set(&s->error, s->end, "out of memory");
  } else if (misfit)
    misfits_journal(r, e, misfit);
  else
    r->found = true;
}

void upload_resume_open(struct upload_resume *r, struct engine *e,
                        const struct put_wish *w,
                        const struct upload_source *source,
                        const struct plan *plan, struct summary *s)
{
  char name[65];
  const char *why = NULL;
  *r = (struct upload_resume){.journal = {.fd = -1, .dir = -1}};
  if (!w->resume)
    return;
  if (upload_journal_facts(&r->facts, e, w, source, plan) ||
      upload_journal_name(&r->facts, name)) {
    s->end = err_set(&s->error, ERR_INTERNAL, "out of memory");
    return;
  }
  switch (journal_open(&r->journal, w->state_file, name, &why)) {
  case JOURNAL_OPEN:
    look(r, e, plan, s);
    break;
  case JOURNAL_HELD:
    held(r, s);
    break;
  case JOURNAL_FOREIGN:
    set_aside(r, e, "journal_refused", why);
    break;
  case JOURNAL_NOWHERE:
    warn(r, e, "journal_not_kept", why);
    break;
  }
}

/* ---- going on ---- */

static void forget(struct summary *s)
{
  s->end = ERR_OK;
  s->why = NULL;
  s->error = (struct error){0};
}

/* The server knows it no more: dropped, or completed by a run that did not
 * live to say so.  Only our own nonce tells the latter. */
static bool was_completed(struct upload_resume *r, struct engine *e,
                          const struct plan *plan, struct upload_source *source,
                          struct summary *s)
{
  const struct settle_ours ours = {
      .nonce = r->left.nonce, .size = source->size, .digests = source->digests};
  struct op_result found = {.code_class = CODE_NONE};
  struct error err = {0};
  uint64_t bytes;
  if (!upload_parts_whole(plan, &r->left) ||
      settle_object(e, &ours, &found, &err) != SETTLE_OURS ||
      upload_parts_same(e, plan, source, &r->left, &bytes, &err) ||
      !upload_parts_whole(plan, &r->left))
    return false;
  s->result = found;
  s->confirmed_by = "head";
  s->has_resumed = true;
  s->resumed_from = bytes;
  return true;
}

static void gone(struct upload_resume *r, struct engine *e)
{
  set_aside(r, e, "journal_upload_gone", "the server knows the upload no more");
}

/* Who may not list parts, or asks a store that cannot, never learns whether
 * they are there. */
static void not_listed(struct upload_resume *r, struct engine *e)
{
  set_aside(r, e, "journal_not_listed", "the server does not list the parts");
}

static enum resumed go_on(struct upload_resume *r, struct upload_state *u,
                          uint64_t bytes, struct summary *s)
{
  free(u->parts);
  *u = r->left;
  r->left = (struct upload_state){.n = 0};
  r->noted = true;
  s->has_resumed = true;
  s->resumed_from = bytes;
  return RESUMED_ON;
}

static enum resumed start_anew(struct upload_resume *r, struct engine *e)
{
  drop_upload(e, &r->left);
  return RESUMED_NOT;
}

/* After a list that was not given. */
static enum resumed unlisted(struct upload_resume *r, struct engine *e,
                             const struct plan *plan,
                             struct upload_source *source,
                             struct upload_state *u, struct summary *s)
{
  bool lost = r->left.lost;
  if (!lost && s->end != ERR_DENIED && s->end != ERR_REJECTED) {
    memcpy(u->id, r->left.id, sizeof u->id);
    r->noted = true;
    return RESUMED_NOT;
  }
  forget(s);
  r->left.lost = false;
  if (lost && was_completed(r, e, plan, source, s))
    return RESUMED_WHOLE;
  if (lost)
    r->left.id[0] = '\0';
  if (lost)
    gone(r, e);
  else
    not_listed(r, e);
  return start_anew(r, e);
}

static enum resumed find(struct upload_resume *r, struct engine *e,
                         const struct plan *plan, struct upload_source *source,
                         struct upload_state *u, struct summary *s)
{
  uint64_t bytes = 0;
  s->has_resumed = false;
  if (!r->found)
    return start_anew(r, e);
  r->found = false;
  if (upload_parts_listed(e, plan, &r->left, s))
    return unlisted(r, e, plan, source, u, s);
  s->end = upload_parts_same(e, plan, source, &r->left, &bytes, &s->error);
  return go_on(r, u, bytes, s);
}

/* ---- noting ---- */

static void doubt(struct upload_resume *r, struct engine *e)
{
  if (!r->doubted)
    warn(r, e, "journal_not_kept", "the journal cannot be written");
  r->doubted = true;
}

static void begun(struct upload_resume *r, struct engine *e,
                  const struct upload_state *u)
{
  if (!r->on)
    return;
  r->noted = upload_journal_begin(&r->journal, &r->facts, u);
  if (!r->noted)
    doubt(r, e);
}

void upload_resume_part(struct upload_resume *r, struct engine *e,
                        const struct upload_part *p)
{
  if (r->noted && !r->doubted && !upload_journal_part(&r->journal, p))
    doubt(r, e);
}

static bool keeps(const struct upload_resume *r,
                  const struct upload_source *source,
                  const struct upload_state *u, const struct summary *s)
{
  return r->noted && !u->lost && !u->done && s->end != ERR_OK &&
         s->end != ERR_EXISTS &&
         file_source_check(source->file, NULL) == ERR_OK;
}

/* An upload that goes on has the nonce of the run that began it. */
void upload_resume_start(struct upload_resume *r, struct engine *e,
                         struct put_wish *w, const struct plan *plan,
                         struct upload_source *source, uint64_t size,
                         struct upload_state *u, struct summary *s)
{
  enum resumed how = find(r, e, plan, source, u, s);
  u->done = how == RESUMED_WHOLE;
  if (u->done || s->end != ERR_OK)
    return;
  if (how == RESUMED_ON && w->no_clobber)
    memcpy(w->nonce, u->nonce, sizeof w->nonce);
  upload_look(e, w, source, size, s);
  if (how == RESUMED_ON || s->end != ERR_OK || s->settled)
    return;
  upload_create(e, w, u, s);
  upload_settle_begin(e, w, source, size, s);
  if (s->end == ERR_OK && !s->settled)
    begun(r, e, u);
}

void upload_resume_leave(struct upload_resume *r, struct engine *e,
                         const struct upload_source *source,
                         struct upload_state *u, struct summary *s)
{
  if (keeps(r, source, u, s))
    u->keep = true;
  upload_abort(e, u, s);
}

void upload_resume_close(struct upload_resume *r, bool kept)
{
  if (r->on && !kept)
    journal_remove(&r->journal);
  if (r->facts.n)
    journal_close(&r->journal);
  kv_release(&r->facts);
  free(r->left.parts);
}
