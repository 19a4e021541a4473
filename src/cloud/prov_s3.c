/* SPDX-License-Identifier: MIT
 *
 * prov_s3 - Amazon S3 and what speaks it: endpoints, requests, answers.
 *
 * Answers what providers.md 2 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_s3` (cloud/provider.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_s3_site.h"
#include "cloud/xmlapi.h"

#define EMPTY_SHA256 \
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const struct xmlapi_dialect amz = {.prefix = "x-amz-"};

/* Codes that outrank their status (providers.md 0.3). */
static const struct {
  const char *code;
  enum code_class class;
} codes[] = {
    {"SlowDown", CODE_THROTTLE},
    {"SlowDownRead", CODE_THROTTLE},
    {"SlowDownWrite", CODE_THROTTLE},
    {"TooManyRequests", CODE_THROTTLE},
    {"TooManyRequestsException", CODE_THROTTLE},
    {"Throttling", CODE_THROTTLE},
    {"ThrottlingException", CODE_THROTTLE},
    {"RequestThrottled", CODE_THROTTLE},
    {"RequestLimitExceeded", CODE_THROTTLE},
    {"BandwidthLimitExceeded", CODE_THROTTLE},
    {"RequestTimeout", CODE_TRANSIENT},
    {"InternalError", CODE_TRANSIENT},
    {"ServiceUnavailable", CODE_TRANSIENT},
    {"OperationAborted", CODE_CONFLICT},
    {"ConditionalRequestConflict", CODE_CONFLICT},
    {"PriorRequestNotComplete", CODE_CONFLICT},
    {"BadDigest", CODE_BAD_DIGEST},
    {"XAmzContentSHA256Mismatch", CODE_BAD_DIGEST},
    {"XAmzContentChecksumMismatch", CODE_BAD_DIGEST},
    {"ExpiredToken", CODE_REAUTH},
    {"ExpiredTokenException", CODE_REAUTH},
    {"TokenRefreshRequired", CODE_REAUTH},
    {"InvalidToken", CODE_REAUTH},
    {"RequestTimeTooSkewed", CODE_RECLOCK},
    {"RequestExpired", CODE_RECLOCK},
    {"RequestInTheFuture", CODE_RECLOCK},
    {"AuthorizationHeaderMalformed", CODE_REDIRECT},
    {"IllegalLocationConstraintException", CODE_REDIRECT},
    {"PermanentRedirect", CODE_REDIRECT},
    {"TemporaryRedirect", CODE_REDIRECT},
    {"Redirect", CODE_REDIRECT},
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- what is asked ---- */

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

/* "aws:kms=KEY" names the key as well. */
static enum err add_sse(struct request *r, const char *sse, struct error *e)
{
  if (!sse)
    return ERR_OK;
  const char *key = strchr(sse, '=');
  struct buf mode = {0};
  enum err err = buf_add(&mode, sse, key ? (size_t)(key - sse) : strlen(sse));
  if (!err)
    err = set(r, "x-amz-server-side-encryption", buf_str(&mode), e);
  if (!err && key)
    err = set(r, "x-amz-server-side-encryption-aws-kms-key-id", key + 1, e);
  buf_release(&mode);
  return err;
}

static enum err add_metadata(struct request *r, const struct kv *metadata,
                             struct error *e)
{
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

static enum err add_sha256_checksum(struct request *r, const char *hex,
                                    struct error *e)
{
  unsigned char raw[32];
  struct buf b64 = {0};
  for (size_t i = 0; i < sizeof raw; i++)
    raw[i] = (unsigned char)(codec_hex_digit(hex[2 * i]) * 16 +
                             codec_hex_digit(hex[2 * i + 1]));
  enum err err = hash_base64(&b64, raw, sizeof raw);
  if (!err)
    err = set(r, "x-amz-checksum-sha256", buf_str(&b64), e);
  buf_release(&b64);
  return err;
}

static enum err put_headers(const struct op_args *a, struct request *r,
                            struct error *e)
{
  const struct object_options *o = a->options;
  enum err err = set(r, "Content-Type", o->content_type, e);
  if (!err)
    err = set(r, "Content-MD5", a->md5_base64, e);
  if (!err)
    err = set(r, "x-amz-storage-class", o->storage_class, e);
  if (!err)
    err = add_sse(r, o->sse, e);
  if (!err)
    err = add_metadata(r, o->metadata, e);
  if (!err && a->site->own)
    err =
        add_sha256_checksum(r, a->sha256_hex ? a->sha256_hex : EMPTY_SHA256, e);
  return err;
}

static enum err get_headers(const struct op_args *a, struct request *r,
                            struct error *e)
{
  struct buf range = {0};
  enum err err = ERR_OK;
  if (a->range.present) {
    err = range_header(&a->range, &range);
    if (!err)
      err = set(r, "Range", buf_str(&range), e);
  }
  if (!err && a->site->own)
    err = set(r, "x-amz-checksum-mode", "ENABLED", e);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionId", a->options->version_id, e);
  buf_release(&range);
  return err;
}

static enum err object_headers(const struct op_args *a, struct request *r,
                               struct error *e)
{
  const struct object_options *o = a->options;
  enum err err = ERR_OK;
  for (size_t i = 0; o->headers && i < o->headers->n && !err; i++)
    err = kv_add(&r->headers, o->headers->pairs[i].name,
                 o->headers->pairs[i].value, e);
  if (!err)
    err = set(r, "If-Match", o->if_match, e);
  if (!err)
    err = set(r, "If-None-Match", o->if_none_match, e);
  if (!err && a->resume_etag)
    err = set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = a->op == OP_PUT ? put_headers(a, r, e) : get_headers(a, r, e);
  return err;
}

static enum err s3_build(const struct op_args *a, struct request *r,
                         struct error *e)
{
  static const enum method methods[OP_COUNT] = {
      [OP_PUT] = METHOD_PUT,
      [OP_GET] = METHOD_GET,
      [OP_HEAD] = METHOD_HEAD,
      [OP_BUCKET] = METHOD_HEAD,
  };
  r->method = methods[a->op];
  r->https = a->site->base.https;
  if (a->op == OP_PUT)
    r->body = a->body;
  enum err err = build_host(a, r);
  if (!err)
    err = build_path(a, r);
  if (err)
    return no_memory(e);
  return a->op == OP_BUCKET ? ERR_OK : object_headers(a, r, e);
}

static enum err s3_sign(struct request *r, const struct op_args *a,
                        const struct creds *c, int64_t wall_ms,
                        struct sign_v4_trace *trace, struct error *e)
{
  const char *payload =
      a->op == OP_PUT && a->sha256_hex ? a->sha256_hex : EMPTY_SHA256;
  return sign_v4(&sign_v4_s3, r, c, a->site->region, payload, wall_ms, trace,
                 e);
}

/* ---- what is answered ---- */

/* A code that only repeats what its status says leaves the word to the status,
 * so that --retry-on and kin can move it. */
static enum code_class class_of_code(const char *code, int status)
{
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (strcmp(codes[i].code, code) == 0)
      return codes[i].class == CODE_TRANSIENT && status >= 500 ? CODE_NONE
                                                               : codes[i].class;
  return CODE_NONE;
}

/* Stores say it in words under several codes: Object Lock's "Content-MD5 OR
 * x-amz-checksum- HTTP header is required", "Missing required header for this
 * request: Content-MD5". */
static bool asks_for_checksum(const struct op_result *r, int status)
{
  if (status != 400 || strcmp(r->code, "InvalidDigest") == 0)
    return false;
  return strcmp(r->code, "MissingContentMD5") == 0 ||
         strstr(r->message, "Content-MD5") != NULL ||
         strstr(r->message, "x-amz-checksum-") != NULL;
}

static bool is_redirect(int status)
{
  return status == 301 || status == 302 || status == 307 || status == 308;
}

/* HEAD errors have no body: a 301 or 400 with another region in its header, or
 * a bare 400, is what a wrong region looks like (providers.md 2.2). */
static enum code_class class_of_bare(const struct op_args *a,
                                     const struct response *r,
                                     const struct op_result *out)
{
  bool other = out->region[0] && strcmp(out->region, a->site->region) != 0;
  if (is_redirect(r->status))
    return CODE_REDIRECT;
  if (r->status == 400 && a->op == OP_HEAD && (other || !out->region[0]))
    return CODE_REDIRECT;
  if (r->status == 401)
    return CODE_REAUTH;
  return CODE_NONE;
}

static void read_region(const struct response *r, struct op_result *out)
{
  const char *region = kv_get(&r->headers, "x-amz-bucket-region");
  if (region && strlen(region) < sizeof out->region)
    snprintf(out->region, sizeof out->region, "%s", region);
}

static void s3_read(const struct op_args *a, const struct response *r,
                    struct op_result *out)
{
  *out = (struct op_result){0};
  xmlapi_headers(&amz, r, out);
  bool error = xmlapi_error(r, out);
  read_region(r, out);
  out->answered = a->op == OP_BUCKET && out->region[0];
  if (r->status >= 200 && r->status < 300 && !error)
    return;
  if (r->status == 304 || r->status < 200)
    return;
  out->code_class = class_of_code(out->code, r->status);
  if (out->code_class == CODE_NONE && asks_for_checksum(out, r->status))
    out->code_class = CODE_CHECKSUM;
  if (out->code_class == CODE_NONE && !out->code[0])
    out->code_class = class_of_bare(a, r, out);
  if (out->code_class == CODE_NONE && is_redirect(r->status))
    out->code_class = CODE_REDIRECT;
  if (out->code_class == CODE_NONE && error && r->status < 300)
    out->code_class = CODE_TRANSIENT;
}

const struct provider prov_s3 = {
    .name = "s3",
    .scheme = "s3",
    .max_single = UINT64_C(5) << 30,
    .max_key = 1024,
    .meta_prefix = "x-amz-meta-",
    .locate = prov_s3_locate,
    .relocate = prov_s3_relocate,
    .build = s3_build,
    .sign = s3_sign,
    .read = s3_read,
    .refused_signature = xmlapi_refused_signature,
};
