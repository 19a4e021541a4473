/* SPDX-License-Identifier: MIT
 *
 * child - see child.h.
 */
#include "io/child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "io/stream.h"
#include "io/sys.h"

enum { MAX_WORDS = 64, SHORT_PAUSE_US = 500, LONG_PAUSE_US = 20000 };

/* One buffer of words, each ended by a NUL, and where they begin. */
struct words {
  char *text; /* owned */
  char *argv[MAX_WORDS + 1];
  size_t n;
};

static enum err wrong(struct error *e, const char *what)
{
  return err_set(e, ERR_CREDENTIALS, "the helper's command %s", what);
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes one word off *FROM to *TO; false when a quote is left open.  Within
 * double quotes a backslash is itself but before those two. */
static bool take_word(const char **from, char **to)
{
  char quote = '\0';
  const char *p = *from;
  char *out = *to;
  for (; *p && (quote || !is_blank(*p)); p++) {
    if (*p == quote)
      quote = '\0';
    else if (!quote && (*p == '\'' || *p == '"'))
      quote = *p;
    else if (*p == '\\' && p[1] &&
             (!quote || (quote == '"' && strchr("\"\\", p[1]))))
      *out++ = *++p;
    else
      *out++ = *p;
  }
  *out++ = '\0';
  *from = p;
  *to = out;
  return !quote;
}

static enum err split(const char *line, struct words *w, struct error *e)
{
  w->text = malloc(strlen(line) + 2);
  if (!w->text)
    return err_set(e, ERR_INTERNAL, "out of memory");
  char *to = w->text;
  for (;;) {
    while (is_blank(*line))
      line++;
    if (!*line)
      break;
    if (w->n == MAX_WORDS)
      return wrong(e, "has too many words");
    w->argv[w->n++] = to;
    if (!take_word(&line, &to))
      return wrong(e, "has a quote that is not closed");
  }
  return w->n ? ERR_OK : wrong(e, "is empty");
}

/* ---- its output ---- */

static enum err read_some(struct stream *s, struct buf *out, bool *moved,
                          struct error *e)
{
  char chunk[4096];
  struct error why = {0};
  long n = stream_read(s, chunk, sizeof chunk, &why);
  enum err err = ERR_OK;
  *moved = n > 0;
  if (n < 0)
    err = err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  else if (out->len + (size_t)n > CHILD_MAX_OUTPUT)
    err = err_set(e, ERR_CREDENTIALS, "%s: prints more than 64 KiB", s->name);
  else if (n && buf_add(out, chunk, (size_t)n))
    err = err_set(e, ERR_INTERNAL, "out of memory");
  buf_wipe(chunk, sizeof chunk);
  return err;
}

static enum err in_time(const struct stream *s, int64_t start_mono_ms,
                        int64_t deadline_mono_ms, struct error *e)
{
  int64_t now = sys_now().mono_ms;
  if (sys_interrupted())
    return err_set(e, ERR_INTERRUPTED, "interrupted by a signal");
  if (now >= deadline_mono_ms)
    return err_set(e, ERR_DEADLINE, "the deadline has passed");
  if (now - start_mono_ms >= CHILD_MAX_MS)
    return err_set(e, ERR_CREDENTIALS, "%s: took longer than 60 s", s->name);
  return ERR_OK;
}

/* Until its output ends and it has ended, too. */
static enum err follow(struct stream *s, int64_t deadline_mono_ms,
                       struct buf *out, struct error *e)
{
  int64_t start = sys_now().mono_ms, pause_us = SHORT_PAUSE_US;
  enum err err = ERR_OK;
  while (!err && !(s->at_end && stream_ended(s))) {
    bool moved = false;
    if (!s->at_end)
      err = read_some(s, out, &moved, e);
    if (!err)
      err = in_time(s, start, deadline_mono_ms, e);
    if (err || moved || s->at_end)
      pause_us = SHORT_PAUSE_US;
    else if (pause_us < LONG_PAUSE_US)
      pause_us *= 2;
    if (!err && !moved)
      sys_pause_us(pause_us);
  }
  return err;
}

enum err child_output(const char *line, int64_t deadline_mono_ms,
                      struct buf *out, struct error *e)
{
  struct words w = {.n = 0};
  struct stream s = {.fd = -1};
  struct error why = {0};
  enum err err = split(line, &w, e);
  if (!err && stream_open_helper(&s, w.argv, &why))
    err = err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  if (!err) {
    err = follow(&s, deadline_mono_ms, out, e);
    if (!err && s.exit_status)
      err = err_set(e, ERR_CREDENTIALS, "%s: ended with status %d", s.name,
                    s.exit_status);
    stream_close(&s, SIGTERM);
  }
  free(w.text);
  return err;
}
