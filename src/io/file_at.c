/* SPDX-License-Identifier: MIT
 *
 * file_at - a regular destination written and read at offsets: a part of
 * io/file kept apart for its length.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"

static long failed(const struct file_sink *s, int err, struct error *e)
{
  (void)!err_set(e, ERR_LOCAL, "%s: %s", s->name, strerror(err));
  return -1;
}

long file_sink_write_at(struct file_sink *s, uint64_t offset, const char *data,
                        unsigned long len, struct error *e)
{
  unsigned long done = 0;
  while (done < len) {
    ssize_t n = pwrite(s->fd, data + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failed(s, errno, e);
    done += (unsigned long)n;
  }
  s->written += done;
  return (long)done;
}

long file_sink_read_at(const struct file_sink *s, uint64_t offset, char *to,
                       unsigned long len, struct error *e)
{
  unsigned long done = 0;
  while (done < len) {
    ssize_t n = pread(s->fd, to + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    /* Somebody else made it shorter. */
    if (n <= 0)
      return failed(s, n < 0 ? errno : EIO, e);
    done += (unsigned long)n;
  }
  return (long)done;
}
