/* SPDX-License-Identifier: MIT
 *
 * hold - see hold.h.
 */
#include "io/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/state_file.h"

enum { TRIES = 8 };

static enum hold say(enum hold what, const char *words, const char **why)
{
  *why = words;
  return what;
}

static enum hold unopened(const char **why)
{
  bool other = errno == ELOOP || errno == EISDIR || errno == ENXIO;
  if (errno == EACCES || other)
    return say(HOLD_FOREIGN, other ? "is no regular file" : strerror(errno),
               why);
  return say(HOLD_FAILED, strerror(errno), why);
}

/* A holder that has finished takes the name away, or gives it to another file,
 * before it lets go. */
static bool is_there(int dir, const char *name, const struct stat *mine)
{
  struct stat st;
  return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
         st.st_dev == mine->st_dev && st.st_ino == mine->st_ino;
}

/* Locked before it is judged: a holder may be about to give it another mode. */
static enum hold try(int dir, const char *name, int fd, uint64_t *size,
                     bool *again, const char **why)
{
  struct stat st;
  if (fstat(fd, &st) != 0)
    return say(HOLD_FAILED, strerror(errno), why);
  if (!S_ISREG(st.st_mode))
    return say(HOLD_FOREIGN, state_file_fault(&st), why);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? say(HOLD_HELD, "another run holds it", why)
                                : say(HOLD_FAILED, strerror(errno), why);
  *again = !is_there(dir, name, &st) || fstat(fd, &st) != 0;
  *size = (uint64_t)st.st_size;
  return !*again && state_file_fault(&st)
             ? say(HOLD_FOREIGN, state_file_fault(&st), why)
             : HOLD_OURS;
}

enum hold hold_open(int dir, const char *name, int *fd, uint64_t *size,
                    const char **why)
{
  for (int i = 0; i < TRIES; i++) {
    bool again = false;
    *fd = openat(dir, name,
                 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
                     O_CLOEXEC,
                 0600);
    if (*fd < 0)
      return unopened(why);
    enum hold end = try(dir, name, *fd, size, &again, why);
    if (end == HOLD_OURS && !again)
      return end;
    close(*fd);
    *fd = -1;
    if (end != HOLD_OURS)
      return end;
  }
  return say(HOLD_HELD, "other runs take it away", why);
}
