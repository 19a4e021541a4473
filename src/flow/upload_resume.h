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

struct upload_resume {
  bool on;      /* a journal is held */
  bool found;   /* and has an upload that fits */
  bool noted;   /* and has ours */
  bool doubted; /* a line could not be written; told once */
  struct journal journal;
  struct kv facts;          /* of this upload: source, target, options, parts */
  struct upload_state left; /* what the journal has */
};

enum upload_resumed {
  UPLOAD_RESUMED_NOT = 0, /* a new upload is to be begun */
  UPLOAD_RESUMED_ON,      /* the state goes on with the old one */
  UPLOAD_RESUMED_WHOLE    /* it had been completed: S has the object */
};

/* Opens the journal.  S->end is set when another run holds it. */
void upload_resume_open(struct upload_resume *r, struct engine *e,
                        const struct put_wish *w,
                        const struct upload_source *source,
                        const struct plan *plan, struct summary *s);

/* What an earlier run left, into the empty U; only the first time.  S->end is
 * set when that could not be learnt, with U's id: the journal stays. */
enum upload_resumed upload_resume_find(
    struct upload_resume *r, struct engine *e, const struct plan *plan,
    struct upload_source *source, struct upload_state *u, struct summary *s);

/* A new upload was begun; a part was stored. */
void upload_resume_begun(struct upload_resume *r, struct engine *e,
                         const struct upload_state *u);
void upload_resume_part(struct upload_resume *r, struct engine *e,
                        const struct upload_part *p);

/* May a later run go on with the upload U that has failed? */
bool upload_resume_keeps(const struct upload_resume *r,
                         const struct upload_source *source,
                         const struct upload_state *u, const struct summary *s);

/* Takes the journal away, unless it is to be KEPT. */
void upload_resume_close(struct upload_resume *r, bool kept);

#endif
