/* SPDX-License-Identifier: MIT
 *
 * child - runs a helper that prints credentials, by the rules of security.md 6:
 * no shell, nothing to read, a bound on what it prints and on its time, its
 * whole process group ended with it.  Its standard error is ours.
 */
#ifndef ANK_IO_CHILD_H
#define ANK_IO_CHILD_H

#include <stdint.h>

#include "base/buf.h"

enum { CHILD_MAX_OUTPUT = 65536, CHILD_MAX_MS = 60000 };

/* Runs LINE, split into words as a shell does (blanks, '...', "...", \), and
 * appends what it prints to OUT.  At most CHILD_MAX_MS, and not beyond
 * DEADLINE_MONO_MS (ERR_DEADLINE; ERR_INTERRUPTED by a signal).
 * ERR_CREDENTIALS when it cannot be run, fails or prints too much. */
enum err child_output(const char *line, int64_t deadline_mono_ms,
                      struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
