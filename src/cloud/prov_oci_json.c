/* SPDX-License-Identifier: MIT
 *
 * prov_oci_json - see prov_oci_json.h.
 */
#include "cloud/prov_oci_json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

/* ---- sent ---- */

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err add_text(cJSON *to, const char *name, const char *value,
                         const char *what, struct error *e)
{
  if (!value)
    return ERR_OK;
  if (!codec_is_utf8(value, strlen(value)))
    return err_set(e, ERR_USAGE, "%s is not UTF-8, as OCI wants it", what);
  cJSON_DeleteItemFromObject(to, name);
  return cJSON_AddStringToObject(to, name, value) ? ERR_OK : no_memory(e);
}

/* Headers of the user's that the document has a member for. */
static const char *member_of(const char *header)
{
  static const char *const members[][2] = {
      {"Content-Type", "contentType"},
      {"Content-Language", "contentLanguage"},
      {"Content-Encoding", "contentEncoding"},
      {"Content-Disposition", "contentDisposition"},
      {"Cache-Control", "cacheControl"},
      {"storage-tier", "storageTier"},
  };
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (codec_equal_nocase(members[i][0], header))
      return members[i][1];
  return NULL;
}

static enum err add_headers(cJSON *doc, cJSON *metadata, const struct kv *kv,
                            struct error *e)
{
  enum err err = ERR_OK;
  for (size_t i = 0; kv && i < kv->n && !err; i++) {
    const char *name = kv->pairs[i].name, *value = kv->pairs[i].value;
    if (codec_starts_nocase(name, strlen(name), "opc-meta-"))
      err = add_text(metadata, name, value, "a value of the metadata", e);
    else if (member_of(name))
      err = add_text(doc, member_of(name), value, name, e);
  }
  return err;
}

static enum err add_metadata(cJSON *metadata, const struct kv *kv,
                             struct error *e)
{
  enum err err = ERR_OK;
  for (size_t i = 0; kv && i < kv->n && !err; i++) {
    struct buf name = {0};
    err = buf_addf(&name, "opc-meta-%s", kv->pairs[i].name)
              ? no_memory(e)
              : add_text(metadata, buf_str(&name), kv->pairs[i].value,
                         "a value of the metadata", e);
    buf_release(&name);
  }
  return err;
}

static enum err fill(const struct op_args *a, cJSON *doc, struct error *e)
{
  const struct object_options *o = a->options;
  cJSON *metadata = cJSON_CreateObject();
  enum err err = metadata ? ERR_OK : no_memory(e);
  if (!err)
    err = add_text(doc, "object", a->target->key, "the key", e);
  if (!err)
    err = add_headers(doc, metadata, o->headers, e);
  if (!err)
    err = add_text(doc, "contentType", o->content_type, "--content-type", e);
  if (!err)
    err = add_text(doc, "storageTier", o->storage_class, "--storage-class", e);
  if (!err)
    err = add_metadata(metadata, o->metadata, e);
  if (!err && metadata->child &&
      !cJSON_AddItemToObject(doc, "metadata", metadata))
    err = no_memory(e);
  else if (!err && metadata->child)
    return ERR_OK; /* the document's now */
  cJSON_Delete(metadata);
  return err;
}

static enum err print(const cJSON *doc, struct buf *out)
{
  char *text = cJSON_PrintUnformatted(doc);
  enum err err = text ? buf_adds(out, text) : (enum err)ERR_INTERNAL;
  cJSON_free(text);
  return err;
}

enum err prov_oci_json_create(const struct op_args *a, struct buf *out,
                              struct error *e)
{
  cJSON *doc = cJSON_CreateObject();
  enum err err = doc ? fill(a, doc, e) : no_memory(e);
  if (!err && print(doc, out))
    err = no_memory(e);
  cJSON_Delete(doc);
  return err;
}

/* Text by hand: ten thousand parts are no tree.  An ETag came as a header, and
 * is quoted as JSON wants. */
static enum err add_part(const struct upload_part *p, bool first,
                         struct buf *out)
{
  enum err err = buf_addf(out, "%s{\"partNum\":%u,\"etag\":\"",
                          first ? "" : ",", p->number);
  for (const char *c = p->etag; *c && !err; c++)
    err = (unsigned char)*c < 0x20 || *c == '"' || *c == '\\'
              ? buf_addf(out, "\\u%04x", (unsigned char)*c)
              : buf_addc(out, *c);
  return err ? err : buf_adds(out, "\"}");
}

enum err prov_oci_json_commit(const struct upload_part *parts, size_t n,
                              const struct op_args *a, struct buf *out)
{
  size_t before = out->len;
  (void)a;
  enum err err = buf_adds(out, "{\"partsToCommit\":[");
  for (size_t i = 0; i < n && !err; i++)
    err = add_part(&parts[i], i == 0, out);
  if (!err)
    err = buf_adds(out, "],\"partsToExclude\":[]}");
  if (err)
    buf_cut(out, before);
  return err;
}

/* ---- answered ---- */

static cJSON *parse(const struct response *r)
{
  return r->body.len ? cJSON_ParseWithLength(r->body.data, r->body.len) : NULL;
}

static const char *member(const cJSON *object, const char *name)
{
  const char *value =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return value ? value : "";
}

bool prov_oci_json_error(const struct response *r, struct op_result *out)
{
  cJSON *doc = parse(r);
  const char *code = member(doc, "code");
  bool error = *code && strlen(code) < sizeof out->code;
  if (error) {
    (void)snprintf(out->code, sizeof out->code, "%s", code);
    (void)snprintf(out->message, sizeof out->message, "%s",
                   member(doc, "message"));
  }
  cJSON_Delete(doc);
  return error;
}

bool prov_oci_json_upload(const struct response *r, struct op_result *out)
{
  cJSON *doc = parse(r);
  const char *id = member(doc, "uploadId");
  bool fits = *id && strlen(id) < sizeof out->upload_id && !strpbrk(id, "\r\n");
  if (fits)
    (void)snprintf(out->upload_id, sizeof out->upload_id, "%s", id);
  cJSON_Delete(doc);
  return fits;
}

bool prov_oci_json_namespace(const struct response *r, struct op_result *out)
{
  cJSON *doc = parse(r);
  const char *name = cJSON_GetStringValue(doc);
  bool fits =
      name && target_is_namespace(name) && strlen(name) < sizeof out->account;
  if (fits)
    (void)snprintf(out->account, sizeof out->account, "%s", name);
  cJSON_Delete(doc);
  return fits;
}

static bool read_part(const cJSON *item, struct listed_part *out)
{
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(item, "partNumber");
  const cJSON *size = cJSON_GetObjectItemCaseSensitive(item, "size");
  if (!cJSON_IsNumber(number) || !cJSON_IsNumber(size) ||
      !*member(item, "etag") || number->valuedouble < 1 ||
      number->valuedouble > 10000 || size->valuedouble < 0 ||
      size->valuedouble > (double)(UINT64_C(1) << 53))
    return false;
  *out = (struct listed_part){.number = (unsigned)number->valuedouble,
                              .etag = member(item, "etag"),
                              .size = (uint64_t)size->valuedouble};
  return true;
}

/* Where the next page begins is told in a header. */
bool prov_oci_json_parts(const char *body, size_t len, listed_part_fn *fn,
                         void *ctx, struct parts_page *out)
{
  cJSON *all = cJSON_ParseWithLength(body, len);
  struct listed_part part;
  const cJSON *item;
  bool good = cJSON_IsArray(all);
  *out = (struct parts_page){0};
  if (good)
    cJSON_ArrayForEach(item, all) good = good && read_part(item, &part);
  if (good)
    cJSON_ArrayForEach(item, all) if (read_part(item, &part)) fn(ctx, &part);
  cJSON_Delete(all);
  return good;
}
