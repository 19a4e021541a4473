/* SPDX-License-Identifier: MIT
 *
 * tokens - see tokens.h.
 */
#include "io/tokens.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/kv.h"
#include "io/note.h"
#include "io/state_file.h"
#include "io/sys.h"

enum { MAX_TOKEN_FILE = 65536, NAME_LEN = 64, OLD_S = 86400 };

/* ---- the folder ---- */

static const char *env(const char *name)
{
  const char *value = getenv(name);
  return value && *value == '/' ? value : NULL;
}

/* The one that goes when the session ends comes first. */
static bool folder_name(struct buf *out)
{
  const char *runtime = env("XDG_RUNTIME_DIR");
  const char *cache = env("XDG_CACHE_HOME"), *home = env("HOME");
  if (!runtime && !cache && !home)
    return false;
  return !(runtime || cache
               ? buf_addf(out, "%s/ank/tokens/", runtime ? runtime : cache)
               : buf_addf(out, "%s/.cache/ank/tokens/", home));
}

/* Ours and closed to others, or it is not used. */
static int open_folder(bool make)
{
  struct buf path = {0};
  const char *why;
  bool absent = false;
  int fd = -1;
  struct stat st;
  if (folder_name(&path) &&
      (!make || state_file_make_dirs(buf_str(&path), &why, &absent))) {
    buf_cut(&path, path.len - 1);
    fd = open(buf_str(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  buf_release(&path);
  if (fd >= 0 &&
      (fstat(fd, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 077)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* ---- one file ---- */

static bool read_file(int dir, const char *name, struct buf *out)
{
  char chunk[4096];
  struct stat st;
  ssize_t n = 0;
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool good = fd >= 0 && fstat(fd, &st) == 0 && !state_file_fault(&st) &&
              !(st.st_mode & 077);
  while (good && (n = read(fd, chunk, sizeof chunk)) > 0)
    good = out->len + (size_t)n <= MAX_TOKEN_FILE &&
           !buf_add(out, chunk, (size_t)n);
  buf_wipe(chunk, sizeof chunk);
  if (fd >= 0)
    close(fd);
  return good && n == 0;
}

static bool write_all(int fd, const struct buf *data)
{
  size_t done = 0;
  while (done < data->len) {
    ssize_t n = write(fd, data->data + done, data->len - done);
    if (n <= 0 && errno != EINTR)
      return false;
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool write_file(int dir, const char *name, const struct buf *data)
{
  char temp[NAME_LEN + 32];
  (void)snprintf(temp, sizeof temp, "%s.%016" PRIx64, name, sys_random());
  int fd = openat(dir, temp,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return false;
  bool good = write_all(fd, data);
  good = close(fd) == 0 && good;
  good = good && renameat(dir, temp, dir, name) == 0;
  if (!good)
    (void)unlinkat(dir, temp, 0);
  return good;
}

/* Nobody asks any more for what credentials have given that are replaced. */
static void sweep(int dir, int64_t wall_ms)
{
  int copy = dup(dir);
  DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
  struct dirent *entry;
  struct stat st;
  if (!d) {
    if (copy >= 0)
      close(copy);
    return;
  }
  while ((entry = readdir(d)) != NULL)
    if (entry->d_name[0] != '.' &&
        fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode) && wall_ms / 1000 - st.st_mtime > OLD_S)
      (void)unlinkat(dir, entry->d_name, 0);
  closedir(d);
}

/* ---- its content ---- */

static bool keep(const struct kv *facts, const char *name, struct buf *to)
{
  const char *value = kv_get(facts, name);
  return value && !buf_sets(to, value);
}

static bool understand(const struct buf *line, int64_t wall_ms,
                       struct creds *out, int64_t *ends_ms)
{
  struct kv facts = {0};
  struct creds c;
  uint64_t ends = 0;
  creds_init(&c);
  bool good = line->len && line->data[line->len - 1] == '\n' &&
              note_read(buf_str(line), line->len - 1, &facts);
  const char *kind = good ? kv_get(&facts, "kind") : NULL;
  const char *until = good ? kv_get(&facts, "ends") : NULL;
  good = kind && until && codec_u64(until, 1, INT64_MAX, &ends) &&
         (int64_t)ends > wall_ms && keep(&facts, "key_id", &c.key_id) &&
         keep(&facts, "secret", &c.secret) && keep(&facts, "token", &c.token);
  c.kind = good && strcmp(kind, "keys") == 0     ? CREDS_KEYS
           : good && strcmp(kind, "bearer") == 0 ? CREDS_BEARER
                                                 : CREDS_NONE;
  good = good && creds_present(&c);
  kv_release(&facts);
  if (!good) {
    creds_release(&c);
    return false;
  }
  creds_release(out);
  *out = c;
  *ends_ms = (int64_t)ends;
  return true;
}

bool tokens_read(const char *name, int64_t wall_ms, struct creds *out,
                 int64_t *ends_ms)
{
  struct buf line = {.secret = true};
  int dir = open_folder(false);
  bool good = dir >= 0 && read_file(dir, name, &line) &&
              understand(&line, wall_ms, out, ends_ms);
  if (dir >= 0)
    close(dir);
  buf_release(&line);
  return good;
}

static enum err put_into_words(const struct creds *c, int64_t ends_ms,
                               struct buf *out)
{
  struct kv facts = {0};
  enum err err =
      kv_add(&facts, "kind", c->kind == CREDS_KEYS ? "keys" : "bearer", NULL);
  if (!err)
    err = kv_add(&facts, "key_id", buf_str(&c->key_id), NULL);
  if (!err)
    err = kv_add(&facts, "secret", buf_str(&c->secret), NULL);
  if (!err)
    err = kv_add(&facts, "token", buf_str(&c->token), NULL);
  if (!err)
    err = kv_addf(&facts, NULL, "ends", "%" PRId64, ends_ms);
  if (!err)
    err = note_write(out, &facts);
  kv_release(&facts);
  return err;
}

bool tokens_write(const char *name, const struct creds *c, int64_t ends_ms,
                  int64_t wall_ms)
{
  struct buf line = {.secret = true};
  int dir = open_folder(true);
  bool good = dir >= 0 && !put_into_words(c, ends_ms, &line) &&
              write_file(dir, name, &line);
  if (good)
    sweep(dir, wall_ms);
  if (dir >= 0)
    close(dir);
  buf_release(&line);
  return good;
}
