/* SPDX-License-Identifier: MIT
 *
 * tokens - credentials that were asked for, kept for later runs until they end
 * (security.md 4).
 *
 * One file each, 0600 in a folder of our own, 0700; its name is a fingerprint
 * of all that it was asked for with, so that a replaced key never meets an old
 * token.  A fault here costs a request, never the run.
 */
#ifndef ANK_IO_TOKENS_H
#define ANK_IO_TOKENS_H

#include <stdint.h>

#include "cloud/creds.h"

/* What is kept under NAME, 64 hex digits, and lasts beyond WALL_MS.  OUT is
 * initialised; false leaves it as it was. */
bool tokens_read(const char *name, int64_t wall_ms, struct creds *out,
                 int64_t *ends_ms);

/* Keeps C until ENDS_MS; false when it could not. */
bool tokens_write(const char *name, const struct creds *c, int64_t ends_ms,
                  int64_t wall_ms);

#endif
