/* SPDX-License-Identifier: MIT
 *
 * prov_s3 - Amazon S3 and what speaks it: endpoints, requests, answers.
 *
 * Answers what providers.md 2 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_s3` (cloud/provider.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/provider.h"
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

/* ---- where ---- */

static bool region_ok(const char *region)
{
  return *region && strlen(region) <= 63 && !strchr(region, '.') &&
         uri_is_hostname(region);
}

/* China is a partition of its own with its own suffix. */
static const char *suffix_of(const char *region)
{
  return codec_starts_with(region, "cn-") ? "amazonaws.com.cn"
                                          : "amazonaws.com";
}

static bool is_aws_host(const char *host)
{
  return codec_ends_with(host, ".amazonaws.com") ||
         codec_ends_with(host, ".amazonaws.com.cn");
}

static enum err derive(const char *region, struct uri *out, struct error *e)
{
  char url[160];
  snprintf(url, sizeof url, "https://s3.%s.%s", region, suffix_of(region));
  return uri_parse(url, out, e);
}

static enum err check_region(const char *region, struct error *e)
{
  if (region_ok(region))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "region '%.80s' is not a region name", region);
}

static enum err no_region(struct error *e)
{
  return err_set(e, ERR_USAGE,
                 "no region: give --region, AWS_REGION or a profile's region");
}

static bool is_address(const char *host)
{
  return host[0] == '[' || host[strspn(host, "0123456789.")] == '\0';
}

/* Without a wish AWS gets the bucket in the host where a certificate for one
 * label covers it, everything else the path (providers.md 2.1). */
static enum err choose_style(const struct target *t, const char *addressing,
                             struct site *s, struct error *e)
{
  if (!addressing)
    s->virtual_host = s->own && target_bucket_is_label(t->bucket);
  else
    s->virtual_host = strcmp(addressing, "virtual") == 0;
  if (s->virtual_host && !uri_is_hostname(t->bucket))
    return err_set(e, ERR_USAGE,
                   "bucket '%.80s' cannot stand in a host name; use "
                   "--addressing path",
                   t->bucket);
  if (s->virtual_host && is_address(s->base.host))
    return err_set(e, ERR_USAGE,
                   "--addressing virtual needs a host name, not %s",
                   s->base.host);
  return ERR_OK;
}

static enum err s3_locate(const struct target *t, const struct site_wish *w,
                          struct site *out, struct error *e)
{
  struct site s = {.custom = w->endpoint != NULL};
  const char *region = w->region;
  if (!region && !s.custom)
    return no_region(e);
  enum err err = region ? check_region(region, e) : ERR_OK;
  if (err)
    return err;
  err = s.custom ? uri_parse(w->endpoint, &s.base, e)
                 : derive(region, &s.base, e);
  if (err)
    return err;
  s.own = is_aws_host(s.base.host);
  if (!region && s.own)
    err = no_region(e);
  if (!err)
    err = choose_style(t, w->addressing, &s, e);
  s.region = strdup(region ? region : "us-east-1");
  if (!err && !s.region)
    err = no_memory(e);
  if (err)
    site_release(&s);
  else
    *out = s;
  return err;
}

/* The region inside "bucket.s3.eu-west-1.amazonaws.com" or the older
 * "bucket.s3-eu-west-1.amazonaws.com"; false for any other host. */
static bool region_of_host(const char *host, char region[64])
{
  if (!is_aws_host(host))
    return false;
  const char *end = strstr(host, ".amazonaws.com");
  const char *s3 = NULL;
  for (const char *p = host; p < end; p++)
    if ((p == host || p[-1] == '.') &&
        (strncmp(p, "s3.", 3) == 0 || strncmp(p, "s3-", 3) == 0))
      s3 = p + 3;
  if (!s3 || s3 >= end || (size_t)(end - s3) >= 64)
    return false;
  snprintf(region, 64, "%.*s", (int)(end - s3), s3);
  return region_ok(region);
}

static enum err move_region(struct site *s, const char *region, bool *changed,
                            struct error *e)
{
  if (!region_ok(region) || strcmp(region, s->region) == 0)
    return ERR_OK;
  struct uri base = {0};
  enum err err = s->custom ? ERR_OK : derive(region, &base, e);
  char *copy = err ? NULL : strdup(region);
  if (!err && !copy)
    err = no_memory(e);
  if (err) {
    uri_release(&base);
    return err;
  }
  if (!s->custom) {
    uri_release(&s->base);
    s->base = base;
  }
  free(s->region);
  s->region = copy;
  *changed = true;
  return ERR_OK;
}

/* A custom endpoint may send us to another port of the same host, never to
 * another host and never from https to http (security.md 1). */
static void move_port(struct site *s, const struct uri *to, bool *changed)
{
  size_t host_len = strlen(s->base.host), to_len = strlen(to->host);
  bool same = to_len >= host_len &&
              strcmp(to->host + to_len - host_len, s->base.host) == 0 &&
              (to_len == host_len || to->host[to_len - host_len - 1] == '.');
  if (!same || (s->base.https && !to->https) || to->port == s->base.port)
    return;
  s->base.port = to->port;
  s->base.https = to->https;
  *changed = true;
}

/* Only the authority of a Location is of interest; its path may hold
 * anything. */
static bool location_uri(const char *location, struct uri *out)
{
  const char *host = strstr(location, "://");
  if (!host)
    return false;
  size_t len = (size_t)(host - location) + 3;
  len += strcspn(location + len, "/?#");
  char authority[512];
  if (len >= sizeof authority)
    return false;
  memcpy(authority, location, len);
  authority[len] = '\0';
  return uri_parse(authority, out, NULL) == ERR_OK;
}

static enum err s3_relocate(struct site *s, const struct target *t,
                            const struct op_result *r, bool *changed,
                            struct error *e)
{
  (void)t;
  *changed = false;
  if (r->region[0])
    return move_region(s, r->region, changed, e);
  struct uri to = {0};
  char region[64];
  enum err err = ERR_OK;
  if (!location_uri(r->location, &to))
    return ERR_OK;
  if (s->custom)
    move_port(s, &to, changed);
  else if (region_of_host(to.host, region))
    err = move_region(s, region, changed, e);
  uri_release(&to);
  return err;
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
    .locate = s3_locate,
    .relocate = s3_relocate,
    .build = s3_build,
    .sign = s3_sign,
    .read = s3_read,
};
