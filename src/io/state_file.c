/* SPDX-License-Identifier: MIT
 *
 * state_file - see state_file.h.
 */
#include "io/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/fd.h"
#include "io/sys.h"

#define NAME "state.ndjson"

/* ---- its place ---- */

static const char *env(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static char *joined(const char *dir, size_t len, const char *rest)
{
  struct buf path = {0};
  if (buf_add(&path, dir, len) || buf_adds(&path, rest))
    buf_release(&path);
  return path.data ? buf_take(&path) : NULL;
}

/* Everybody may write into /var/tmp: only a folder that is ours and closed to
 * others will do. */
static char *shared_place(void)
{
  char dir[64];
  struct stat st;
  (void)snprintf(dir, sizeof dir, "/var/tmp/ank-%lu", (unsigned long)geteuid());
  if (lstat(dir, &st) == 0 &&
      (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022))
    return NULL;
  return joined(dir, strlen(dir), "/" NAME);
}

char *state_file_place(const char *explicit_path)
{
  const char *systemd = env("STATE_DIRECTORY");
  const char *xdg = env("XDG_STATE_HOME");
  const char *home = env("HOME");
  if (explicit_path)
    return strdup(explicit_path);
  /* Systemd's are absolute; another's variable of that name may be anything. */
  if (systemd && *systemd == '/')
    return joined(systemd, strcspn(systemd, ":"), "/" NAME);
  if (xdg && *xdg == '/')
    return joined(xdg, strlen(xdg), "/ank/" NAME);
  if (home && *home == '/')
    return joined(home, strlen(home), "/.local/state/ank/" NAME);
  return shared_place();
}

/* Root must not leave files of its own in somebody else's home (sudo keeps
 * HOME on some systems). */
static bool foreign_to_root(const char *dir)
{
  struct stat st;
  return geteuid() == 0 && stat(dir, &st) == 0 && st.st_uid != 0;
}

/* By the deepest folder above PATH that is there; PATH is cut and restored. */
static bool root_may(char *path)
{
  for (char *p = path + strlen(path); p > path; p--) {
    struct stat st;
    if (*p != '/')
      continue;
    *p = '\0';
    bool there = stat(path, &st) == 0;
    bool may = there && !foreign_to_root(path);
    *p = '/';
    if (there)
      return may;
  }
  return !foreign_to_root(*path == '/' ? "/" : ".");
}

/* The slash that ends the component at P; NULL when none does. */
static char *slash_after(char *p)
{
  return strchr(p + strspn(p, "/"), '/');
}

/* Where making folders begins: an absolute path's first one has to be there.
 * /nonexistent is a home by that name so that nobody makes it. */
static char *first_to_make(char *path)
{
  char *p = slash_after(path);
  return p && *path == '/' ? slash_after(p) : p;
}

/* What is there is left alone: some automounters refuse even to be asked to
 * make what they already have. */
static bool make_dir(const char *dir)
{
  struct stat st;
  if (mkdir(dir, 0700) == 0 || errno == EEXIST)
    return true;
  int saved = errno;
  bool there = stat(dir, &st) == 0;
  errno = saved;
  return there;
}

bool state_file_make_dirs(const char *path, const char **why, bool *absent)
{
  char *copy = strdup(path);
  bool ok = copy != NULL;
  if (ok && !root_may(copy)) {
    *why = "its folder belongs to another user";
    *absent = true;
    free(copy);
    return false;
  }
  for (char *p = ok ? first_to_make(copy) : NULL; p && ok; p = slash_after(p)) {
    *p = '\0';
    ok = make_dir(copy);
    *p = '/';
  }
  if (!ok) {
    *why = copy ? strerror(errno) : "out of memory";
    *absent = true;
  }
  free(copy);
  return ok;
}

/* ---- reading ---- */

const char *state_file_fault(const struct stat *st)
{
  if (!S_ISREG(st->st_mode))
    return "is not a regular file";
  if (st->st_uid != geteuid())
    return "belongs to another user";
  /* None is one that another run has just replaced. */
  if (st->st_nlink > 1)
    return "has more than one name";
  if (st->st_mode & 022)
    return "may be written by others";
  return NULL;
}

static enum state_file refuse(const char *why, const char **out)
{
  *out = why;
  return STATE_FILE_REFUSED;
}

static enum state_file broken(const char *why, const char **out)
{
  *out = why;
  return STATE_FILE_BROKEN;
}

/* Our own regular file that we closed to ourselves (mode 0000) is merely
 * broken; anything else that cannot be opened is not to be touched. */
static enum state_file unopened(const char *path, const char **why)
{
  int saved = errno;
  struct stat st;
  if (saved == ENOENT)
    return STATE_FILE_NONE;
  if (saved == ELOOP)
    return refuse("is a symbolic link", why);
  if (saved == EACCES && lstat(path, &st) == 0 && !state_file_fault(&st))
    return broken("cannot be read", why);
  return refuse(strerror(saved), why);
}

enum state_file state_file_read(const char *path, size_t max, struct buf *out,
                                const char **why)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return unopened(path, why);
  enum state_file result = STATE_FILE_OK;
  if (fstat(fd, &st) != 0)
    result = refuse(strerror(errno), why);
  else if (state_file_fault(&st))
    result = refuse(state_file_fault(&st), why);
  else if ((size_t)st.st_size > max)
    result = broken("is too large", why);
  else if (!fd_read_all(fd, max, out))
    result = broken("cannot be read", why);
  close(fd);
  return result;
}

/* ---- writing ---- */

static int open_lock(const char *path, const char **why)
{
  char *name = joined(path, strlen(path), ".lock");
  struct stat st;
  int fd =
      name ? open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                  0600)
           : -1;
  if (fd < 0)
    *why = name ? strerror(errno) : "out of memory";
  else if (fstat(fd, &st) != 0 || state_file_fault(&st)) {
    *why = "its lock file is not ours";
    close(fd);
    fd = -1;
  }
  free(name);
  return fd;
}

/* Its folder must take new names, and the lock must be ours to open. */
bool state_file_writable(const char *path, const char **why)
{
  const char *slash = strrchr(path, '/');
  char *dir = slash == path ? joined("/", 1, "")
              : slash       ? joined(path, (size_t)(slash - path), "")
                            : joined(".", 1, "");
  bool ok = dir && faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
  if (!ok)
    *why = dir ? strerror(errno) : "out of memory";
  free(dir);
  int fd = ok ? open_lock(path, why) : -1;
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

/* Who cleans up old files may have taken it away meanwhile; others then lock
 * another one. */
static bool is_gone(int fd)
{
  struct stat st;
  return fstat(fd, &st) != 0 || st.st_nlink == 0;
}

/* Its holder needs a fifth of a millisecond. Whoever has tried often is one of
 * many and looks less often; at moments of his own, lest all look at once. */
static void pause_before(int try)
{
  enum { SHORTEST_US = 250, LONGEST_US = 2000 };
  int64_t us = try < 8 ? SHORTEST_US * (1 + try) : LONGEST_US;
  sys_pause_us(us / 2 + (int64_t)(sys_random() % (uint64_t)us));
}

int state_file_lock(const char *path, int patience_ms, const char **why)
{
  int tries = 0;
  int64_t until = sys_now().mono_ms + patience_ms;
  int fd = open_lock(path, why);
  while (fd >= 0) {
    int failed = flock(fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
    if (!failed && !is_gone(fd))
      return fd;
    if ((failed && failed != EWOULDBLOCK && failed != EINTR) ||
        sys_now().mono_ms >= until) {
      *why = failed == EWOULDBLOCK ? "its lock is held by another process"
             : failed              ? strerror(failed)
                                   : "its lock file is taken away";
      close(fd);
      return -1;
    }
    if (failed == EWOULDBLOCK) {
      pause_before(tries++);
    } else if (!failed) {
      close(fd);
      fd = open_lock(path, why);
    }
  }
  return -1;
}

void state_file_unlock(int fd)
{
  close(fd);
}

bool state_file_replace(const char *path, const struct buf *data,
                        const char **why)
{
  char *temp = joined(path, strlen(path), ".new");
  int fd = -1;
  bool ok = temp != NULL;
  if (ok) {
    /* What a killed writer left; nobody else writes while we hold the lock. */
    (void)unlink(temp);
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ok = fd >= 0 && fd_write_all(fd, data->data, data->len);
  }
  if (fd >= 0 && close(fd) != 0)
    ok = false;
  ok = ok && rename(temp, path) == 0;
  if (!ok) {
    *why = temp ? strerror(errno) : "out of memory";
    if (fd >= 0)
      (void)unlink(temp);
  }
  free(temp);
  return ok;
}

bool state_file_remove(const char *path)
{
  char *temp = joined(path, strlen(path), ".new");
  if (temp)
    (void)unlink(temp);
  free(temp);
  return unlink(path) == 0;
}
