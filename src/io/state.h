/* SPDX-License-Identifier: MIT
 *
 * state - what invocations share, on disk: one small file of JSON lines.
 *
 * A version line, then one line a scope; a reader parses its own line, a
 * writer copies the others as they are, so a torn line costs one scope.
 * Asking takes no lock.  Writing is lock (bounded), read, step, write anew,
 * rename; no fsync.  No fault here ever stops a transfer: it is kept as one
 * warning for the caller, and the run goes on as if nothing were known.
 */
#ifndef ANK_IO_STATE_H
#define ANK_IO_STATE_H

#include "base/err.h"
#include "policy/scope.h"

enum { STATE_MAX_SCOPES = 256, STATE_MAX_BYTES = 1 << 20 };

struct state {
  char *path;      /* owned; NULL = no state is kept */
  bool off;        /* something is wrong with the place: leave it alone */
  int patience_ms; /* for the lock; set by the caller, 2 s at most */
  bool no_updates; /* the lock could not be had: ask, but do not write */
  bool unwritable; /* the folder, or a full or broken disk, takes no file */
  /* The one warning; .text is for a person. */
  bool warned, warning_due;
  bool absent; /* the folder is merely missing: told on stderr only after a
                  failed attempt */
  const char *why;
  char text[256];
  char unstored[256]; /* why the last step was not stored */
};

/* Finds the place: EXPLICIT (a file), else the first of $STATE_DIRECTORY,
 * $XDG_STATE_HOME/ank, $HOME/.local/state/ank, /var/tmp/ank-UID.  Creates
 * nothing yet.  ERR_USAGE when EXPLICIT is empty. */
enum err state_open(struct state *s, const char *explicit_path, struct error *e)
    __attribute__((warn_unused_result));

/* What is known of SCOPE; zeroed when nothing is.  No lock. */
void state_peek(struct state *s, const char *scope, struct scope *out);

/* Calls STEP on SCOPE's value under the lock and stores what it leaves.  NOW
 * was read under the lock: the time before waiting for it could be older than
 * what others have written meanwhile.  STEP is also called (on what can be
 * read) when nothing can be stored, so that a run acts the same.  True when it
 * was stored. */
typedef void state_fn(void *ctx, struct scope *scope, int64_t wall_ms);
bool state_step(struct state *s, const char *scope, state_fn *step, void *ctx);

/* The same for every scope of the file at once, in one lock and one write; NOW
 * is not kept as their last use.  Lines that cannot be read are dropped.  STEP
 * is not called when the file cannot be locked or read.  Creates no scope. */
bool state_step_all(struct state *s, state_fn *step, void *ctx);

/* May the place be written, as far as can be seen without writing?  A warning
 * when not. */
bool state_writable(struct state *s);

/* Calls FN for each scope in the file's order, without a lock.  False when the
 * file cannot be read (s->text says why). */
typedef void state_each_fn(void *ctx, const char *name,
                           const struct scope *scope);
bool state_each(struct state *s, state_each_fn *fn, void *ctx);

void state_close(struct state *s);

#endif
