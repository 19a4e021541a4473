/* SPDX-License-Identifier: MIT
 *
 * log - see log.h.
 */
#include "io/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"

enum { SHORTEST_SECRET = 8 };

/* A run that gets new credentials again and again is told of some twice. */
static bool is_known(const struct log *log, const char *secret)
{
  for (size_t i = 0; i < log->n_secrets; i++)
    if (strcmp(buf_str(&log->secrets[i]), secret) == 0)
      return true;
  return false;
}

enum err log_secret(struct log *log, const char *secret)
{
  if (strlen(secret) < SHORTEST_SECRET || is_known(log, secret))
    return ERR_OK;
  struct buf *more = realloc(log->secrets, (log->n_secrets + 1) * sizeof *more);
  if (!more)
    return ERR_INTERNAL;
  log->secrets = more;
  struct buf *slot = &log->secrets[log->n_secrets];
  *slot = (struct buf){.secret = true};
  enum err err = buf_sets(slot, secret);
  if (!err)
    log->n_secrets++;
  return err;
}

static enum err replace(struct buf *line, const char *secret)
{
  struct buf out = {0};
  const char *from = buf_str(line), *hit;
  enum err err = ERR_OK;
  while (!err && (hit = strstr(from, secret)) != NULL) {
    err = buf_add(&out, from, (size_t)(hit - from));
    if (!err)
      err = buf_adds(&out, "REDACTED");
    from = hit + strlen(secret);
  }
  if (!err)
    err = buf_adds(&out, from);
  if (!err) {
    buf_wipe(line->data, line->len);
    buf_release(line);
    *line = out;
  } else {
    buf_release(&out);
  }
  return err;
}

enum err log_scrub(const struct log *log, struct buf *line)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < log->n_secrets && !err; i++)
    if (line->len && strstr(buf_str(line), buf_str(&log->secrets[i])))
      err = replace(line, buf_str(&log->secrets[i]));
  return err;
}

void log_clear(const struct log *log)
{
  if (log->clear)
    log->clear(log->clear_ctx);
}

/* KIND: NULL for the text alone. */
static void say(const struct log *log, const char *kind, const char *fmt,
                va_list ap)
{
  struct buf text = {0}, line = {0};
  enum err err = buf_vaddf(&text, fmt, ap);
  if (!err)
    err = log_scrub(log, &text);
  if (!err && kind)
    err = buf_addf(&line, "%s: %s", log->program ? log->program : "ank", kind);
  if (!err)
    err = codec_visible(&line, buf_str(&text), text.len);
  if (!err)
    err = buf_addc(&line, '\n');
  log_clear(log);
  /* Nobody is left to tell when standard error itself fails. */
  if (!err && write(STDERR_FILENO, line.data, line.len) < 0)
    err = ERR_LOCAL;
  buf_release(&text);
  buf_release(&line);
}

void log_error(const struct log *log, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  say(log, "", fmt, ap);
  va_end(ap);
}

void log_warning(const struct log *log, const char *fmt, ...)
{
  va_list ap;
  if (log->silent)
    return;
  va_start(ap, fmt);
  say(log, "warning: ", fmt, ap);
  va_end(ap);
}

void log_line(const struct log *log, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  say(log, NULL, fmt, ap);
  va_end(ap);
}

void log_release(struct log *log)
{
  for (size_t i = 0; i < log->n_secrets; i++)
    buf_release(&log->secrets[i]);
  free(log->secrets);
  log->secrets = NULL;
  log->n_secrets = 0;
}
