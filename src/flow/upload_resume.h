/* SPDX-License-Identifier: MIT
 *
 * upload_resume - a side room of flow/upload: an upload that a later run may
 * continue.
 *
 * A part is kept when three agree: the journal has it, the server lists it
 * with that ETag and its size, and the file's bytes, read again, have the
 * journal's SHA-256.  What does not fit is told, dropped, and begun anew.
 * All of it does nothing unless the wish says `resume`.
 */
#ifndef ANK_FLOW_UPLOAD_RESUME_H
#define ANK_FLOW_UPLOAD_RESUME_H

#include "flow/upload_end.h"
#include "io/journal.h"
#include "policy/plan.h"

struct upload_resume {
  bool on;      /* a journal is held */
  bool found;   /* and has an upload that fits */
  bool noted;   /* and has ours */
  bool doubted; /* a line could not be written; told once */
  struct journal journal;
  struct kv facts;          /* of this upload: source, target, options, parts */
  struct upload_state left; /* what the journal has */
};

/* Opens the journal.  S->end is set when another run holds it. */
void upload_resume_open(struct upload_resume *r, struct engine *e,
                        const struct put_wish *w,
                        const struct upload_source *source,
                        const struct plan *plan, struct summary *s);

/* Goes on with what an earlier run left, or begins: the empty U becomes an
 * upload of which parts may be stored.  U->done: that run had completed it, S
 * has the object.  S->end is set when it failed, S->settled when the object of
 * SIZE bytes is there already.  W gets the nonce of the upload. */
void upload_resume_start(struct upload_resume *r, struct engine *e,
                         struct put_wish *w, const struct plan *plan,
                         struct upload_source *source, uint64_t size,
                         struct upload_state *u, struct summary *s);

/* A part was stored. */
void upload_resume_part(struct upload_resume *r, struct engine *e,
                        const struct upload_part *p);

/* What becomes of the upload U: kept for a later run, or dropped. */
void upload_resume_leave(struct upload_resume *r, struct engine *e,
                         const struct upload_source *source,
                         struct upload_state *u, struct summary *s);

/* Takes the journal away, unless it is to be KEPT. */
void upload_resume_close(struct upload_resume *r, bool kept);

#endif
