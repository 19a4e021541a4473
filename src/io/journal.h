/* SPDX-License-Identifier: MIT
 *
 * journal - what an upload in parts has achieved, for a later run: a file of
 * lines (io/note) in a folder of its own, held locked while it is in use.
 *
 * Lines are only appended, so that whatever ends a run costs at most the last
 * one: a line without its newline is none.  Trusts nothing that another user
 * could have put there.  Does not know what the facts mean.
 */
#ifndef ANK_IO_JOURNAL_H
#define ANK_IO_JOURNAL_H

#include <stdint.h>

#include "io/note.h"

/* 10,000 parts need 1.5 MiB with the usual ETags, so the 1 MiB that other files
 * of ours may have would cost the largest objects their journal.  It is read
 * once a run, from a file that only this user can have written. */
enum { JOURNAL_MAX_BYTES = 4 << 20 };

struct journal {
  int fd;          /* -1 while closed */
  int dir;         /* the folder; -1 while closed */
  char *path;      /* owned; NULL = there is no place for it */
  struct buf text; /* what an earlier run left, whole lines */
  uint64_t size;   /* of the file */
};

enum journal_end {
  JOURNAL_OPEN = 0, /* ours, locked and read */
  JOURNAL_HELD,     /* another run holds it */
  JOURNAL_FOREIGN,  /* something else has its name: it can be set aside */
  JOURNAL_NOWHERE   /* there is no place for it */
};

/* Opens NAME, made if need be, in the folder `uploads` beside the state file
 * (STATE_FILE, or NULL: where that is by default).  *WHY is for a person.
 * Others that were not written to for 7 days go, unless a run holds them. */
enum journal_end journal_open(struct journal *j, const char *state_file,
                              const char *name, const char **why);

/* The next line that an earlier run left, from *POS on, into the empty OUT.
 * What is no line of facts comes out empty.  False at the end. */
bool journal_next(const struct journal *j, size_t *pos, struct kv *out);

/* Appends a line.  LASTING: it survives a loss of power.  False when it cannot
 * be written; the file is then as before. */
bool journal_add(struct journal *j, const struct kv *facts, bool lasting);

/* Renames what is there to NAME.old and begins an empty one.  False when that
 * cannot be done, and then none is open. */
bool journal_set_aside(struct journal *j, const char **why);

/* Makes it empty. */
bool journal_clear(struct journal *j);

/* Takes the file away, if it is open. */
void journal_remove(struct journal *j);

void journal_close(struct journal *j);

#endif
