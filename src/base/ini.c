/* SPDX-License-Identifier: MIT
 *
 * ini - one pass, one line at a time; a pair is handed out when the line after
 * it shows that it has ended.
 *
 * "Begins with white space" means deeper than the pair's own line, as in
 * Python's configparser (botocore, OCI): a file indented throughout is read
 * like one that is not.
 */
#include "base/ini.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/codec.h"

struct reader {
  struct buf section;
  struct buf name;
  struct buf value;
  int line;      /* the pair began on */
  size_t indent; /* of that line */
  bool open;     /* a pair waits for its end */
  ini_fn *fn;
  ini_section_fn *on_section; /* NULL: nobody asks */
  void *ctx;
  struct error *e;
};

struct slice {
  const char *s;
  size_t len;
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t leading_blanks(struct slice t)
{
  size_t n = 0;
  while (n < t.len && is_blank(t.s[n]))
    n++;
  return n;
}

static struct slice trim(struct slice t)
{
  size_t n = leading_blanks(t);
  t.s += n;
  t.len -= n;
  while (t.len > 0 && is_blank(t.s[t.len - 1]))
    t.len--;
  return t;
}

static enum err put(struct reader *r, struct buf *b, struct slice t)
{
  if (buf_add(b, t.s, t.len) != ERR_OK)
    return err_set(r->e, ERR_INTERNAL, "out of memory");
  return ERR_OK;
}

static enum err end_pair(struct reader *r)
{
  if (!r->open)
    return ERR_OK;
  r->open = false;
  if (!r->fn)
    return ERR_OK;
  return r->fn(r->ctx, buf_str(&r->section), buf_str(&r->name),
               buf_str(&r->value), r->line, r->e);
}

static enum err read_section(struct reader *r, struct slice t, int line)
{
  const char *close = memchr(t.s, ']', t.len);
  if (close == NULL)
    return err_set(r->e, ERR_USAGE, "line %d: no ']' after the section name",
                   line);
  struct slice name = {t.s + 1, (size_t)(close - t.s - 1)};
  struct slice tail = {close + 1, t.len - (size_t)(close + 1 - t.s)};
  name = trim(name);
  tail = trim(tail);
  if (name.len == 0)
    return err_set(r->e, ERR_USAGE, "line %d: empty section name", line);
  if (tail.len > 0 && tail.s[0] != '#' && tail.s[0] != ';')
    return err_set(r->e, ERR_USAGE, "line %d: text after the section name",
                   line);
  buf_clear(&r->section);
  enum err err = put(r, &r->section, name);
  if (err == ERR_OK && r->on_section)
    err = r->on_section(r->ctx, buf_str(&r->section), r->e);
  return err;
}

/* The first '=' or ':', as in Python's configparser; NULL without. */
static const char *find_mark(struct slice t)
{
  for (size_t i = 0; i < t.len; i++)
    if (t.s[i] == '=' || t.s[i] == ':')
      return t.s + i;
  return NULL;
}

static enum err read_pair(struct reader *r, struct slice t, int line)
{
  const char *eq = find_mark(t);
  if (eq == NULL)
    return err_set(r->e, ERR_USAGE, "line %d: no '=' in it", line);
  struct slice name = {t.s, (size_t)(eq - t.s)};
  struct slice value = {eq + 1, t.len - (size_t)(eq + 1 - t.s)};
  name = trim(name);
  if (name.len == 0)
    return err_set(r->e, ERR_USAGE, "line %d: no name before '='", line);
  buf_clear(&r->name);
  buf_clear(&r->value);
  enum err err = put(r, &r->name, name);
  if (err == ERR_OK)
    err = put(r, &r->value, trim(value));
  r->open = err == ERR_OK;
  r->line = line;
  return err;
}

static enum err read_line(struct reader *r, struct slice raw, int line)
{
  if (memchr(raw.s, '\0', raw.len) != NULL)
    return err_set(r->e, ERR_USAGE, "line %d: a NUL byte", line);
  size_t indent = leading_blanks(raw);
  struct slice t = trim(raw);
  if (t.len == 0 || t.s[0] == '#' || t.s[0] == ';')
    return ERR_OK;
  if (r->open && indent > r->indent) {
    enum err err = put(r, &r->value, (struct slice){"\n", 1});
    return err == ERR_OK ? put(r, &r->value, t) : err;
  }
  enum err err = end_pair(r);
  if (err != ERR_OK)
    return err;
  r->indent = indent;
  return t.s[0] == '[' ? read_section(r, t, line) : read_pair(r, t, line);
}

static enum err parse(struct reader *r, const char *data, size_t len)
{
  enum err err = ERR_OK;
  if (len >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
    data += 3;
    len -= 3;
  }
  for (int line = 1; len > 0 && err == ERR_OK; line++) {
    const char *end = memchr(data, '\n', len);
    size_t n = end != NULL ? (size_t)(end - data) : len;
    err = read_line(r, (struct slice){data, n}, line);
    n += end != NULL ? 1 : 0;
    data += n;
    len -= n;
  }
  if (err == ERR_OK)
    err = end_pair(r);
  buf_release(&r->section);
  buf_release(&r->name);
  buf_release(&r->value);
  return err;
}

enum err ini_parse(const char *data, size_t len, ini_fn *fn, void *ctx,
                   struct error *e)
{
  struct reader r = {.fn = fn, .ctx = ctx, .e = e, .value.secret = true};
  return parse(&r, data, len);
}

enum err ini_sections(const char *data, size_t len, ini_section_fn *fn,
                      void *ctx, struct error *e)
{
  struct reader r = {
      .on_section = fn, .ctx = ctx, .e = e, .value.secret = true};
  return parse(&r, data, len);
}

/* One value. */

struct wanted {
  const char *section;
  const char *name;
  struct buf value;
  bool found;
};

static enum err match(void *ctx, const char *section, const char *name,
                      const char *value, int line, struct error *e)
{
  struct wanted *w = ctx;
  (void)line;
  if (strcmp(section, w->section) != 0 || !codec_equal_nocase(name, w->name))
    return ERR_OK;
  if (buf_sets(&w->value, value) != ERR_OK)
    return err_set(e, ERR_INTERNAL, "out of memory");
  w->found = true;
  return ERR_OK;
}

enum err ini_get(const char *data, size_t len, const char *section,
                 const char *name, char **out, struct error *e)
{
  struct wanted w = {section, name, {.secret = true}, false};
  enum err err = ini_parse(data, len, match, &w, e);
  char *value = NULL;
  if (err == ERR_OK && w.found) {
    value = buf_take(&w.value);
    if (value == NULL)
      err = err_set(e, ERR_INTERNAL, "out of memory");
  }
  buf_release(&w.value);
  if (err == ERR_OK)
    *out = value;
  return err;
}

struct seek {
  const char *section;
  bool found;
};

static enum err seek_section(void *ctx, const char *section, struct error *e)
{
  struct seek *seek = ctx;
  (void)e;
  seek->found = seek->found || strcmp(section, seek->section) == 0;
  return ERR_OK;
}

enum err ini_has(const char *data, size_t len, const char *section, bool *out,
                 struct error *e)
{
  struct seek seek = {.section = section};
  enum err err = ini_sections(data, len, seek_section, &seek, e);
  if (!err)
    *out = seek.found;
  return err;
}
