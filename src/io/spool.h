/* SPDX-License-Identifier: MIT
 *
 * spool - bytes that come once, kept to be read again: a file without a name,
 * so that whatever ends the run leaves nothing.
 *
 * Does not know what the bytes are, nor why they are needed again.
 */
#ifndef ANK_IO_SPOOL_H
#define ANK_IO_SPOOL_H

#include <stdint.h>

#include "base/err.h"

struct spool {
  int fd;          /* -1 while closed */
  const char *dir; /* borrowed, for messages */
  uint64_t size;   /* bytes that it has */
};

/* Opens an empty one in DIR, for this user alone.  ERR_LOCAL. */
enum err spool_open(struct spool *s, const char *dir, struct error *e)
    __attribute__((warn_unused_result));

/* ERR_LOCAL when the file system says that LEN bytes have no room. */
enum err spool_fits(const struct spool *s, uint64_t len, struct error *e)
    __attribute__((warn_unused_result));

/* Appends LEN bytes.  ERR_LOCAL when they cannot be kept. */
enum err spool_add(struct spool *s, const char *data, uint64_t len,
                   struct error *e) __attribute__((warn_unused_result));

/* Closes, and gives the room back. */
void spool_close(struct spool *s);

#endif
