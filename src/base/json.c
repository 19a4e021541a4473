/* SPDX-License-Identifier: MIT
 *
 * json - see json.h.
 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/codec.h"

/* Beyond it a double does not tell neighbours apart. */
#define MOST_WHOLE 9007199254740992.0

static void wipe_members(cJSON *object)
{
  for (cJSON *m = object ? object->child : NULL; m; m = m->next)
    if (m->valuestring)
      buf_wipe(m->valuestring, strlen(m->valuestring));
}

/* Secrets are members of the document, or of one of its members. */
static void drop(cJSON *doc)
{
  for (cJSON *m = doc ? doc->child : NULL; m; m = m->next)
    wipe_members(m);
  wipe_members(doc);
  cJSON_Delete(doc);
}

/* What stands behind a document makes it none. */
static cJSON *parse(const char *data, size_t len)
{
  const char *end = NULL;
  cJSON *doc = cJSON_ParseWithLengthOpts(len ? data : "", len, &end, 0);
  while (doc && end < data + len && strchr(" \t\r\n", *end))
    end++;
  if (doc && (!cJSON_IsObject(doc) || end < data + len)) {
    drop(doc);
    return NULL;
  }
  return doc;
}

static const cJSON *find(const cJSON *doc, const char *path)
{
  while (doc && *path) {
    char name[64];
    size_t len = strcspn(path, "/");
    if (len >= sizeof name)
      return NULL;
    memcpy(name, path, len);
    name[len] = '\0';
    doc = cJSON_GetObjectItemCaseSensitive(doc, name);
    path += len + (path[len] == '/');
  }
  return doc;
}

static enum err add_value(const cJSON *v, struct buf *out)
{
  if (cJSON_IsString(v))
    return buf_adds(out, v->valuestring);
  if (cJSON_IsBool(v))
    return buf_adds(out, cJSON_IsTrue(v) ? "true" : "false");
  if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < MOST_WHOLE)
    return buf_addf(out, "%" PRId64, (int64_t)v->valuedouble);
  return ERR_REJECTED;
}

bool json_get(const char *data, size_t len, const char *path, struct buf *out)
{
  cJSON *doc = parse(data, len);
  const cJSON *v = find(doc, path);
  buf_clear(out);
  bool got = v && !add_value(v, out);
  drop(doc);
  return got;
}

enum err json_each(const char *data, size_t len, const char *path,
                   json_member_fn *fn, void *ctx, struct error *e)
{
  cJSON *doc = parse(data, len);
  const cJSON *all = find(doc, path);
  enum err err = ERR_OK;
  for (const cJSON *m = all ? all->child : NULL; m && !err; m = m->next)
    if (cJSON_IsString(m))
      err = fn(ctx, m->string ? m->string : "", m->valuestring, e);
  drop(doc);
  return err;
}

bool json_is_object(const char *data, size_t len)
{
  cJSON *doc = parse(data, len);
  bool is = doc != NULL;
  drop(doc);
  return is;
}

static enum err add_char(struct buf *out, char c)
{
  if (c == '"' || c == '\\')
    return buf_addf(out, "\\%c", c);
  return (unsigned char)c < ' ' ? buf_addf(out, "\\u%04x", (unsigned)c)
                                : buf_addc(out, c);
}

enum err json_quote(struct buf *out, const char *text)
{
  struct buf clean = {.secret = true};
  enum err err = codec_utf8_clean(&clean, text, strlen(text));
  if (!err)
    err = buf_addc(out, '"');
  for (size_t i = 0; i < clean.len && !err; i++)
    err = add_char(out, clean.data[i]);
  if (!err)
    err = buf_addc(out, '"');
  buf_release(&clean);
  return err;
}
