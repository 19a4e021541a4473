/* SPDX-License-Identifier: MIT
 *
 * config_header - see config_header.h.
 */
#include "cli/config_header.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "io/file.h"

enum { MAX_FILE = 1 << 20 };

static const char *const reserved[] = {
    "Host",
    "Authorization",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Expect",
    "Range",
    "Date",
    "x-amz-date",
    "x-amz-content-sha256",
    "x-amz-security-token",
    "x-goog-date",
    "x-goog-content-sha256",
    "x-ms-date",
    "x-content-sha256",
};

static bool is_reserved(const char *name, size_t len)
{
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strlen(reserved[i]) == len &&
        codec_starts_nocase(name, len, reserved[i]))
      return true;
  return false;
}

static enum err add_line(struct kv *headers, const char *where,
                         const char *line, size_t len, struct error *e)
{
  const char *colon = memchr(line, ':', len);
  size_t name_len = colon ? (size_t)(colon - line) : 0;
  if (!colon || !codec_is_token(line, name_len))
    return err_set(e, ERR_USAGE, "%s: a header is 'Name: value'", where);
  if (is_reserved(line, name_len))
    return err_set(e, ERR_USAGE, "%s: %.*s is set by ank itself", where,
                   (int)name_len, line);
  const char *value = colon + 1;
  size_t value_len = len - name_len - 1;
  while (value_len && (*value == ' ' || *value == '\t')) {
    value++;
    value_len--;
  }
  enum err err = kv_addn(headers, line, name_len, value, value_len, e);
  return err == ERR_USAGE ? err_prefix(e, "%s: ", where) : err;
}

static enum err add_lines(struct kv *headers, const char *source,
                          const char *path, const struct buf *text,
                          struct error *e)
{
  const char *p = buf_str(text), *end = p + text->len;
  enum err err = ERR_OK;
  for (int line = 1; p < end && !err; line++) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    size_t len = (size_t)((newline ? newline : end) - p);
    size_t used = len && p[len - 1] == '\r' ? len - 1 : len;
    char where[300];
    (void)snprintf(where, sizeof where, "%s: %.200s line %d", source, path,
                   line);
    if (used && *p != '#')
      err = add_line(headers, where, p, used, e);
    p += len + 1;
  }
  return err;
}

enum err config_header(struct kv *headers, const char *source, const char *text,
                       struct error *e)
{
  struct buf file = {.secret = true};
  struct error why = {0};
  if (*text != '@')
    return add_line(headers, source, text, strlen(text), e);
  enum err err = file_slurp(text + 1, MAX_FILE, &file, &why);
  if (err)
    err = err_set(e, ERR_USAGE, "%s: %s", source, why.msg);
  else
    err = add_lines(headers, source, text + 1, &file, e);
  buf_release(&file);
  return err;
}
