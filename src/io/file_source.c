/* SPDX-License-Identifier: MIT
 *
 * file_source - a side room of io/file: what is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/fd.h"
#include "io/file.h"

static enum err failed(struct error *e, const char *what)
{
  return err_set(e, ERR_LOCAL, "%s: %s", what, strerror(errno));
}

enum err file_source_adopt(struct file_source *s, int fd, const char *name,
                           struct error *e)
{
  struct stat st;
  if (fstat(fd, &st) != 0)
    return failed(e, name);
  if (!S_ISREG(st.st_mode))
    return err_set(e, ERR_LOCAL, "%s: %s", name,
                   S_ISDIR(st.st_mode) ? "is a directory"
                                       : "is not a regular file");
  *s = (struct file_source){.fd = fd,
                            .path = name,
                            .size = (uint64_t)st.st_size,
                            .first = st,
                            .adopted = true};
  return ERR_OK;
}

enum err file_source_open(struct file_source *s, const char *path,
                          struct error *e)
{
  /* O_NONBLOCK: opening a FIFO by mistake must not wait for its writer. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return failed(e, path);
  enum err err = file_source_adopt(s, fd, path, e);
  if (err)
    close(fd);
  else
    s->adopted = false;
  return err;
}

long file_source_read(struct file_source *s, uint64_t offset, char *to,
                      unsigned long len, struct error *e)
{
  long n = fd_read_at(s->fd, offset, to, len);
  if (n < 0)
    (void)!failed(e, s->path);
  return n;
}

static bool same_time(struct timespec a, struct timespec b)
{
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

enum err file_source_check(const struct file_source *s, struct error *e)
{
  struct stat st;
  if (fstat(s->fd, &st) != 0)
    return failed(e, s->path);
  if (st.st_size != s->first.st_size ||
      !same_time(st.st_mtim, s->first.st_mtim))
    return err_set(e, ERR_LOCAL, "%s: changed while it was being read",
                   s->path);
  return ERR_OK;
}

void file_source_close(struct file_source *s)
{
  if (s->fd >= 0 && !s->adopted)
    close(s->fd);
  s->fd = -1;
}
