/* SPDX-License-Identifier: MIT
 *
 * xmlapi_build - see xmlapi_build.h; `asks` is the table of operations.
 */
#include "cloud/xmlapi_build.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"

#define EMPTY_SHA256 \
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* What an operation says of all that it is given. */
enum {
  SAYS_ALL = 1 << 0,    /* every header of the user's */
  SAYS_KEY = 1 << 1,    /* of those, the customer's encryption key */
  SAYS_IF = 1 << 2,     /* conditions */
  SAYS_FACTS = 1 << 3,  /* type, metadata, storage class, encryption */
  SAYS_BODY = 1 << 4,   /* carries one */
  SAYS_XML = 1 << 5,    /* a document */
  SAYS_DIGEST = 1 << 6, /* of object bytes, where that is known to be read */
  SAYS_READ = 1 << 7,   /* range, version */
  SAYS_NEW = 1 << 8,    /* begins an upload */
  SAYS_UPLOAD = 1 << 9, /* names it */
  SAYS_VERSION = 1 << 10,
};

static const struct ask {
  enum method method;
  unsigned says;
} asks[OP_COUNT] = {
    [OP_PUT] = {METHOD_PUT,
                SAYS_ALL | SAYS_FACTS | SAYS_IF | SAYS_BODY | SAYS_DIGEST},
    [OP_GET] = {METHOD_GET, SAYS_ALL | SAYS_IF | SAYS_READ},
    [OP_HEAD] = {METHOD_HEAD, SAYS_ALL | SAYS_IF | SAYS_READ},
    [OP_BUCKET] = {METHOD_HEAD, 0},
    [OP_CREATE] = {METHOD_POST, SAYS_ALL | SAYS_FACTS | SAYS_NEW},
    [OP_PART] = {METHOD_PUT, SAYS_KEY | SAYS_BODY | SAYS_DIGEST | SAYS_UPLOAD},
    [OP_COMPLETE] = {METHOD_POST,
                     SAYS_KEY | SAYS_IF | SAYS_BODY | SAYS_XML | SAYS_UPLOAD},
    [OP_ABORT] = {METHOD_DELETE, SAYS_UPLOAD},
    [OP_PARTS] = {METHOD_GET, SAYS_KEY | SAYS_UPLOAD},
    [OP_DELETE] = {METHOD_DELETE, SAYS_VERSION},
};

static bool says(enum op op, unsigned what)
{
  return (asks[op].says & what) != 0;
}

static enum err build_path(const struct op_args *a, struct request *r)
{
  struct buf path = {0};
  const char *key = a->op == OP_BUCKET ? "" : a->target->key;
  enum err err = buf_adds(&path, a->site->base.path);
  if (!err && !a->site->virtual_host)
    err = buf_addf(&path, "/%s", a->target->bucket);
  if (!err && (*key || a->site->virtual_host))
    err = buf_addc(&path, '/');
  if (!err)
    err = codec_percent(&path, key, strlen(key), true);
  if (!err)
    r->path = buf_take(&path);
  buf_release(&path);
  return err ? err : (r->path ? ERR_OK : ERR_INTERNAL);
}

/* Host and path of an object, or with OP_BUCKET of its bucket. */
static enum err build_place(const struct op_args *a, struct request *r,
                            struct error *e)
{
  return site_host(a->site, a->target, &r->host) || build_path(a, r)
             ? err_set(e, ERR_INTERNAL, "out of memory")
             : ERR_OK;
}

enum err xmlapi_set(struct request *r, const char *name, const char *value,
                    struct error *e)
{
  return value ? kv_set(&r->headers, name, value, e) : ERR_OK;
}

/* ---- the user's own headers ---- */

static bool begins_with(const char *name, const char *prefix)
{
  return codec_starts_nocase(name, strlen(name), prefix);
}

/* Without these the single requests of an upload are refused as a whole: who
 * pays, whose bucket it must be. */
static bool is_of_every_request(const struct xmlapi_words *w, const char *name)
{
  for (size_t i = 0; w->every[i]; i++)
    if (codec_equal_nocase(name, w->every[i]))
      return true;
  return false;
}

static bool travels(const struct xmlapi_words *w, enum op op, const char *name)
{
  if (begins_with(name, "If-") ||
      (w->condition_prefix && begins_with(name, w->condition_prefix)))
    return says(op, SAYS_IF);
  if (begins_with(name, w->customer_key))
    return says(op, SAYS_ALL | SAYS_KEY);
  return says(op, SAYS_ALL) || is_of_every_request(w, name);
}

static enum err add_own(const struct xmlapi_words *w, const struct op_args *a,
                        struct request *r, struct error *e)
{
  const struct kv *own = a->options->headers;
  enum err err = ERR_OK;
  for (size_t i = 0; own && i < own->n && !err; i++)
    if (travels(w, a->op, own->pairs[i].name))
      err = kv_add(&r->headers, own->pairs[i].name, own->pairs[i].value, e);
  return err;
}

/* ---- the groups ---- */

static enum err add_type(const struct xmlapi_words *w, const struct op_args *a,
                         struct request *r, struct error *e)
{
  (void)w;
  return xmlapi_set(r, "Content-Type", a->options->content_type, e);
}

static enum err add_xml_type(const struct xmlapi_words *w,
                             const struct op_args *a, struct request *r,
                             struct error *e)
{
  (void)w;
  (void)a;
  return xmlapi_set(r, "Content-Type", "application/xml", e);
}

enum err xmlapi_set_digest(struct request *r, const char *name,
                           const char *before, const unsigned char *digest,
                           enum hash_alg alg, struct error *e)
{
  struct buf text = {0};
  enum err err = buf_adds(&text, before);
  if (!err && digest)
    err = hash_base64(&text, digest, hash_len(alg));
  if (!err && digest)
    err = xmlapi_set(r, name, buf_str(&text), e);
  buf_release(&text);
  return err;
}

static enum err add_md5(const struct xmlapi_words *w, const struct op_args *a,
                        struct request *r, struct error *e)
{
  (void)w;
  return xmlapi_set_digest(r, "Content-MD5", "", op_digest(a, HASH_MD5),
                           HASH_MD5, e);
}

static enum err add_class(const struct xmlapi_words *w, const struct op_args *a,
                          struct request *r, struct error *e)
{
  char name[64];
  (void)snprintf(name, sizeof name, "%sstorage-class", w->prefix);
  return xmlapi_set(r, name, a->options->storage_class, e);
}

static enum err add_metadata(const struct xmlapi_words *w,
                             const struct op_args *a, struct request *r,
                             struct error *e)
{
  const struct kv *metadata = a->options->metadata;
  enum err err = ERR_OK;
  for (size_t i = 0; metadata && i < metadata->n && !err; i++) {
    struct buf name = {0};
    err = buf_addf(&name, "%smeta-%s", w->prefix, metadata->pairs[i].name);
    if (!err)
      err = xmlapi_set(r, buf_str(&name), metadata->pairs[i].value, e);
    buf_release(&name);
  }
  return err;
}

enum err xmlapi_add_range(const struct op_args *a, struct request *r,
                          struct error *e)
{
  struct buf range = {0};
  if (!a->range.present)
    return ERR_OK;
  enum err err = range_header(&a->range, &range);
  if (!err)
    err = xmlapi_set(r, "Range", buf_str(&range), e);
  buf_release(&range);
  return err;
}

static enum err add_new(const struct xmlapi_words *w, const struct op_args *a,
                        struct request *r, struct error *e)
{
  enum err err = kv_add(&r->query, "uploads", "", e);
  return err || !w->add_new ? err : w->add_new(a, r, e);
}

static enum err add_complete(const struct xmlapi_words *w,
                             const struct op_args *a, struct request *r,
                             struct error *e)
{
  return w->add_complete ? w->add_complete(a, r, e) : ERR_OK;
}

static enum err add_upload(const struct xmlapi_words *w,
                           const struct op_args *a, struct request *r,
                           struct error *e)
{
  (void)w;
  enum err err = ERR_OK;
  if (!a->upload_id || !*a->upload_id)
    return err_set(e, ERR_USAGE, "the id of the upload is missing");
  if (a->op == OP_PART)
    err = kv_addf(&r->query, e, "partNumber", "%u", a->part);
  if (a->op == OP_PARTS && a->part)
    err = kv_addf(&r->query, e, "part-number-marker", "%u", a->part);
  return err ? err : kv_add(&r->query, "uploadId", a->upload_id, e);
}

static enum err add_version(const struct xmlapi_words *w,
                            const struct op_args *a, struct request *r,
                            struct error *e)
{
  return kv_add(&r->query, w->version, a->version, e);
}

/* ---- what a provider adds itself ---- */

static enum err add_conditions(const struct xmlapi_words *w,
                               const struct op_args *a, struct request *r,
                               struct error *e)
{
  return w->add_conditions(a, r, e);
}

static enum err add_sse(const struct xmlapi_words *w, const struct op_args *a,
                        struct request *r, struct error *e)
{
  return w->add_sse(a, r, e);
}

static enum err add_digest(const struct xmlapi_words *w,
                           const struct op_args *a, struct request *r,
                           struct error *e)
{
  return w->add_digest(a, r, e);
}

static enum err add_read(const struct xmlapi_words *w, const struct op_args *a,
                         struct request *r, struct error *e)
{
  return w->add_read(a, r, e);
}

static const struct {
  unsigned says;
  enum err (*add)(const struct xmlapi_words *, const struct op_args *,
                  struct request *, struct error *);
} groups[] = {
    {~0u, add_own},
    {SAYS_IF, add_conditions},
    {SAYS_FACTS, add_type},
    {SAYS_XML, add_xml_type},
    {SAYS_XML, add_complete},
    {SAYS_BODY, add_md5},
    {SAYS_FACTS, add_class},
    {SAYS_FACTS, add_sse},
    {SAYS_FACTS, add_metadata},
    {SAYS_DIGEST, add_digest},
    {SAYS_READ, add_read},
    {SAYS_NEW, add_new},
    {SAYS_UPLOAD, add_upload},
    {SAYS_VERSION, add_version},
};

static struct body body_of(const struct op_args *a)
{
  if (says(a->op, SAYS_BODY))
    return a->body;
  /* A POST that begins an upload says that nothing follows. */
  return (struct body){.present = a->op == OP_CREATE, .data = ""};
}

enum err xmlapi_build(const struct xmlapi_words *w, const struct op_args *a,
                      struct request *r, struct error *e)
{
  r->method = asks[a->op].method;
  r->https = a->site->base.https;
  r->body = body_of(a);
  enum err err = build_place(a, r, e);
  for (size_t i = 0; i < sizeof groups / sizeof *groups && !err; i++)
    if (says(a->op, groups[i].says))
      err = groups[i].add(w, a, r, e);
  return err;
}

static enum err add_payload(const struct op_args *a, struct buf *out)
{
  const unsigned char *sha256 =
      says(a->op, SAYS_BODY) ? op_digest(a, HASH_SHA256) : NULL;
  return sha256 ? codec_hex(out, sha256, hash_len(HASH_SHA256))
                : buf_adds(out, EMPTY_SHA256);
}

enum err xmlapi_sign(const struct sign_v4_dialect *d, struct request *r,
                     const struct op_args *a, const struct creds *c,
                     int64_t wall_ms, struct sign_trace *trace, struct error *e)
{
  struct buf payload = {0};
  enum err err = add_payload(a, &payload);
  if (err)
    return err_set(e, err, "out of memory");
  err = sign_v4(d, r, c, a->site->region, buf_str(&payload), wall_ms, trace, e);
  buf_release(&payload);
  return err;
}
