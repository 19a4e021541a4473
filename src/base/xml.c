/* SPDX-License-Identifier: MIT
 *
 * xml - expat's callbacks keep one path, "Error/Code", and compare it with
 * what is wanted.
 *
 * A want counts as found only when its element has ended: the body may be cut
 * anywhere, and half a code is no code.
 */
#include "base/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

struct reader {
  XML_Parser parser;
  struct xml_want *wants;
  size_t n;
  struct buf *root;
  struct buf path;
  size_t ends[DEPTH_MAX]; /* length of the path before each open element */
  size_t depth;
  const char *item; /* of a list; NULL: one document */
  bool (*each)(void *ctx);
  void *ctx;
  bool stopped; /* expat may still end an empty element after a stop */
};

static void stop(struct reader *r)
{
  r->stopped = true;
  XML_StopParser(r->parser, XML_FALSE);
}

static const char *local_part(const char *name)
{
  const char *colon = strrchr(name, ':');
  return colon != NULL ? colon + 1 : name;
}

/* The next wanted element at the current path, from I on; r->n if none. */
static size_t next_want(const struct reader *r, size_t i)
{
  while (i < r->n && (r->wants[i].found ||
                      strcmp(r->wants[i].path, buf_str(&r->path)) != 0))
    i++;
  return i;
}

static bool enter(struct reader *r, const char *name)
{
  if (r->depth == DEPTH_MAX)
    return false;
  if (r->depth == 0 && r->root != NULL && buf_sets(r->root, name) != ERR_OK)
    return false;
  r->ends[r->depth] = r->path.len;
  if (r->depth++ > 0 && buf_addc(&r->path, '/') != ERR_OK)
    return false;
  return buf_adds(&r->path, name) == ERR_OK;
}

static void XMLCALL on_start(void *ctx, const XML_Char *name,
                             const XML_Char **attributes)
{
  struct reader *r = ctx;
  (void)attributes;
  if (!r->stopped && !enter(r, local_part(name)))
    stop(r);
}

static void empty_wants(struct reader *r, bool all)
{
  for (size_t i = 0; i < r->n; i++)
    if (all || !r->wants[i].found) {
      buf_clear(&r->wants[i].text);
      r->wants[i].found = false;
    }
}

static void end_item(struct reader *r)
{
  if (!r->item || strcmp(r->item, buf_str(&r->path)) != 0)
    return;
  empty_wants(r, false);
  if (!r->each(r->ctx))
    stop(r);
  empty_wants(r, true);
}

static void XMLCALL on_end(void *ctx, const XML_Char *name)
{
  struct reader *r = ctx;
  (void)name;
  if (r->stopped)
    return;
  for (size_t i = next_want(r, 0); i < r->n; i = next_want(r, i + 1))
    r->wants[i].found = true;
  end_item(r);
  buf_cut(&r->path, r->ends[--r->depth]);
}

static void XMLCALL on_text(void *ctx, const XML_Char *text, int len)
{
  struct reader *r = ctx;
  for (size_t i = next_want(r, 0); i < r->n; i = next_want(r, i + 1))
    if (buf_add(&r->wants[i].text, text, (size_t)len) != ERR_OK)
      stop(r);
}

static void XMLCALL on_doctype(void *ctx, const XML_Char *name,
                               const XML_Char *sysid, const XML_Char *pubid,
                               int has_internal)
{
  struct reader *r = ctx;
  (void)name;
  (void)sysid;
  (void)pubid;
  (void)has_internal;
  stop(r);
}

static bool parse(struct reader *r, const char *data, size_t len)
{
  /* Some stores send blanks to keep a connection alive, even before the
   * "<?xml", which expat refuses there. */
  for (; len > 0 && strchr(" \t\r\n", *data) != NULL && *data != '\0'; len--)
    data++;
  if (len > INT_MAX)
    return false;
  r->parser = XML_ParserCreate(NULL);
  if (r->parser == NULL)
    return false;
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
  bool ok = XML_Parse(r->parser, data, (int)len, 1) == XML_STATUS_OK;
  XML_ParserFree(r->parser);
  buf_release(&r->path);
  return ok;
}

bool xml_read(const char *data, size_t len, struct xml_want *wants, size_t n,
              struct buf *root)
{
  struct reader r = {.wants = wants, .n = n, .root = root};
  bool ok = parse(&r, data, len);
  empty_wants(&r, false);
  return ok;
}

bool xml_each(const char *data, size_t len, const char *item,
              struct xml_want *wants, size_t n, bool (*each)(void *ctx),
              void *ctx)
{
  struct reader r = {
      .wants = wants, .n = n, .item = item, .each = each, .ctx = ctx};
  return parse(&r, data, len);
}

/* A reader turns a bare CR into LF, and in attributes any blank into a space;
 * as references they stay what they are. */
static const char *reference(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&apos;";
  case '\t':
    return "&#9;";
  case '\n':
    return "&#10;";
  case '\r':
    return "&#13;";
  default:
    return NULL;
  }
}

enum err xml_escape(struct buf *out, const char *s)
{
  size_t start = out->len;
  for (; *s != '\0'; s++) {
    const char *ref = reference(*s);
    enum err err = ref != NULL ? buf_adds(out, ref) : buf_addc(out, *s);
    if (err != ERR_OK) {
      buf_cut(out, start);
      return err;
    }
  }
  return ERR_OK;
}
