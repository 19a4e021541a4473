/* SPDX-License-Identifier: MIT
 *
 * file_part - see file_part.h.
 */
#include "io/file_part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "io/hold.h"
#include "io/note.h"
#include "io/state_file.h"

#define BOOT "/proc/sys/kernel/random/boot_id"

enum { NOTE_MAX = 16384 };

static enum err failed(struct error *e, const char *what)
{
  return err_set(e, ERR_LOCAL, "%s: %s", what, strerror(errno));
}

/* ---- the file ---- */

/* Of our own, but not as we leave them: it is begun anew. */
static bool remove_own(const struct file_sink *s)
{
  struct stat st;
  return lstat(s->temp, &st) == 0 && st.st_uid == geteuid() &&
         !S_ISDIR(st.st_mode) && unlink(s->temp) == 0;
}

enum err file_part_open(struct file_sink *s, struct error *e)
{
  const char *why = NULL;
  enum hold end = hold_open(AT_FDCWD, s->temp, &s->fd, &s->left, &why);
  if (end == HOLD_FOREIGN && remove_own(s))
    end = hold_open(AT_FDCWD, s->temp, &s->fd, &s->left, &why);
  if (end == HOLD_OURS)
    return ERR_OK;
  s->held = end == HOLD_HELD;
  err_set(e, ERR_LOCAL, "%s: %s", end == HOLD_FAILED ? s->name : s->temp,
          end == HOLD_HELD ? "another run fetches this file" : why);
  /* It is not ours to remove. */
  free(s->temp);
  s->temp = NULL;
  return ERR_LOCAL;
}

/* Renamed while it is locked: nobody may go on with what is in its place. */
enum err file_part_publish(struct file_sink *s, struct error *e)
{
  if (rename(s->temp, s->path) != 0)
    return failed(e, s->name);
  (void)state_file_remove(s->note);
  close(s->fd);
  s->fd = -1;
  free(s->temp);
  s->temp = NULL;
  file_sync_dir(s->path);
  return ERR_OK;
}

void file_part_close(struct file_sink *s)
{
  if (s->noted)
    return;
  unlink(s->temp);
  (void)state_file_remove(s->note);
}

enum err file_part_go_on(struct file_sink *s, uint64_t bytes, struct error *e)
{
  if (ftruncate(s->fd, (off_t)bytes) != 0 ||
      lseek(s->fd, (off_t)bytes, SEEK_SET) < 0)
    return failed(e, s->name);
  s->written = bytes;
  return ERR_OK;
}

/* ---- the note ---- */

static bool boot_id(struct buf *out)
{
  bool ok = !file_slurp(BOOT, 64, out, NULL) && out->len > 0;
  if (ok && out->data[out->len - 1] == '\n')
    buf_cut(out, out->len - 1);
  return ok;
}

static uint64_t trusted(const struct file_sink *s, const struct kv *facts)
{
  const char *boot = kv_get(facts, "boot"), *synced = kv_get(facts, "synced");
  struct buf now = {0};
  uint64_t bytes = 0;
  bool same = boot && boot_id(&now) && strcmp(boot, buf_str(&now)) == 0;
  buf_release(&now);
  if (same)
    return s->left;
  if (synced)
    (void)codec_u64(synced, 0, INT64_MAX, &bytes);
  return bytes < s->left ? bytes : s->left;
}

bool file_part_read(struct file_sink *s, struct kv *facts, uint64_t *bytes)
{
  struct buf text = {0};
  const char *why;
  bool ok = state_file_read(s->note, NOTE_MAX, &text, &why) == STATE_FILE_OK &&
            text.len && text.data[text.len - 1] == '\n' &&
            note_read(text.data, text.len - 1, facts);
  buf_release(&text);
  s->noted = ok;
  if (ok)
    *bytes = trusted(s, facts);
  return ok;
}

static enum err compose(const struct kv *facts, uint64_t bytes, struct buf *out)
{
  struct kv all = {0};
  struct buf boot = {0};
  enum err err = kv_copy(&all, facts, NULL);
  if (!err && boot_id(&boot))
    err = kv_set(&all, "boot", buf_str(&boot), NULL);
  if (!err)
    err = kv_addf(&all, NULL, "synced", "%" PRIu64, bytes);
  if (!err)
    err = note_write(out, &all);
  kv_release(&all);
  buf_release(&boot);
  return err;
}

/* The note must not outlive a loss of power that its bytes do not. */
bool file_part_write(struct file_sink *s, const struct kv *facts,
                     uint64_t bytes)
{
  struct buf line = {0};
  const char *why;
  bool ok = !compose(facts, bytes, &line) &&
            (bytes == 0 || fdatasync(s->fd) == 0) &&
            state_file_replace(s->note, &line, &why);
  if (ok)
    s->noted = true;
  buf_release(&line);
  return ok;
}

void file_part_forget(struct file_sink *s)
{
  if (state_file_remove(s->note))
    file_sync_dir(s->note);
  s->noted = false;
}
