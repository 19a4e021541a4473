/* SPDX-License-Identifier: MIT
 *
 * journal_age - see journal_age.h.
 */
#include "io/journal_age.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sys.h"

enum { MOST_NAMES = 1000, NAME_DIGITS = 64, DAYS = 7 };

static bool is_journal(const char *name)
{
  const char *end = name + strspn(name, "0123456789abcdef");
  return end - name == NAME_DIGITS &&
         (strcmp(end, ".ndjson") == 0 || strcmp(end, ".ndjson.old") == 0);
}

/* A date ahead of the clock is no age. */
static bool is_old(const struct stat *st)
{
  return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
         sys_now().wall_ms / 1000 - st->st_mtim.tv_sec > DAYS * 86400L;
}

/* Whoever holds it has its lock, whatever its date.  One that was begun anew
 * under this name meanwhile has another inode, and its date is of now. */
static void remove_old(int dir, const char *name)
{
  struct stat st;
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && is_old(&st) &&
      fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_old(&st))
    (void)unlinkat(dir, name, 0);
  close(fd);
}

void journal_age_out(int dir, const char *kept)
{
  int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = own >= 0 ? fdopendir(own) : NULL;
  const struct dirent *entry;
  struct stat st;
  if (!d && own >= 0)
    close(own);
  for (int i = 0; d && i < MOST_NAMES && (entry = readdir(d)) != NULL; i++)
    if (is_journal(entry->d_name) && strcmp(entry->d_name, kept) != 0 &&
        fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_old(&st))
      remove_old(dir, entry->d_name);
  if (d)
    closedir(d);
}
