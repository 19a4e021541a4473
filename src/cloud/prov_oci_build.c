/* SPDX-License-Identifier: MIT
 *
 * prov_oci_build - see prov_oci_build.h; `asks` is the table of operations.
 *
 * In an upload in parts what the object is goes into the document that begins
 * it; the condition under which it may appear goes there and to the commit.
 */
#include "cloud/prov_oci_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_oci_json.h"

/* What an operation says of all that it is given. */
enum {
  SAYS_ALL = 1 << 0,    /* every header of the user's */
  SAYS_KEY = 1 << 1,    /* of those, the customer's encryption key */
  SAYS_IF = 1 << 2,     /* conditions */
  SAYS_FACTS = 1 << 3,  /* type, metadata, tier, as headers */
  SAYS_BODY = 1 << 4,   /* carries one */
  SAYS_JSON = 1 << 5,   /* a document */
  SAYS_DIGEST = 1 << 6, /* of object bytes */
  SAYS_READ = 1 << 7,   /* range, version */
  SAYS_UPLOAD = 1 << 8, /* names the upload */
};

/* What its path ends in, behind the namespace and the bucket. */
enum place { PLACE_NAMESPACE, PLACE_BUCKET, PLACE_UPLOADS, PLACE_U, PLACE_O };

static const struct ask {
  enum method method;
  enum place place;
  unsigned says;
} asks[OP_COUNT] = {
    [OP_PUT] = {METHOD_PUT, PLACE_O,
                SAYS_ALL | SAYS_IF | SAYS_FACTS | SAYS_BODY | SAYS_DIGEST},
    [OP_GET] = {METHOD_GET, PLACE_O, SAYS_ALL | SAYS_IF | SAYS_READ},
    [OP_HEAD] = {METHOD_HEAD, PLACE_O, SAYS_ALL | SAYS_IF | SAYS_READ},
    [OP_BUCKET] = {METHOD_HEAD, PLACE_BUCKET, 0},
    [OP_CREATE] = {METHOD_POST, PLACE_UPLOADS, SAYS_KEY | SAYS_IF | SAYS_JSON},
    [OP_PART] = {METHOD_PUT, PLACE_U,
                 SAYS_KEY | SAYS_BODY | SAYS_DIGEST | SAYS_UPLOAD},
    [OP_COMPLETE] = {METHOD_POST, PLACE_U,
                     SAYS_IF | SAYS_BODY | SAYS_JSON | SAYS_UPLOAD},
    [OP_ABORT] = {METHOD_DELETE, PLACE_U, SAYS_UPLOAD},
    [OP_PARTS] = {METHOD_GET, PLACE_U, SAYS_UPLOAD},
    [OP_NAMESPACE] = {METHOD_GET, PLACE_NAMESPACE, 0},
};

static bool says(enum op op, unsigned what)
{
  return (asks[op].says & what) != 0;
}

bool prov_oci_is_document(enum op op)
{
  return says(op, SAYS_JSON);
}

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- where ---- */

/* A slash of a name is encoded, too: no gateway on the way then folds what
 * looks like folders. */
static enum err add_name(struct buf *path, const char *before, const char *name)
{
  enum err err = buf_adds(path, before);
  return err ? err : codec_percent(path, name, strlen(name), false);
}

static enum err add_place(const struct op_args *a, struct buf *path)
{
  static const char *const ends[] = {"", "", "/u", "/u/", "/o/"};
  enum place place = asks[a->op].place;
  enum err err = buf_addf(path, "%s/n", a->site->base.path);
  if (place == PLACE_NAMESPACE)
    return err;
  if (!err)
    err = add_name(path, "/", a->target->account);
  if (!err)
    err = add_name(path, "/b/", a->target->bucket);
  if (!err)
    err = add_name(path, ends[place], place >= PLACE_U ? a->target->key : "");
  return err;
}

static enum err build_place(const struct op_args *a, struct request *r,
                            struct error *e)
{
  struct buf path = {0}, host = {0};
  if (asks[a->op].place != PLACE_NAMESPACE && !a->target->account)
    return err_set(e, ERR_USAGE, "the namespace is not known");
  enum err err = uri_authority(&host, &a->site->base);
  if (!err)
    err = add_place(a, &path);
  r->host = err ? NULL : buf_take(&host);
  r->path = err ? NULL : buf_take(&path);
  buf_release(&host);
  buf_release(&path);
  return r->host && r->path ? ERR_OK : no_memory(e);
}

/* ---- headers ---- */

static enum err set(struct request *r, const char *name, const char *value,
                    struct error *e)
{
  return value ? kv_set(&r->headers, name, value, e) : ERR_OK;
}

static bool begins_with(const char *name, const char *prefix)
{
  return codec_starts_nocase(name, strlen(name), prefix);
}

static bool travels(enum op op, const char *name)
{
  if (begins_with(name, "If-"))
    return says(op, SAYS_IF);
  if (begins_with(name, "opc-sse-"))
    return says(op, SAYS_ALL | SAYS_KEY);
  return says(op, SAYS_ALL) ||
         codec_equal_nocase(name, "opc-client-request-id");
}

static enum err add_own(const struct op_args *a, struct request *r,
                        struct error *e)
{
  const struct kv *own = a->options->headers;
  enum err err = ERR_OK;
  for (size_t i = 0; own && i < own->n && !err; i++)
    if (travels(a->op, own->pairs[i].name))
      err = kv_add(&r->headers, own->pairs[i].name, own->pairs[i].value, e);
  return err;
}

static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  enum err err = set(r, "if-match", a->options->if_match, e);
  return err ? err : set(r, "if-none-match", a->options->if_none_match, e);
}

static enum err add_facts(const struct op_args *a, struct request *r,
                          struct error *e)
{
  const struct kv *metadata = a->options->metadata;
  enum err err = set(r, "Content-Type", a->options->content_type, e);
  if (!err)
    err = set(r, "storage-tier", a->options->storage_class, e);
  for (size_t i = 0; metadata && i < metadata->n && !err; i++) {
    struct buf name = {0};
    err = buf_addf(&name, "opc-meta-%s", metadata->pairs[i].name)
              ? no_memory(e)
              : set(r, buf_str(&name), metadata->pairs[i].value, e);
    buf_release(&name);
  }
  return err;
}

static enum err add_digest(const struct op_args *a, struct request *r,
                           struct error *e)
{
  const unsigned char *md5 = op_digest(a, HASH_MD5);
  struct buf b64 = {0};
  if (!md5)
    return ERR_OK;
  enum err err =
      hash_base64(&b64, md5, hash_len(HASH_MD5)) ? no_memory(e) : ERR_OK;
  if (!err)
    err = set(r, "Content-MD5", buf_str(&b64), e);
  buf_release(&b64);
  return err;
}

static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  struct buf range = {0};
  enum err err = set(r, "if-match", a->resume_etag, e);
  if (!err && a->range.present)
    err = range_header(&a->range, &range) ? no_memory(e)
                                          : set(r, "Range", buf_str(&range), e);
  buf_release(&range);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionId", a->options->version_id, e);
  return err;
}

static enum err add_upload(const struct op_args *a, struct request *r,
                           struct error *e)
{
  /* Without it the request would be one on the object's name. */
  if (!a->upload_id || !*a->upload_id)
    return err_set(e, ERR_USAGE, "the upload has no id");
  enum err err = kv_add(&r->query, "uploadId", a->upload_id, e);
  if (!err && a->op == OP_PART)
    err = kv_addf(&r->query, e, "uploadPartNum", "%u", a->part);
  if (!err && a->op == OP_PARTS)
    err = kv_add(&r->query, "limit", "1000", e);
  if (!err && a->op == OP_PARTS && a->page)
    err = kv_add(&r->query, "page", a->page, e);
  return err;
}

static enum err add_json(const struct op_args *a, struct request *r,
                         struct error *e)
{
  enum err err = kv_set(&r->headers, "Content-Type", "application/json", e);
  if (err || a->op != OP_CREATE)
    return err;
  err = prov_oci_json_create(a, &r->document, e);
  r->body = (struct body){.present = true,
                          .length = r->document.len,
                          .data = buf_str(&r->document)};
  return err;
}

/* Oracle encrypts everything, and names keys by headers of its own. */
static enum err check_sse(const struct op_args *a, struct error *e)
{
  if (!a->options->sse || !says(a->op, SAYS_FACTS | SAYS_JSON))
    return ERR_OK;
  return err_set(e, ERR_USAGE,
                 "--sse: OCI encrypts everything; name a key by -H "
                 "'opc-sse-kms-key-id: OCID'");
}

static const struct {
  unsigned says;
  enum err (*add)(const struct op_args *, struct request *, struct error *);
} groups[] = {
    {~0u, add_own},          {SAYS_IF, add_conditions},
    {SAYS_FACTS, add_facts}, {SAYS_DIGEST, add_digest},
    {SAYS_READ, add_read},   {SAYS_UPLOAD, add_upload},
    {SAYS_JSON, add_json},
};

enum err prov_oci_build(const struct op_args *a, struct request *r,
                        struct error *e)
{
  r->method = asks[a->op].method;
  r->https = a->site->base.https;
  r->slash_in_query = true;
  if (says(a->op, SAYS_BODY))
    r->body = a->body;
  enum err err = check_sse(a, e);
  if (!err)
    err = build_place(a, r, e);
  for (size_t i = 0; i < sizeof groups / sizeof *groups && !err; i++)
    if (says(a->op, groups[i].says) || groups[i].says == ~0u)
      err = groups[i].add(a, r, e);
  return err;
}
