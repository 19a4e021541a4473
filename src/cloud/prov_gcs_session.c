/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_session - see prov_gcs_session.h.
 */
#include "cloud/prov_gcs_session.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_gcs_build.h"

/* So much of a session's id may be shown. */
enum {
  SHOWN_ID = 12,
  CANCELLED = 499,
  RESUME_INCOMPLETE = 308,
  MOST_WORDS = 512
};

bool prov_gcs_session_is_open(enum op op)
{
  return op == OP_CHUNK || op == OP_STATUS || op == OP_CANCEL;
}

bool prov_gcs_session_has(enum op op)
{
  return op == OP_SESSION || prov_gcs_session_is_open(op);
}

/* ---- what the object is ---- */

/* Headers of an object, and what the JSON API calls them. */
static const struct {
  const char *header, *member;
} members[] = {
    {"Cache-Control", "cacheControl"},
    {"Content-Disposition", "contentDisposition"},
    {"Content-Encoding", "contentEncoding"},
    {"Content-Language", "contentLanguage"},
    {"Content-Type", "contentType"},
    {"x-goog-storage-class", "storageClass"},
};

static const char *member_of(const char *header)
{
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (codec_equal_nocase(members[i].header, header))
      return members[i].member;
  return NULL;
}

static const char *meta_of(const char *header)
{
  static const char prefix[] = "x-goog-meta-";
  return codec_starts_nocase(header, strlen(header), prefix)
             ? header + strlen(prefix)
             : NULL;
}

static bool add(cJSON *to, const char *name, const char *value)
{
  return !value || cJSON_AddStringToObject(to, name, value);
}

static bool add_own(cJSON *about, cJSON *meta, const struct kv *own)
{
  bool ok = true;
  for (size_t i = 0; own && i < own->n && ok; i++) {
    const char *name = own->pairs[i].name, *value = own->pairs[i].value;
    if (member_of(name))
      ok = add(about, member_of(name), value);
    else if (meta_of(name))
      ok = add(meta, meta_of(name), value);
  }
  return ok;
}

static bool describe(const struct object_options *o, cJSON *about)
{
  cJSON *meta = cJSON_AddObjectToObject(about, "metadata");
  bool ok = meta && add_own(about, meta, o->headers) &&
            add(about, "contentType", o->content_type) &&
            add(about, "storageClass", o->storage_class);
  for (size_t i = 0; o->metadata && i < o->metadata->n && ok; i++)
    ok = add(meta, o->metadata->pairs[i].name, o->metadata->pairs[i].value);
  return ok;
}

enum err prov_gcs_session_body(const struct object_options *o, struct buf *out)
{
  cJSON *about = cJSON_CreateObject();
  bool ok = about && describe(o, about);
  char *text = ok ? cJSON_PrintUnformatted(about) : NULL;
  enum err err = text ? buf_adds(out, text) : ERR_INTERNAL;
  cJSON_free(text);
  cJSON_Delete(about);
  return err;
}

/* ---- requests ---- */

static enum err build_place(const struct op_args *a, struct request *r,
                            struct error *e)
{
  struct buf host = {0}, path = {0};
  enum err err = uri_authority(&host, &a->site->base);
  if (!err)
    err = buf_addf(&path, "%s/upload/storage/v1/b/%s/o", a->site->base.path,
                   a->target->bucket);
  if (!err) {
    r->host = buf_take(&host);
    r->path = buf_take(&path);
  }
  buf_release(&host);
  buf_release(&path);
  return err || !r->host || !r->path
             ? err_set(e, ERR_INTERNAL, "out of memory")
             : kv_add(&r->query, "uploadType", "resumable", e);
}

/* What is neither of the object nor a condition goes along as it is: who pays,
 * the customer's key. */
static enum err add_headers(const struct op_args *a, struct request *r,
                            struct error *e)
{
  const struct kv *own = a->options->headers;
  enum err err = ERR_OK;
  for (size_t i = 0; own && i < own->n && !err; i++) {
    const char *name = own->pairs[i].name, *value = own->pairs[i].value;
    if (codec_equal_nocase(name, "x-goog-if-generation-match"))
      err = kv_add(&r->query, "ifGenerationMatch", value, e);
    else if (!member_of(name) && !meta_of(name))
      err = kv_add(&r->headers, name, value, e);
  }
  return err;
}

/* The same rules as for the XML API, whose request is asked. */
static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  struct object_options options = *a->options;
  struct op_args put = {
      .op = OP_PUT, .target = a->target, .site = a->site, .options = &options};
  struct request xml = {.https = false};
  options.headers = NULL;
  enum err err = prov_gcs_build(&put, &xml, e);
  const char *generation = kv_get(&xml.headers, "x-goog-if-generation-match");
  const char *key = kv_get(&xml.headers, "x-goog-encryption-kms-key-name");
  if (!err && generation)
    err = kv_add(&r->query, "ifGenerationMatch", generation, e);
  if (!err && key)
    err = kv_add(&r->query, "kmsKeyName", key, e);
  request_release(&xml);
  return err;
}

static enum err build_session(const struct op_args *a, struct request *r,
                              struct error *e)
{
  r->method = METHOD_POST;
  r->body = a->body;
  enum err err = kv_add(&r->query, "name", a->target->key, e);
  if (!err)
    err = add_headers(a, r, e);
  if (!err)
    err = add_conditions(a, r, e);
  if (!err)
    err = kv_set(&r->headers, "Content-Type", "application/json", e);
  if (!err && a->has_total)
    err = kv_addf(&r->headers, e, "X-Upload-Content-Length", "%" PRIu64,
                  a->total);
  if (!err && a->once)
    err = kv_add(&r->headers, "x-goog-gcs-idempotency-token", a->once, e);
  return err;
}

/* "bytes 0-9/10"; a star for what is not known, or not there. */
static enum err add_range(const struct op_args *a, struct request *r,
                          struct error *e)
{
  char span[64] = "*", total[24] = "*";
  if (a->op == OP_CHUNK)
    (void)snprintf(span, sizeof span, "%" PRIu64 "-%" PRIu64, a->offset,
                   a->offset + a->body.length - 1);
  if (a->has_total)
    (void)snprintf(total, sizeof total, "%" PRIu64, a->total);
  return kv_addf(&r->headers, e, "Content-Range", "bytes %s/%s", span, total);
}

static enum err build_data(const struct op_args *a, struct request *r,
                           struct error *e)
{
  r->method = METHOD_PUT;
  r->body =
      a->op == OP_CHUNK ? a->body : (struct body){.present = true, .data = ""};
  enum err err = add_range(a, r, e);
  if (!err)
    err = xmlapi_set_digest(
        r, "x-goog-hash", "crc32c=", op_digest(a, HASH_CRC32C), HASH_CRC32C, e);
  return err;
}

enum err prov_gcs_session_build(const struct op_args *a, struct request *r,
                                struct error *e)
{
  r->https = a->site->base.https;
  enum err err = build_place(a, r, e);
  if (err || a->op == OP_SESSION)
    return err ? err : build_session(a, r, e);
  if (!a->upload_id || !*a->upload_id)
    return err_set(e, ERR_USAGE, "the id of the upload is missing");
  err = kv_add(&r->query, "upload_id", a->upload_id, e);
  if (err || a->op != OP_CANCEL)
    return err ? err : build_data(a, r, e);
  r->method = METHOD_DELETE;
  return ERR_OK;
}

/* ---- answers ---- */

static const char *text_of(const cJSON *json, const char *name)
{
  const char *text =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
  return text ? text : "";
}

static void keep(char *to, size_t room, const char *text)
{
  if (strlen(text) < room)
    memcpy(to, text, strlen(text) + 1);
}

static cJSON *parse(const struct response *r)
{
  return cJSON_ParseWithLength(buf_str(&r->body), r->body.len);
}

/* Cut at a character. */
static void keep_words(struct op_result *out, const char *text)
{
  struct buf clean = {0};
  if (!codec_utf8_clean(&clean, text, strlen(text))) {
    size_t len = clean.len < MOST_WORDS ? clean.len : MOST_WORDS;
    while (len < clean.len && len && (buf_str(&clean)[len] & 0xC0) == 0x80)
      len--;
    memcpy(out->message, buf_str(&clean), len);
    out->message[len] = '\0';
  }
  buf_release(&clean);
}

static void read_error(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  cJSON *json = parse(r);
  const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
  const cJSON *one =
      cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(error, "errors"), 0);
  keep(out->code, sizeof out->code, text_of(one, "reason"));
  keep_words(out, text_of(error, "message"));
  cJSON_Delete(json);
  if (r->status == 401 && a->op == OP_SESSION)
    out->code_class = CODE_REAUTH;
  else if (r->status == 429)
    out->code_class = CODE_THROTTLE;
  else if ((r->status == 404 || r->status == 410) &&
           prov_gcs_session_is_open(a->op))
    out->code_class = CODE_RESTART;
  else if (r->status == 400 && strstr(out->message, "calculated"))
    out->code_class = CODE_BAD_DIGEST;
}

/* The id out of the place, which itself is not gone to. */
static bool read_location(const struct response *r, struct op_result *out)
{
  const char *place = kv_get(&r->headers, "location");
  const char *id = place ? strstr(place, "upload_id=") : NULL;
  struct buf text = {.secret = true};
  if (!id)
    return false;
  id += strlen("upload_id=");
  bool ok = !codec_unpercent(&text, id, strcspn(id, "&#")) && text.len &&
            text.len < sizeof out->upload_id &&
            strlen(buf_str(&text)) == text.len;
  if (ok)
    keep(out->upload_id, sizeof out->upload_id, buf_str(&text));
  buf_release(&text);
  return ok;
}

/* "bytes=0-N": N + 1 are there; no such header: none. */
static bool read_persisted(const struct response *r, struct op_result *out)
{
  const char *range = kv_get(&r->headers, "range");
  uint64_t last = 0;
  if (range &&
      (!codec_starts_with(range, "bytes=0-") ||
       !codec_u64(range + strlen("bytes=0-"), 0, INT64_MAX - 1, &last)))
    return false;
  out->has_persisted = true;
  out->persisted = range ? last + 1 : 0;
  return true;
}

static bool read_object(const struct response *r, struct op_result *out)
{
  cJSON *json = parse(r);
  const char *crc = text_of(json, "crc32c");
  struct checksum *to = &out->checksums[HASH_CRC32C];
  out->has_size = codec_u64(text_of(json, "size"), 0, INT64_MAX, &out->size);
  keep(out->version_id, sizeof out->version_id, text_of(json, "generation"));
  if (!out->etag[0])
    keep(out->etag, sizeof out->etag, text_of(json, "etag"));
  to->present = false;
  (void)checksum_read(to, HASH_CRC32C, crc, strlen(crc));
  cJSON_Delete(json);
  return out->has_size && out->version_id[0];
}

static bool read_success(const struct op_args *a, const struct response *r,
                         struct op_result *out)
{
  if (a->op == OP_SESSION)
    return read_location(r, out);
  return a->op == OP_CANCEL || read_object(r, out);
}

void prov_gcs_session_read(const struct op_args *a, const struct response *r,
                           struct op_result *out)
{
  bool gone = r->status == CANCELLED || r->status == 404 || r->status == 410;
  /* The request's name is the session's. */
  if (strlen(out->request_id) > SHOWN_ID)
    out->request_id[SHOWN_ID] = '\0';
  out->location[0] = '\0';
  if (a->op == OP_CANCEL && gone)
    out->answered = true;
  else if (r->status == RESUME_INCOMPLETE && a->op != OP_SESSION)
    out->answered = read_persisted(r, out);
  else if (r->status >= 300)
    read_error(a, r, out);
  else if (r->status >= 200 && !read_success(a, r, out))
    out->code_class = CODE_TRANSIENT;
}
