/* SPDX-License-Identifier: MIT
 *
 * file - see file.h.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file_part.h"
#include "io/sys.h"

/* As the kernel follows at most. */
enum { MOST_LINKS = 40 };

static enum err failed(struct error *e, const char *what)
{
  return err_set(e, ERR_LOCAL, "%s: %s", what, strerror(errno));
}

/* ---- sink ---- */

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err make_dirs(const char *path, struct error *e)
{
  char *copy = strdup(path);
  if (!copy)
    return no_memory(e);
  enum err err = ERR_OK;
  for (char *p = strchr(copy + 1, '/'); p && !err; p = strchr(p + 1, '/')) {
    *p = '\0';
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
      err = failed(e, copy);
    *p = '/';
  }
  free(copy);
  return err;
}

/* What the symlink PATH names, seen from here; NULL when it is none. */
static char *link_target(const char *path)
{
  char target[PATH_MAX];
  ssize_t n = readlink(path, target, sizeof target - 1);
  if (n <= 0)
    return NULL;
  target[n] = '\0';
  const char *slash = strrchr(path, '/');
  if (target[0] == '/' || !slash)
    return strdup(target);
  struct buf joined = {0};
  if (buf_add(&joined, path, (size_t)(slash - path) + 1) ||
      buf_adds(&joined, target))
    buf_release(&joined);
  return joined.data ? buf_take(&joined) : NULL;
}

/* Where a destination's symlinks lead, the last one dangling or not: rename
 * would replace the link instead of what it names. */
static char *follow(const char *path)
{
  char *at = realpath(path, NULL);
  if (at)
    return at;
  at = strdup(path);
  for (int links = 0; at && links < MOST_LINKS; links++) {
    char *next = link_target(at);
    if (!next)
      break;
    free(at);
    at = next;
  }
  return at;
}

/* The longest start of NAME that leaves room for the affixes and ends at a
 * character. */
static size_t shortened(const char *name, size_t affixes)
{
  size_t len = strlen(name), most = NAME_MAX - affixes;
  if (len <= most)
    return len;
  for (len = most; len && ((unsigned char)name[len] & 0xc0) == 0x80;)
    len--;
  return len;
}

/* ".NAME" and SUFFIX beside the destination; NULL when memory is out. */
static char *beside(const struct file_sink *s, const char *suffix,
                    size_t affixes)
{
  const char *slash = strrchr(s->path, '/');
  const char *name = slash ? slash + 1 : s->path;
  struct buf temp = {0};
  enum err err = buf_add(&temp, s->path, (size_t)(name - s->path));
  if (!err)
    err =
        buf_addf(&temp, ".%.*s%s", (int)shortened(name, affixes), name, suffix);
  char *path = err ? NULL : buf_take(&temp);
  buf_release(&temp);
  return path;
}

static enum err open_temp(struct file_sink *s, struct error *e)
{
  s->temp = beside(s, ".ank-XXXXXX", strlen("..ank-XXXXXX"));
  if (!s->temp)
    return no_memory(e);
  s->fd = mkostemp(s->temp, O_CLOEXEC);
  if (s->fd < 0) {
    enum err err = failed(e, s->name);
    free(s->temp);
    s->temp = NULL;
    return err;
  }
  return ERR_OK;
}

static enum err open_part(struct file_sink *s, struct error *e)
{
  /* The longest name is that of the note's next version. */
  const size_t affixes = strlen("..ank-part.json.new");
  s->note = beside(s, ".ank-part.json", affixes);
  s->temp = s->note ? beside(s, ".ank-part", affixes) : NULL;
  return s->temp ? file_part_open(s, e) : no_memory(e);
}

static mode_t new_mode(void)
{
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static enum err open_stream(struct file_sink *s, struct error *e)
{
  s->stream = s->paced = true;
  do
    s->fd = open(s->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  while (s->fd < 0 && errno == EINTR && !sys_interrupted());
  if (s->fd < 0 && errno == EINTR)
    return err_set(e, ERR_INTERRUPTED, "interrupted by a signal");
  return s->fd < 0 ? failed(e, s->name) : ERR_OK;
}

static enum err open_path(struct file_sink *s, struct error *e)
{
  struct stat st;
  size_t len = strlen(s->path);
  if (len == 0 || s->path[len - 1] == '/')
    return err_set(e, ERR_LOCAL, "%s: is a directory", s->name);
  bool there = stat(s->path, &st) == 0;
  if (!there && errno != ENOENT)
    return failed(e, s->name);
  if (there && S_ISDIR(st.st_mode))
    return err_set(e, ERR_LOCAL, "%s: is a directory", s->name);
  if (there && !S_ISREG(st.st_mode) && s->kept)
    return err_set(e, ERR_USAGE,
                   "%s: is no regular file, nothing of it is kept", s->name);
  if (there && !S_ISREG(st.st_mode))
    return open_stream(s, e);
  /* rename would replace a file that its owner has closed to us. */
  if (there && access(s->path, W_OK) != 0)
    return failed(e, s->name);
  s->mode = there ? st.st_mode & 07777 : new_mode();
  return s->kept ? open_part(s, e) : open_temp(s, e);
}

/* A pipe is opened anew through /proc, so that O_NONBLOCK stays ours alone:
 * descriptor 1 is shared with whoever else writes there. */
static enum err open_stdout(struct file_sink *s, struct error *e)
{
  struct stat st;
  bool known = fstat(STDOUT_FILENO, &st) == 0;
  s->stream = true;
  s->paced = !known || !S_ISREG(st.st_mode);
  if (known && S_ISFIFO(st.st_mode))
    s->fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (s->fd < 0)
    s->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return s->fd < 0 ? failed(e, s->name) : ERR_OK;
}

static enum err open_sink(struct file_sink *s, const char *path,
                          bool create_dirs, struct error *e)
{
  enum err err = create_dirs ? make_dirs(path, e) : ERR_OK;
  if (err)
    return err;
  s->path = follow(path);
  if (!s->path)
    return no_memory(e);
  err = open_path(s, e);
  if (err) {
    bool held = s->held;
    file_sink_close(s);
    s->held = held;
  }
  return err;
}

enum err file_sink_open(struct file_sink *s, const char *path, bool create_dirs,
                        struct error *e)
{
  *s = (struct file_sink){.fd = -1, .name = path ? path : "standard output"};
  return path ? open_sink(s, path, create_dirs, e) : open_stdout(s, e);
}

enum err file_sink_open_kept(struct file_sink *s, const char *path,
                             bool create_dirs, struct error *e)
{
  *s = (struct file_sink){.fd = -1, .name = path, .kept = true};
  return open_sink(s, path, create_dirs, e);
}

/* A stream that is not known to be non-blocking takes PIPE_BUF bytes for sure
 * once poll says so. */
static ssize_t write_some(const struct file_sink *s, const char *data,
                          size_t len)
{
  struct pollfd p = {.fd = s->fd, .events = POLLOUT};
  if (!s->paced)
    return write(s->fd, data, len);
  if (poll(&p, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  if (!(fcntl(s->fd, F_GETFL) & O_NONBLOCK) && len > PIPE_BUF)
    len = PIPE_BUF;
  return write(s->fd, data, len);
}

long file_sink_write(struct file_sink *s, const char *data, unsigned long len,
                     struct error *e)
{
  unsigned long done = 0;
  while (done < len) {
    ssize_t n = write_some(s, data + done, len - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      break;
    if (n < 0 && errno == EPIPE && s->stream) {
      (void)!err_set(e, ERR_INTERRUPTED, "%s: the reader has gone", s->name);
      return -1;
    }
    if (n < 0) {
      (void)!failed(e, s->name);
      return -1;
    }
    done += (unsigned long)n;
  }
  s->written += done;
  return (long)done;
}

enum err file_sink_rewind(struct file_sink *s, struct error *e)
{
  if (s->stream && !s->written)
    return ERR_OK;
  if (s->stream)
    return err_set(e, ERR_LOCAL, "%s: cannot be written again", s->name);
  if (lseek(s->fd, 0, SEEK_SET) < 0 || ftruncate(s->fd, 0) != 0)
    return failed(e, s->name);
  s->written = 0;
  return ERR_OK;
}

void file_sync_dir(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    /* Some file systems cannot; the rename itself has been done. */
    (void)fsync(fd);
    close(fd);
  }
  free(dir);
}

enum err file_sink_commit(struct file_sink *s, struct error *e)
{
  if (s->stream)
    return ERR_OK;
  if (fchmod(s->fd, s->mode) != 0 || fsync(s->fd) != 0)
    return failed(e, s->name);
  if (s->kept)
    return file_part_publish(s, e);
  int fd = s->fd;
  s->fd = -1;
  if (close(fd) != 0 || rename(s->temp, s->path) != 0)
    return failed(e, s->name);
  free(s->temp);
  s->temp = NULL;
  file_sync_dir(s->path);
  return ERR_OK;
}

void file_sink_close(struct file_sink *s)
{
  /* Removed before another run can lock it. */
  if (s->temp && s->kept)
    file_part_close(s);
  else if (s->temp)
    unlink(s->temp);
  if (s->fd >= 0)
    close(s->fd);
  free(s->temp);
  free(s->note);
  free(s->path);
  *s = (struct file_sink){.fd = -1};
}
