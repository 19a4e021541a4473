/* SPDX-License-Identifier: MIT
 *
 * state - see state.h.
 */
#include "io/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/state_file.h"
#include "io/state_line.h"
#include "io/sys.h"

#define VERSION_LINE "{\"ank_state\":1}\n"
#define VERSION_HEAD "{\"ank_state\":"

enum { LONGEST_PATIENCE_MS = 2000, CLOCK_SLACK_MS = 1000 };

static void warn(struct state *s, const char *why, const char *words)
{
  if (s->warned)
    return;
  s->warned = s->warning_due = true;
  s->why = why;
  (void)snprintf(s->text, sizeof s->text, "%s", words);
}

enum err state_open(struct state *s, const char *explicit_path, struct error *e)
{
  *s = (struct state){.off = true};
  if (explicit_path && !*explicit_path)
    return err_set(e, ERR_USAGE, "--state-file: the name is empty");
  *s = (struct state){.path = state_file_place(explicit_path),
                      .patience_ms = LONGEST_PATIENCE_MS};
  if (s->path)
    return ERR_OK;
  s->off = true;
  if (explicit_path)
    return err_set(e, ERR_INTERNAL, "out of memory");
  warn(s, "state_no_place", "there is no place to keep the breaker's state");
  return ERR_OK;
}

/* ---- lines ---- */

struct line {
  const char *at;
  size_t len; /* with its newline */
};

/* The next line that is whole, and begins and ends as a scope's does; others
 * are passed over and noted. */
static bool next_line(const struct buf *text, size_t *pos, struct line *out,
                      bool *torn)
{
  static const char head[] = "{\"scope\":\"";
  while (*pos < text->len) {
    const char *p = text->data + *pos;
    const char *nl = memchr(p, '\n', text->len - *pos);
    size_t len = nl ? (size_t)(nl - p) + 1 : text->len - *pos;
    *pos += len;
    if (nl && len > sizeof head && memcmp(p, head, sizeof head - 1) == 0 &&
        nl[-1] == '}') {
      *out = (struct line){p, len};
      return true;
    }
    *torn = true;
  }
  return false;
}

static bool is_scope(const struct line *l, const struct buf *head)
{
  return l->len > head->len && memcmp(l->at, head->data, head->len) == 0;
}

/* ---- reading ---- */

/* TEXT begins with the version line of some release. */
static bool is_version_line(const struct buf *text)
{
  size_t head = strlen(VERSION_HEAD);
  const char *nl = text->len ? memchr(text->data, '\n', text->len) : NULL;
  return nl && text->len > head && nl > text->data + head && nl[-1] == '}' &&
         memcmp(text->data, VERSION_HEAD, head) == 0;
}

static enum state_file refuse(struct state *s, const char *why,
                              const char *words)
{
  s->off = true;
  warn(s, why, words);
  return STATE_FILE_REFUSED;
}

/* TEXT becomes the file's lines, or empty.  REFUSED: leave the place alone. */
static enum state_file load(struct state *s, struct buf *text)
{
  const char *why = NULL;
  size_t version = strlen(VERSION_LINE);
  if (s->off || !s->path)
    return STATE_FILE_REFUSED;
  enum state_file got = state_file_read(s->path, STATE_MAX_BYTES, text, &why);
  if (got == STATE_FILE_REFUSED)
    return refuse(s, "state_refused", why);
  if (got == STATE_FILE_BROKEN) {
    warn(s, "state_damaged", why);
    buf_clear(text);
  }
  if (got != STATE_FILE_OK ||
      (text->len >= version && memcmp(text->data, VERSION_LINE, version) == 0))
    return got;
  if (is_version_line(text))
    return refuse(s, "state_version", "is of another version");
  warn(s, "state_damaged", text->len ? "is damaged" : "is empty");
  buf_clear(text);
  return STATE_FILE_OK;
}

static size_t first_line(const struct buf *text)
{
  return text->len ? strlen(VERSION_LINE) : 0;
}

static void find(struct state *s, const struct buf *text, const char *scope,
                 struct scope *out)
{
  struct buf head = {0};
  struct line l;
  size_t pos = first_line(text);
  bool torn = false;
  *out = (struct scope){0};
  if (!state_line_head(&head, scope))
    while (next_line(text, &pos, &l, &torn))
      if (is_scope(&l, &head) && !state_line_read(l.at, l.len, NULL, out))
        torn = true;
  if (torn)
    warn(s, "state_damaged", "has damaged lines");
  buf_release(&head);
}

void state_peek(struct state *s, const char *scope, struct scope *out)
{
  struct buf text = {0};
  *out = (struct scope){0};
  if (load(s, &text) != STATE_FILE_REFUSED)
    find(s, &text, scope, out);
  buf_release(&text);
}

bool state_each(struct state *s, state_each_fn *fn, void *ctx)
{
  struct buf text = {0}, name = {0};
  struct scope scope;
  struct line l;
  enum state_file got = load(s, &text);
  bool torn = false, ok = got == STATE_FILE_OK || got == STATE_FILE_NONE;
  size_t pos = first_line(&text);
  while (ok && next_line(&text, &pos, &l, &torn)) {
    if (state_line_read(l.at, l.len, &name, &scope))
      fn(ctx, buf_str(&name), &scope);
    else
      torn = true;
  }
  if (torn)
    warn(s, "state_damaged", "has damaged lines");
  buf_release(&text);
  buf_release(&name);
  return ok;
}

/* ---- writing ---- */

/* The line to give up when there are too many: the least recently used one
 * that is closed, else the least recently used.  One that was seen in the
 * future was seen before the clock went back: it goes first, or those in use
 * would drive out one another for as long. */
static const char *least_used(const struct buf *text, int64_t wall_ms)
{
  const char *closed = NULL, *any = NULL;
  int64_t closed_seen = INT64_MAX, any_seen = INT64_MAX;
  struct line l;
  bool torn = false;
  for (size_t pos = first_line(text); next_line(text, &pos, &l, &torn);) {
    struct scope scope;
    (void)state_line_read(l.at, l.len, NULL, &scope);
    if (scope.seen_ms > wall_ms + CLOCK_SLACK_MS)
      scope.seen_ms = 0;
    if (scope.seen_ms < any_seen) {
      any_seen = scope.seen_ms;
      any = l.at;
    }
    if (!scope.breaker.open && scope.seen_ms < closed_seen) {
      closed_seen = scope.seen_ms;
      closed = l.at;
    }
  }
  return closed ? closed : any;
}

static size_t count_lines(const struct buf *text, const struct buf *head)
{
  struct line l;
  bool torn = false;
  size_t n = 0;
  for (size_t pos = first_line(text); next_line(text, &pos, &l, &torn);)
    n += !is_scope(&l, head);
  return n;
}

/* All lines but ours as they are, then ours. */
static enum err compose(const struct buf *text, const char *name,
                        const struct scope *scope, struct buf *out)
{
  struct buf head = {0};
  struct line l;
  bool torn = false;
  enum err err = state_line_head(&head, name);
  if (!err)
    err = buf_adds(out, VERSION_LINE);
  const char *drop = !err && count_lines(text, &head) >= STATE_MAX_SCOPES
                         ? least_used(text, scope->seen_ms)
                         : NULL;
  for (size_t pos = first_line(text); !err && next_line(text, &pos, &l, &torn);)
    if (!is_scope(&l, &head) && l.at != drop)
      err = buf_add(out, l.at, l.len);
  if (!err)
    err = state_line_write(out, name, scope);
  buf_release(&head);
  return err;
}

static int lock(struct state *s, const char **why)
{
  *why = s->text;
  if (s->off || s->no_updates || !s->path)
    return -1;
  if (!state_file_make_dirs(s->path, why, &s->absent)) {
    s->off = true;
    warn(s, "state_absent", *why);
    return -1;
  }
  int fd = state_file_lock(s->path, s->patience_ms, why);
  if (fd < 0) {
    /* Waiting once was enough: what follows is not written either. */
    s->no_updates = true;
    warn(s, "state_not_updated", *why);
  }
  return fd;
}

/* Puts OUT in the file's place, if COMPOSED, and ends the locked part. */
static bool store(struct state *s, int fd, bool composed, const struct buf *out)
{
  const char *why = "out of memory";
  bool stored = composed && state_file_replace(s->path, out, &why);
  if (!stored) {
    s->no_updates = s->unwritable = true;
    warn(s, "state_not_updated", why);
    (void)snprintf(s->unstored, sizeof s->unstored, "%s", why);
  }
  state_file_unlock(fd);
  return stored;
}

/* The lock, and the file's lines in TEXT; -1 when nothing can be stored. */
static int begin(struct state *s, struct buf *text)
{
  const char *why = NULL;
  int fd = lock(s, &why);
  if (fd >= 0 && load(s, text) == STATE_FILE_REFUSED) {
    state_file_unlock(fd);
    fd = -1;
    why = s->text;
  }
  (void)snprintf(s->unstored, sizeof s->unstored, "%s", fd < 0 ? why : "");
  return fd;
}

bool state_writable(struct state *s)
{
  const char *why = NULL;
  if (s->off || s->unwritable || !s->path)
    return false;
  if (state_file_writable(s->path, &why))
    return true;
  s->no_updates = s->unwritable = true;
  warn(s, "state_not_updated", why);
  return false;
}

bool state_step(struct state *s, const char *scope, state_fn *step, void *ctx)
{
  struct buf text = {0}, out = {0};
  struct scope value = {0};
  int fd = begin(s, &text);
  if (fd >= 0)
    find(s, &text, scope, &value);
  else
    state_peek(s, scope, &value);
  int64_t wall_ms = sys_now().wall_ms;
  step(ctx, &value, wall_ms);
  value.seen_ms = wall_ms;
  bool stored =
      fd >= 0 && store(s, fd, !compose(&text, scope, &value, &out), &out);
  buf_release(&text);
  buf_release(&out);
  return stored;
}

/* Every line that can be read, as STEP leaves it. */
static enum err compose_all(const struct buf *text, state_fn *step, void *ctx,
                            struct buf *out)
{
  struct buf name = {0};
  struct scope scope;
  struct line l;
  bool torn = false;
  int64_t wall_ms = sys_now().wall_ms;
  enum err err = buf_adds(out, VERSION_LINE);
  for (size_t pos = first_line(text); !err && next_line(text, &pos, &l, &torn);)
    if (state_line_read(l.at, l.len, &name, &scope)) {
      step(ctx, &scope, wall_ms);
      err = state_line_write(out, buf_str(&name), &scope);
    }
  buf_release(&name);
  return err;
}

bool state_step_all(struct state *s, state_fn *step, void *ctx)
{
  struct buf text = {0}, out = {0};
  int fd = begin(s, &text);
  bool stored =
      fd >= 0 && store(s, fd, !compose_all(&text, step, ctx, &out), &out);
  buf_release(&text);
  buf_release(&out);
  return stored;
}

void state_close(struct state *s)
{
  free(s->path);
  *s = (struct state){0};
}
