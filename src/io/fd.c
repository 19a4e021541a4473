/* SPDX-License-Identifier: MIT
 *
 * fd - see fd.h.
 */
#include "io/fd.h"

#include <errno.h>
#include <unistd.h>

enum { CHUNK = 8192 };

static bool failed(int err)
{
  errno = err;
  return false;
}

bool fd_read_all(int fd, size_t max, struct buf *out)
{
  size_t before = out->len;
  for (;;) {
    if (buf_reserve(out, CHUNK))
      return failed(ENOMEM);
    ssize_t n = read(fd, out->data + out->len, CHUNK);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0;
    out->len += (size_t)n;
    out->data[out->len] = '\0';
    if (out->len - before > max)
      return failed(EFBIG);
  }
}

long fd_read_at(int fd, uint64_t offset, char *to, unsigned long len)
{
  unsigned long done = 0;
  while (done < len) {
    ssize_t n = pread(fd, to + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    done += (unsigned long)n;
  }
  return (long)done;
}

/* True while there is more to be tried after a write that moved N bytes. */
static bool goes_on(ssize_t n, size_t *done)
{
  if (n > 0)
    *done += (size_t)n;
  else if (n == 0)
    errno = EIO;
  return n > 0 || (n < 0 && errno == EINTR);
}

bool fd_write_all(int fd, const char *data, size_t len)
{
  size_t done = 0;
  while (done < len)
    if (!goes_on(write(fd, data + done, len - done), &done))
      return false;
  return true;
}

bool fd_write_at(int fd, uint64_t offset, const char *data, size_t len)
{
  size_t done = 0;
  while (done < len)
    if (!goes_on(pwrite(fd, data + done, len - done, (off_t)(offset + done)),
                 &done))
      return false;
  return true;
}
