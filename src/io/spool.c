/* SPDX-License-Identifier: MIT
 *
 * spool - see spool.h.
 */
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"

enum err spool_open(struct spool *s, const char *dir, struct error *e)
{
  struct buf name = {0};
  *s = (struct spool){.fd = -1, .dir = dir};
  if (buf_addf(&name, "%s/ank-XXXXXX", dir)) {
    buf_release(&name);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  char *path = buf_take(&name);
  s->fd = mkostemp(path, O_CLOEXEC);
  enum err err = s->fd >= 0 && unlink(path) == 0
                     ? ERR_OK
                     : err_set(e, ERR_LOCAL, "%.80s: %s", dir, strerror(errno));
  free(path);
  if (err)
    spool_close(s);
  return err;
}

enum err spool_fits(const struct spool *s, uint64_t len, struct error *e)
{
  struct statvfs fs;
  /* What does not tell is tried. */
  if (fstatvfs(s->fd, &fs) != 0 || !fs.f_frsize)
    return ERR_OK;
  return (len + fs.f_frsize - 1) / fs.f_frsize <= fs.f_bavail
             ? ERR_OK
             : err_set(e, ERR_LOCAL, "%.80s: has no room for %" PRIu64 " bytes",
                       s->dir, len);
}

enum err spool_add(struct spool *s, const char *data, uint64_t len,
                   struct error *e)
{
  while (len) {
    ssize_t n = pwrite(s->fd, data, (size_t)len, (off_t)s->size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return err_set(e, ERR_LOCAL, "%.80s: %s", s->dir,
                     strerror(n < 0 ? errno : ENOSPC));
    data += n;
    len -= (uint64_t)n;
    s->size += (uint64_t)n;
  }
  return ERR_OK;
}

void spool_close(struct spool *s)
{
  if (s->fd >= 0)
    close(s->fd);
  s->fd = -1;
}
