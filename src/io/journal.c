/* SPDX-License-Identifier: MIT
 *
 * journal - see journal.h.
 */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/fd.h"
#include "io/hold.h"
#include "io/journal_age.h"
#include "io/state_file.h"

static const char *base(const struct journal *j)
{
  return strrchr(j->path, '/') + 1;
}

static enum journal_end nowhere(const char **why, const char *words)
{
  *why = words;
  return JOURNAL_NOWHERE;
}

/* ---- its place ---- */

static bool find_place(struct journal *j, const char *state_file,
                       const char *name)
{
  struct buf path = {0};
  char *state = state_file_place(state_file);
  const char *slash = state ? strrchr(state, '/') : NULL;
  enum err err = state ? ERR_OK : ERR_INTERNAL;
  if (slash)
    err = buf_add(&path, state, (size_t)(slash - state) + 1);
  else if (!err)
    err = buf_adds(&path, "./");
  if (!err)
    err = buf_addf(&path, "uploads/%s.ndjson", name);
  free(state);
  j->path = err ? NULL : buf_take(&path);
  buf_release(&path);
  return j->path != NULL;
}

/* Names in it can be trusted only if nobody else makes them. */
static enum journal_end open_dir(struct journal *j, const char **why)
{
  struct stat st;
  char *dir = strndup(j->path, (size_t)(base(j) - j->path));
  if (!dir)
    return nowhere(why, "out of memory");
  dir[strlen(dir) - 1] = '\0';
  j->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int failed = j->dir < 0 || fstat(j->dir, &st) != 0 ? errno : 0;
  free(dir);
  if (failed)
    return nowhere(why, strerror(failed));
  if (st.st_uid != geteuid() || st.st_mode & 022)
    return nowhere(why, "its folder may be written by others");
  return JOURNAL_OPEN;
}

/* ---- the file ---- */

static enum journal_end hold(struct journal *j, const char **why)
{
  switch (hold_open(j->dir, base(j), &j->fd, &j->size, why)) {
  case HOLD_OURS:
    return JOURNAL_OPEN;
  case HOLD_HELD:
    return JOURNAL_HELD;
  case HOLD_FOREIGN:
    return JOURNAL_FOREIGN;
  case HOLD_FAILED:
    break;
  }
  return JOURNAL_NOWHERE;
}

static enum journal_end too_large(struct journal *j, const char **why)
{
  close(j->fd);
  j->fd = -1;
  *why = "is too large";
  return JOURNAL_FOREIGN;
}

/* What was torn is cut off, so that the next line begins where one should. */
static bool read_lines(struct journal *j)
{
  if (!fd_read_all(j->fd, JOURNAL_MAX_BYTES, &j->text))
    return false;
  const char *nl =
      j->text.len ? memrchr(j->text.data, '\n', j->text.len) : NULL;
  buf_cut(&j->text, nl ? (size_t)(nl - j->text.data) + 1 : 0);
  j->size = j->text.len;
  return ftruncate(j->fd, (off_t)j->size) == 0;
}

enum journal_end journal_open(struct journal *j, const char *state_file,
                              const char *name, const char **why)
{
  bool absent = false;
  *j = (struct journal){.fd = -1, .dir = -1};
  if (!find_place(j, state_file, name))
    return nowhere(why, "no folder is fit for it");
  if (!state_file_make_dirs(j->path, why, &absent))
    return JOURNAL_NOWHERE;
  enum journal_end end = open_dir(j, why);
  if (end == JOURNAL_OPEN)
    end = hold(j, why);
  if (j->dir >= 0)
    journal_age_out(j->dir, base(j));
  if (end != JOURNAL_OPEN)
    return end;
  if (j->size > JOURNAL_MAX_BYTES)
    return too_large(j, why);
  return read_lines(j) ? JOURNAL_OPEN : nowhere(why, strerror(errno));
}

bool journal_next(const struct journal *j, size_t *pos, struct kv *out)
{
  if (*pos >= j->text.len)
    return false;
  const char *line = j->text.data + *pos;
  size_t len =
      (size_t)((const char *)memchr(line, '\n', j->text.len - *pos) - line);
  *pos += len + 1;
  (void)note_read(line, len, out);
  return true;
}

bool journal_add(struct journal *j, const struct kv *facts, bool lasting)
{
  struct buf line = {0};
  bool ok = j->fd >= 0 && !note_write(&line, facts) &&
            j->size + line.len <= JOURNAL_MAX_BYTES;
  if (ok && !fd_write_at(j->fd, j->size, line.data, line.len)) {
    ok = false;
    (void)!ftruncate(j->fd, (off_t)j->size);
  }
  if (ok)
    j->size += line.len;
  buf_release(&line);
  if (!ok || !lasting)
    return ok;
  /* Some file systems cannot sync a folder; the file itself has been. */
  ok = fsync(j->fd) == 0;
  (void)fsync(j->dir);
  return ok;
}

bool journal_set_aside(struct journal *j, const char **why)
{
  struct buf old = {0};
  int held = j->fd;
  bool ok = !buf_addf(&old, "%s.old", base(j)) &&
            renameat(j->dir, base(j), j->dir, buf_str(&old)) == 0;
  if (!ok)
    *why = strerror(errno);
  buf_release(&old);
  buf_clear(&j->text);
  j->size = 0;
  j->fd = -1;
  /* The old one stays locked until the new one is. */
  if (ok) {
    *why = "another run has taken its place";
    ok = hold(j, why) == JOURNAL_OPEN && j->size == 0;
  }
  if (held >= 0)
    close(held);
  if (!ok && j->fd >= 0) {
    close(j->fd);
    j->fd = -1;
  }
  return ok;
}

bool journal_clear(struct journal *j)
{
  buf_clear(&j->text);
  j->size = 0;
  return j->fd >= 0 && ftruncate(j->fd, 0) == 0;
}

void journal_remove(struct journal *j)
{
  if (j->fd >= 0)
    (void)unlinkat(j->dir, base(j), 0);
}

void journal_close(struct journal *j)
{
  if (j->fd >= 0)
    close(j->fd);
  if (j->dir >= 0)
    close(j->dir);
  free(j->path);
  buf_release(&j->text);
  *j = (struct journal){.fd = -1, .dir = -1};
}
