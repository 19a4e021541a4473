/* SPDX-License-Identifier: MIT
 *
 * file_at - a regular destination written and read at offsets: a part of
 * io/file kept apart for its length.
 */
#include <errno.h>
#include <string.h>

#include "io/fd.h"
#include "io/file.h"

static long failed(const struct file_sink *s, int err, struct error *e)
{
  (void)!err_set(e, ERR_LOCAL, "%s: %s", s->name, strerror(err));
  return -1;
}

long file_sink_write_at(struct file_sink *s, uint64_t offset, const char *data,
                        unsigned long len, struct error *e)
{
  if (!fd_write_at(s->fd, offset, data, len))
    return failed(s, errno, e);
  s->written += len;
  return (long)len;
}

long file_sink_read_at(const struct file_sink *s, uint64_t offset, char *to,
                       unsigned long len, struct error *e)
{
  long n = fd_read_at(s->fd, offset, to, len);
  if (n < 0)
    return failed(s, errno, e);
  /* Somebody else made it shorter. */
  return n < (long)len ? failed(s, EIO, e) : n;
}
