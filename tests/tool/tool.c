/* SPDX-License-Identifier: MIT
 *
 * tool - see tool.h.
 */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

void must(enum err code)
{
  if (code == ERR_OK)
    return;
  exit(code == ERR_INTERNAL ? TOOL_OUT_OF_MEMORY : TOOL_BAD_LINE);
}

void bad_line(void)
{
  fputs("ank-test: not a line of this command\n", stderr);
  exit(2);
}

void say(struct buf *out, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  enum err err = buf_vaddf(out, fmt, ap);
  va_end(ap);
  must(err);
}

void say_bytes(struct buf *out, const void *data, size_t len)
{
  must(buf_add(out, data, len));
}

void say_bool(struct buf *out, bool value)
{
  say(out, "%s", value ? "yes" : "no");
}

/* Replaces the escape at S (behind the backslash); how many bytes it took. */
static size_t unescape_one(struct buf *out, const char *s, size_t len)
{
  static const char names[] = "nrts0\\";
  static const char bytes[] = "\n\r\t \0\\";
  if (len >= 3 && s[0] == 'x' && codec_hex_digit(s[1]) >= 0 &&
      codec_hex_digit(s[2]) >= 0) {
    must(buf_addc(out,
                  (char)(codec_hex_digit(s[1]) * 16 + codec_hex_digit(s[2]))));
    return 3;
  }
  const char *name = len > 0 ? memchr(names, s[0], sizeof names - 1) : NULL;
  if (name == NULL) {
    fprintf(stderr, "ank-test: unknown escape: \\%.*s\n", (int)len, s);
    exit(2);
  }
  must(buf_addc(out, bytes[name - names]));
  return 1;
}

void unescape(struct buf *out, const char *s, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    if (s[i] == '\\')
      i += unescape_one(out, s + i + 1, len - i - 1);
    else
      must(buf_addc(out, s[i]));
  }
}

bool field(const char **rest, struct buf *out, bool last)
{
  const char *s = *rest + strspn(*rest, " ");
  if (*s == '\0')
    return false;
  size_t n = last ? strlen(s) : strcspn(s, " ");
  buf_clear(out);
  if (n != 2 || memcmp(s, "''", 2) != 0)
    unescape(out, s, n);
  *rest = s + n;
  return true;
}

bool setting(const char **rest, struct buf *name, struct buf *value)
{
  if (!field(rest, value, false))
    return false;
  const char *eq = strchr(buf_str(value), '=');
  if (eq == NULL)
    bad_line();
  size_t len = (size_t)(eq - buf_str(value));
  buf_clear(name);
  say_bytes(name, buf_str(value), len);
  memmove(value->data, eq + 1, value->len - len);
  buf_cut(value, value->len - len - 1);
  return true;
}

void read_headers(struct kv *headers, const char *text)
{
  while (*text != '\0') {
    size_t line = strcspn(text, "\n");
    size_t name = strcspn(text, ":\n");
    if (name == line)
      bad_line();
    size_t skip = name + 1 + (text[name + 1] == ' ' ? 1 : 0);
    skip = skip < line ? skip : line;
    must(kv_addn(headers, text, name, text + skip, line - skip, NULL));
    text += line + (text[line] == '\n' ? 1 : 0);
  }
}
