/* SPDX-License-Identifier: MIT
 *
 * prov_s3_build - see prov_s3_build.h; `asks` is the table of operations.
 *
 * In an upload in parts the first request says what the object is, the last
 * one under which condition it may appear; in between, bytes.
 */
#include "cloud/prov_s3_build.h"

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
};

static bool says(enum op op, unsigned what)
{
  return (asks[op].says & what) != 0;
}

static enum err build_host(const struct op_args *a, struct request *r)
{
  struct buf host = {0};
  enum err err = ERR_OK;
  if (a->site->virtual_host)
    err = buf_addf(&host, "%s.", a->target->bucket);
  if (!err)
    err = uri_authority(&host, &a->site->base);
  if (!err)
    r->host = buf_take(&host);
  buf_release(&host);
  return err ? err : (r->host ? ERR_OK : ERR_INTERNAL);
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

static enum err set(struct request *r, const char *name, const char *value,
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
static bool is_of_every_request(const char *name)
{
  return codec_equal_nocase(name, "x-amz-request-payer") ||
         codec_equal_nocase(name, "x-amz-expected-bucket-owner");
}

static bool travels(enum op op, const char *name)
{
  if (begins_with(name, "If-"))
    return says(op, SAYS_IF);
  if (begins_with(name, "x-amz-server-side-encryption-customer-"))
    return says(op, SAYS_ALL | SAYS_KEY);
  return says(op, SAYS_ALL) || is_of_every_request(name);
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

/* ---- the groups ---- */

static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  enum err err = set(r, "If-Match", a->options->if_match, e);
  return err ? err : set(r, "If-None-Match", a->options->if_none_match, e);
}

static enum err add_type(const struct op_args *a, struct request *r,
                         struct error *e)
{
  return set(r, "Content-Type", a->options->content_type, e);
}

static enum err add_xml_type(const struct op_args *a, struct request *r,
                             struct error *e)
{
  (void)a;
  return set(r, "Content-Type", "application/xml", e);
}

/* Of a body, where the operation has one. */
static const unsigned char *payload_digest(const struct op_args *a)
{
  return says(a->op, SAYS_BODY) ? op_digest(a, HASH_SHA256) : NULL;
}

static enum err set_digest(struct request *r, const char *name,
                           const unsigned char *digest, enum hash_alg alg,
                           struct error *e)
{
  struct buf b64 = {0};
  enum err err = digest ? hash_base64(&b64, digest, hash_len(alg)) : ERR_OK;
  if (!err && digest)
    err = set(r, name, buf_str(&b64), e);
  buf_release(&b64);
  return err;
}

static enum err add_md5(const struct op_args *a, struct request *r,
                        struct error *e)
{
  return set_digest(r, "Content-MD5", op_digest(a, HASH_MD5), HASH_MD5, e);
}

static enum err add_class(const struct op_args *a, struct request *r,
                          struct error *e)
{
  return set(r, "x-amz-storage-class", a->options->storage_class, e);
}

/* "aws:kms=KEY" names the key as well. */
static enum err add_sse(const struct op_args *a, struct request *r,
                        struct error *e)
{
  const char *sse = a->options->sse;
  const char *key = sse ? strchr(sse, '=') : NULL;
  if (!sse)
    return ERR_OK;
  struct buf mode = {0};
  enum err err = buf_add(&mode, sse, key ? (size_t)(key - sse) : strlen(sse));
  if (!err)
    err = set(r, "x-amz-server-side-encryption", buf_str(&mode), e);
  if (!err && key)
    err = set(r, "x-amz-server-side-encryption-aws-kms-key-id", key + 1, e);
  buf_release(&mode);
  return err;
}

static enum err add_metadata(const struct op_args *a, struct request *r,
                             struct error *e)
{
  const struct kv *metadata = a->options->metadata;
  enum err err = ERR_OK;
  for (size_t i = 0; metadata && i < metadata->n && !err; i++) {
    struct buf name = {0};
    err = buf_addf(&name, "x-amz-meta-%s", metadata->pairs[i].name);
    if (!err)
      err = set(r, buf_str(&name), metadata->pairs[i].value, e);
    buf_release(&name);
  }
  return err;
}

/* ---- checksums (providers.md 2.6) ---- */

bool prov_s3_checksum(const struct op_args *a, enum hash_alg *out)
{
  *out = a->options->has_checksum ? a->options->checksum : HASH_SHA256;
  return a->options->has_checksum || a->site->own;
}

static enum err set_checksum(struct request *r, enum hash_alg alg,
                             const unsigned char *digest, struct error *e)
{
  char name[40];
  (void)snprintf(name, sizeof name, "x-amz-checksum-%s", hash_name(alg));
  return set_digest(r, name, digest, alg, e);
}

static enum err add_digest(const struct op_args *a, struct request *r,
                           struct error *e)
{
  enum hash_alg alg;
  return prov_s3_checksum(a, &alg) ? set_checksum(r, alg, op_digest(a, alg), e)
                                   : ERR_OK;
}

static const char *checksum_type(enum hash_alg alg)
{
  return hash_combines(alg) ? "FULL_OBJECT" : "COMPOSITE";
}

/* Without a type the default of the algorithm is meant: what SHA-256, which
 * nobody chose, has always been. */
static enum err announce_checksum(const struct op_args *a, struct request *r,
                                  struct error *e)
{
  static const char *const names[HASH_ALG_COUNT] = {
      [HASH_SHA256] = "SHA256",
      [HASH_CRC32C] = "CRC32C",
      [HASH_CRC64NVME] = "CRC64NVME",
  };
  enum hash_alg alg;
  if (!prov_s3_checksum(a, &alg))
    return ERR_OK;
  enum err err = set(r, "x-amz-checksum-algorithm", names[alg], e);
  if (!err && a->options->has_checksum)
    err = set(r, "x-amz-checksum-type", checksum_type(alg), e);
  return err;
}

/* Of the whole object; digests of parts stand in the document. */
static enum err add_whole(const struct op_args *a, struct request *r,
                          struct error *e)
{
  enum hash_alg alg;
  if (!prov_s3_checksum(a, &alg) || !hash_combines(alg) || !a->whole ||
      !a->whole[alg].present)
    return ERR_OK;
  enum err err = set_checksum(r, alg, a->whole[alg].digest, e);
  return err ? err : set(r, "x-amz-checksum-type", checksum_type(alg), e);
}

static enum err add_range(const struct op_args *a, struct request *r,
                          struct error *e)
{
  struct buf range = {0};
  if (!a->range.present)
    return ERR_OK;
  enum err err = range_header(&a->range, &range);
  if (!err)
    err = set(r, "Range", buf_str(&range), e);
  buf_release(&range);
  return err;
}

static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  enum err err = set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = add_range(a, r, e);
  if (!err && (a->site->own || a->options->has_checksum))
    err = set(r, "x-amz-checksum-mode", "ENABLED", e);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionId", a->options->version_id, e);
  return err;
}

static enum err add_new(const struct op_args *a, struct request *r,
                        struct error *e)
{
  enum err err = kv_add(&r->query, "uploads", "", e);
  return err ? err : announce_checksum(a, r, e);
}

static enum err add_upload(const struct op_args *a, struct request *r,
                           struct error *e)
{
  enum err err = ERR_OK;
  if (!a->upload_id || !*a->upload_id)
    return err_set(e, ERR_USAGE, "the id of the upload is missing");
  if (a->op == OP_PART)
    err = kv_addf(&r->query, e, "partNumber", "%u", a->part);
  if (a->op == OP_PARTS && a->part)
    err = kv_addf(&r->query, e, "part-number-marker", "%u", a->part);
  return err ? err : kv_add(&r->query, "uploadId", a->upload_id, e);
}

static const struct {
  unsigned says;
  enum err (*add)(const struct op_args *, struct request *, struct error *);
} groups[] = {
    {~0u, add_own},
    {SAYS_IF, add_conditions},
    {SAYS_FACTS, add_type},
    {SAYS_XML, add_xml_type},
    {SAYS_XML, add_whole},
    {SAYS_BODY, add_md5},
    {SAYS_FACTS, add_class},
    {SAYS_FACTS, add_sse},
    {SAYS_FACTS, add_metadata},
    {SAYS_DIGEST, add_digest},
    {SAYS_READ, add_read},
    {SAYS_NEW, add_new},
    {SAYS_UPLOAD, add_upload},
};

static struct body body_of(const struct op_args *a)
{
  if (says(a->op, SAYS_BODY))
    return a->body;
  /* A POST that begins an upload says that nothing follows. */
  return (struct body){.present = a->op == OP_CREATE, .data = ""};
}

enum err prov_s3_build(const struct op_args *a, struct request *r,
                       struct error *e)
{
  r->method = asks[a->op].method;
  r->https = a->site->base.https;
  r->body = body_of(a);
  if (build_host(a, r) || build_path(a, r))
    return err_set(e, ERR_INTERNAL, "out of memory");
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof groups / sizeof *groups && !err; i++)
    if (says(a->op, groups[i].says))
      err = groups[i].add(a, r, e);
  return err;
}

enum err prov_s3_payload(const struct op_args *a, struct buf *out)
{
  const unsigned char *sha256 = payload_digest(a);
  return sha256 ? codec_hex(out, sha256, hash_len(HASH_SHA256))
                : buf_adds(out, EMPTY_SHA256);
}
