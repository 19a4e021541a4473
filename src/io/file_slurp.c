/* SPDX-License-Identifier: MIT
 *
 * file_slurp - small files as a whole: a part of io/file kept apart for its
 * length.
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

static enum err slurp_fd(int fd, const char *path, size_t max, struct buf *out,
                         struct error *e)
{
  if (fd_read_all(fd, max, out))
    return ERR_OK;
  if (errno == EFBIG)
    return err_set(e, ERR_LOCAL, "%s: is larger than %zu bytes", path, max);
  return errno == ENOMEM ? err_set(e, ERR_INTERNAL, "out of memory")
                         : failed(e, path);
}

/* The common way to say that there is nothing in a file. */
static bool is_null(const struct stat *st)
{
  struct stat null;
  return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 &&
         null.st_rdev == st->st_rdev;
}

enum err file_slurp(const char *path, size_t max, struct buf *out,
                    struct error *e)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat st;
  if (fd < 0)
    return err_set(
        e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_LOCAL,
        "%s: %s", path, strerror(errno));
  enum err err = fstat(fd, &st) != 0 ? failed(e, path) : ERR_OK;
  bool null = !err && is_null(&st);
  if (!err && !S_ISREG(st.st_mode) && !null)
    err = err_set(e, ERR_LOCAL, "%s: is not a regular file", path);
  if (!err && !null)
    err = slurp_fd(fd, path, max, out, e);
  close(fd);
  return err;
}
