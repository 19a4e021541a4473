/* SPDX-License-Identifier: MIT
 *
 * t_file - base/ini and base/xml as commands: a whole small file in a line.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "base/xml.h"
#include "tool.h"

static enum err print_pair(void *ctx, const char *section, const char *name,
                           const char *value, int line, struct error *e)
{
  struct buf *out = ctx;
  say(out, "%s%d:%s.%s=%s", out->len > 0 ? ", " : "", line, section, name,
      value);
  if (strcmp(name, "stop") == 0)
    return err_set(e, ERR_LOCAL, "told to stop");
  return ERR_OK;
}

/* Every pair as "LINE:SECTION.NAME=VALUE", then what was wrong. */
static void ini_line(const struct buf *in, struct buf *out)
{
  struct error e = {0};
  enum err err = ini_parse(buf_str(in), in->len, print_pair, out, &e);
  if (err != ERR_OK)
    say(out, "%s%s: %s", out->len > 0 ? ", " : "", err_name(err), e.msg);
}

/* "SECTION NAME TEXT" */
static void ini_get_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf section = {0};
  struct buf name = {0};
  struct buf text = {0};
  struct error e = {0};
  char untouched[] = "untouched";
  char *value = untouched;
  field(&rest, &section, false);
  field(&rest, &name, false);
  field(&rest, &text, true);
  enum err err = ini_get(buf_str(&text), text.len, buf_str(&section),
                         buf_str(&name), &value, &e);
  say(out, "%s%s", err == ERR_OK ? "" : e.msg, err == ERR_OK ? "" : ", ");
  say(out, "%s", value != NULL ? value : "(none)");
  if (value != untouched)
    free(value);
  buf_release(&section);
  buf_release(&name);
  buf_release(&text);
}

enum { WANTS = 4 };

/* "PATH,PATH DOCUMENT": whole or broken, the root, what was found. */
static void xml_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf paths = {0};
  struct buf text = {0};
  struct buf root = {0};
  struct xml_want wants[WANTS] = {{0}, {0}, {0}, {0}};
  size_t n = 0;
  field(&rest, &paths, false);
  field(&rest, &text, true);
  char *save = NULL;
  for (char *p = strtok_r(paths.data, ",", &save); p != NULL && n < WANTS;
       p = strtok_r(NULL, ",", &save))
    wants[n++].path = p;
  bool whole = xml_read(buf_str(&text), text.len, wants, n, &root);
  say(out, "%s root=%s", whole ? "whole" : "broken", buf_str(&root));
  for (size_t i = 0; i < n; i++) {
    if (wants[i].found || wants[i].text.len > 0)
      say(out, " %s=\"%s\"", wants[i].path, buf_str(&wants[i].text));
    buf_release(&wants[i].text);
  }
  buf_release(&paths);
  buf_release(&text);
  buf_release(&root);
}

/* "DEPTH": a document so deep, its innermost text wanted. */
static void xml_deep_line(const struct buf *in, struct buf *out)
{
  uint64_t depth;
  if (!codec_u64(buf_str(in), 1, 1000, &depth))
    bad_line();
  struct buf path = {0};
  struct buf text = {0};
  for (uint64_t i = 0; i < depth; i++) {
    say(&path, "%sa", i > 0 ? "/" : "");
    say(&text, "<a>");
  }
  say(&text, "x");
  for (uint64_t i = 0; i < depth; i++)
    say(&text, "</a>");
  struct xml_want want = {.path = buf_str(&path)};
  bool whole = xml_read(buf_str(&text), text.len, &want, 1, NULL);
  say(out, "%s %s", whole ? "whole" : "broken",
      want.found ? buf_str(&want.text) : "none");
  buf_release(&want.text);
  buf_release(&path);
  buf_release(&text);
}

static void xml_escape_line(const struct buf *in, struct buf *out)
{
  must(xml_escape(out, buf_str(in)));
}

const struct command file_commands[] = {
    {"ini", ini_line, false},
    {"ini-get", ini_get_line, true},
    {"xml", xml_line, true},
    {"xml-deep", xml_deep_line, false},
    {"xml-escape", xml_escape_line, false},
    {NULL, NULL, false},
};
