/* SPDX-License-Identifier: MIT
 *
 * fd - all of the bytes that a call on a descriptor may move only in part.
 *
 * For files, which never make one wait: what is cut short is gone on with, and
 * signals are passed over.  errno tells what went wrong.
 */
#ifndef ANK_IO_FD_H
#define ANK_IO_FD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends what is left to read, at most MAX bytes; they are nowhere else, so
 * that a secret OUT keeps them to itself.  False with errno: EFBIG when there
 * are more, ENOMEM. */
bool fd_read_all(int fd, size_t max, struct buf *out);

/* Puts up to LEN bytes from OFFSET into TO: how many, fewer only at the end of
 * the file; -1 with errno. */
long fd_read_at(int fd, uint64_t offset, char *to, unsigned long len);

/* Writes all LEN bytes where FD stands, or at OFFSET.  False with errno. */
bool fd_write_all(int fd, const char *data, size_t len);
bool fd_write_at(int fd, uint64_t offset, const char *data, size_t len);

#endif
