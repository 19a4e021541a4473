/* SPDX-License-Identifier: MIT
 *
 * state_file - a side room of io/state: the file itself, found, read whole,
 * locked and replaced, with suspicion.
 */
#ifndef ANK_IO_STATE_FILE_H
#define ANK_IO_STATE_FILE_H

#include <sys/stat.h>

#include "base/buf.h"

enum state_file {
  STATE_FILE_OK = 0,
  STATE_FILE_NONE,   /* there is none yet */
  STATE_FILE_BROKEN, /* cannot be read; may be replaced */
  STATE_FILE_REFUSED /* not ours to touch: link, device, other owner ... */
};

/* Why a file is not ours to trust, for a person; NULL = it is (security.md 3).
 */
const char *state_file_fault(const struct stat *st);

/* Where it belongs, by the rules of policy.md 5; NULL = nowhere. */
char *state_file_place(const char *explicit_path);

/* Reads PATH; a word for a person in *WHY unless OK or NONE. */
enum state_file state_file_read(const char *path, size_t max, struct buf *out,
                                const char **why);

/* Makes the missing folders of PATH, 0700.  False with *WHY; *ABSENT when the
 * folder just is not there and cannot be made. */
bool state_file_make_dirs(const char *path, const char **why, bool *absent);

/* May a new file be put beside PATH?  False with *WHY. */
bool state_file_writable(const char *path, const char **why);

/* The lock beside PATH, tried for up to PATIENCE_MS; its descriptor, or -1
 * with *WHY. */
int state_file_lock(const char *path, int patience_ms, const char **why);
void state_file_unlock(int fd);

/* Puts DATA in PATH's place.  False with *WHY; the old file is then as it was.
 * Call it under the lock. */
bool state_file_replace(const char *path, const struct buf *data,
                        const char **why);

/* Takes PATH away, and what a writer that was killed left beside it.  False
 * when PATH was not there.  Call it under the lock. */
bool state_file_remove(const char *path);

#endif
