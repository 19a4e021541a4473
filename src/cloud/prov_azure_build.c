/* SPDX-License-Identifier: MIT
 *
 * prov_azure_build - see prov_azure_build.h; `asks` is the table of operations.
 *
 * In an upload in blocks nothing is said of the blob before the list that
 * makes it: type, metadata, tier and condition travel with that.
 */
#include "cloud/prov_azure_build.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

/* Blocks of 4000 MiB need 2019-12-12; this one every emulator knows. */
#define API_VERSION "2021-12-02"

enum { UPLOAD_LEN = 32, NUMBER_LEN = 15, ID_LEN = UPLOAD_LEN + 1 + NUMBER_LEN };

/* What an operation says of all that it is given. */
enum {
  SAYS_ALL = 1 << 0,    /* every header of the user's */
  SAYS_KEY = 1 << 1,    /* of those, encryption */
  SAYS_IF = 1 << 2,     /* conditions */
  SAYS_FACTS = 1 << 3,  /* type, metadata, tier */
  SAYS_BODY = 1 << 4,   /* carries one */
  SAYS_DIGEST = 1 << 5, /* of its bytes */
  SAYS_READ = 1 << 6,   /* range, version */
  SAYS_BLOCK = 1 << 7,  /* names a block */
  SAYS_TYPE = 1 << 8,   /* that it is a block blob */
};

static const struct ask {
  enum method method;
  unsigned says;
  const char *comp; /* and the query begins so */
} asks[OP_COUNT] = {
    [OP_PUT] = {METHOD_PUT,
                SAYS_ALL | SAYS_KEY | SAYS_FACTS | SAYS_IF | SAYS_BODY |
                    SAYS_DIGEST | SAYS_TYPE,
                NULL},
    [OP_GET] = {METHOD_GET, SAYS_ALL | SAYS_KEY | SAYS_IF | SAYS_READ, NULL},
    [OP_HEAD] = {METHOD_HEAD, SAYS_ALL | SAYS_KEY | SAYS_IF | SAYS_READ, NULL},
    [OP_PART] = {METHOD_PUT, SAYS_KEY | SAYS_BODY | SAYS_DIGEST | SAYS_BLOCK,
                 "block"},
    [OP_COMPLETE] = {METHOD_PUT,
                     SAYS_ALL | SAYS_KEY | SAYS_FACTS | SAYS_IF | SAYS_BODY,
                     "blocklist"},
    [OP_PARTS] = {METHOD_GET, 0, "blocklist"},
};

static bool says(enum op op, unsigned what)
{
  return (asks[op].says & what) != 0;
}

/* ---- blocks ---- */

enum err prov_azure_upload_id(const unsigned char *dice, struct buf *out)
{
  return codec_hex(out, dice, UPLOAD_LEN / 2);
}

static bool is_upload(const char *s)
{
  return s && strlen(s) == UPLOAD_LEN &&
         strspn(s, "0123456789abcdef") == UPLOAD_LEN;
}

enum err prov_azure_block_id(const char *upload, unsigned number,
                             struct buf *out)
{
  char raw[ID_LEN + 1];
  if (!is_upload(upload))
    return ERR_USAGE;
  snprintf(raw, sizeof raw, "%s-%0*u", upload, NUMBER_LEN, number);
  return hash_base64(out, raw, ID_LEN);
}

unsigned prov_azure_block_number(const char *id)
{
  struct buf raw = {0};
  uint64_t number = 0;
  if (!hash_unbase64(&raw, id, strlen(id)) || raw.len != ID_LEN ||
      raw.data[UPLOAD_LEN] != '-' ||
      !codec_u64(raw.data + UPLOAD_LEN + 1, 1, INT32_MAX, &number))
    number = 0;
  buf_release(&raw);
  return (unsigned)number;
}

/* ---- the line ---- */

static enum err build_path(const struct op_args *a, struct request *r)
{
  struct buf path = {0};
  const char *key = a->target->key;
  enum err err =
      buf_addf(&path, "%s/%s/", a->site->base.path, a->target->bucket);
  if (!err)
    err = codec_percent(&path, key, strlen(key), true);
  if (!err)
    r->path = buf_take(&path);
  buf_release(&path);
  return err ? err : (r->path ? ERR_OK : ERR_INTERNAL);
}

static enum err add_comp(const struct op_args *a, struct request *r,
                         struct error *e)
{
  const char *comp = asks[a->op].comp;
  enum err err = comp ? kv_add(&r->query, "comp", comp, e) : ERR_OK;
  if (!err && a->op == OP_PARTS)
    err = kv_add(&r->query, "blocklisttype", "uncommitted", e);
  return err;
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

/* Headers of the request that are meant for the blob have a name of their own;
 * Content-MD5 is then what is kept of the whole. */
static bool is_of_blob(const char *name)
{
  static const char *const names[] = {
      "Cache-Control",    "Content-Disposition", "Content-Encoding",
      "Content-Language", "Content-MD5",         "Content-Type",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (codec_equal_nocase(name, names[i]))
      return true;
  return false;
}

static bool is_of_every_request(const char *name)
{
  return codec_equal_nocase(name, "x-ms-version") ||
         codec_equal_nocase(name, "x-ms-lease-id") ||
         codec_equal_nocase(name, "x-ms-client-request-id");
}

static bool travels(enum op op, const char *name)
{
  if (begins_with(name, "If-"))
    return says(op, SAYS_IF);
  if (begins_with(name, "x-ms-encryption-"))
    return says(op, SAYS_KEY);
  return says(op, SAYS_ALL) || is_of_every_request(name);
}

static enum err add_prefixed(struct request *r, const char *prefix,
                             const struct kv_pair *p, struct error *e)
{
  struct buf name = {0};
  enum err err = buf_addf(&name, "%s%s", prefix, p->name);
  err = err ? err_set(e, err, "out of memory")
            : kv_set(&r->headers, buf_str(&name), p->value, e);
  buf_release(&name);
  return err;
}

static enum err add_own(const struct op_args *a, struct request *r,
                        struct error *e)
{
  const struct kv *own = a->options->headers;
  enum err err = ERR_OK;
  for (size_t i = 0; own && i < own->n && !err; i++) {
    const struct kv_pair *p = &own->pairs[i];
    if (!travels(a->op, p->name))
      continue;
    if (says(a->op, SAYS_FACTS) && is_of_blob(p->name))
      err = add_prefixed(r, "x-ms-blob-", p, e);
    else
      err = kv_add(&r->headers, p->name, p->value, e);
  }
  return err;
}

static enum err add_version(const struct op_args *a, struct request *r,
                            struct error *e)
{
  (void)a;
  return kv_get(&r->headers, "x-ms-version")
             ? ERR_OK
             : set(r, "x-ms-version", API_VERSION, e);
}

/* ---- the groups ---- */

static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  enum err err = set(r, "If-Match", a->options->if_match, e);
  return err ? err : set(r, "If-None-Match", a->options->if_none_match, e);
}

static bool is_identifier(const char *s)
{
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *s && !(*s >= '0' && *s <= '9') && strspn(s, letters) == strlen(s);
}

static enum err add_metadata(const struct op_args *a, struct request *r,
                             struct error *e)
{
  const struct kv *metadata = a->options->metadata;
  enum err err = ERR_OK;
  for (size_t i = 0; metadata && i < metadata->n && !err; i++) {
    const struct kv_pair *p = &metadata->pairs[i];
    if (is_identifier(p->name))
      err = add_prefixed(r, "x-ms-meta-", p, e);
    else
      err = err_set(e, ERR_USAGE,
                    "--metadata: Azure takes letters, digits and '_' in a "
                    "name, no digit first: '%.80s'",
                    p->name);
  }
  return err;
}

static enum err add_facts(const struct op_args *a, struct request *r,
                          struct error *e)
{
  if (a->options->sse)
    return err_set(e, ERR_USAGE,
                   "--sse: Azure encrypts by itself; a scope goes with -H "
                   "'x-ms-encryption-scope: NAME'");
  enum err err = set(r, "x-ms-blob-content-type", a->options->content_type, e);
  if (!err)
    err = set(r, "x-ms-access-tier", a->options->storage_class, e);
  return err ? err : add_metadata(a, r, e);
}

static enum err add_type(const struct op_args *a, struct request *r,
                         struct error *e)
{
  (void)a;
  return set(r, "x-ms-blob-type", "BlockBlob", e);
}

static enum err set_base64(struct request *r, const char *name,
                           const unsigned char *digest, size_t len,
                           struct error *e)
{
  struct buf b64 = {0};
  enum err err = hash_base64(&b64, digest, len);
  err = err ? err_set(e, err, "out of memory")
            : kv_set(&r->headers, name, buf_str(&b64), e);
  buf_release(&b64);
  return err;
}

/* One of the two, never both; the CRC's low byte comes first. */
static enum err add_digest(const struct op_args *a, struct request *r,
                           struct error *e)
{
  enum { CRC_LEN = 8 };
  const unsigned char *md5 = op_digest(a, HASH_MD5);
  const unsigned char *crc = op_digest(a, HASH_CRC64NVME);
  unsigned char turned[CRC_LEN];
  if (md5)
    return set_base64(r, "Content-MD5", md5, hash_len(HASH_MD5), e);
  for (size_t i = 0; crc && i < CRC_LEN; i++)
    turned[i] = crc[CRC_LEN - 1 - i];
  return crc ? set_base64(r, "x-ms-content-crc64", turned, CRC_LEN, e) : ERR_OK;
}

static enum err add_range(const struct op_args *a, struct request *r,
                          struct error *e)
{
  struct buf range = {0};
  if (!a->range.present)
    return ERR_OK;
  if (a->range.suffix)
    return err_set(e, ERR_USAGE,
                   "--range: Azure knows no range that begins at the end");
  enum err err = range_header(&a->range, &range);
  err = err ? err_set(e, err, "out of memory")
            : set(r, "x-ms-range", buf_str(&range), e);
  buf_release(&range);
  return err;
}

static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  enum err err = set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = add_range(a, r, e);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionid", a->options->version_id, e);
  return err;
}

static enum err add_block(const struct op_args *a, struct request *r,
                          struct error *e)
{
  struct buf id = {0};
  enum err err = prov_azure_block_id(a->upload_id, a->part, &id);
  if (err)
    err = err_set(e, err, "this is no id of an upload in blocks");
  else
    err = kv_add(&r->query, "blockid", buf_str(&id), e);
  buf_release(&id);
  return err;
}

static const struct {
  unsigned says;
  enum err (*add)(const struct op_args *, struct request *, struct error *);
} groups[] = {
    {0, add_comp},           {SAYS_BLOCK, add_block},   {0, add_own},
    {0, add_version},        {SAYS_IF, add_conditions}, {SAYS_TYPE, add_type},
    {SAYS_FACTS, add_facts}, {SAYS_DIGEST, add_digest}, {SAYS_READ, add_read},
};

enum err prov_azure_build(const struct op_args *a, struct request *r,
                          struct error *e)
{
  r->method = asks[a->op].method;
  r->https = a->site->base.https;
  if (says(a->op, SAYS_BODY))
    r->body = a->body;
  if (site_host(a->site, a->target, &r->host) || build_path(a, r))
    return err_set(e, ERR_INTERNAL, "out of memory");
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof groups / sizeof *groups && !err; i++)
    if (!groups[i].says || says(a->op, groups[i].says))
      err = groups[i].add(a, r, e);
  return err;
}
