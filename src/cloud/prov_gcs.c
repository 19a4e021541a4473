/* SPDX-License-Identifier: MIT
 *
 * prov_gcs - Google Cloud Storage by its XML API: what its answers mean.
 *
 * Answers what providers.md 3 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_gcs` (cloud/provider.h).
 */
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_gcs_build.h"
#include "cloud/prov_gcs_session.h"
#include "cloud/prov_gcs_site.h"
#include "cloud/xmlapi.h"

/* Told too early again, it says the same: an object may be written about once
 * a second. */
enum { LEAST_WAIT_MS = 1000 };

static const struct xmlapi_dialect goog = {.prefix = "x-goog-"};

/* Codes that say more than their status, or something else. */
static const struct provider_code codes[] = {
    {"SlowDown", CODE_THROTTLE, NULL},
    {"RequestTimeout", CODE_TRANSIENT, NULL},
    {"BadDigest", CODE_BAD_DIGEST, NULL},
    {"XAmzContentSHA256Mismatch", CODE_BAD_DIGEST, NULL},
    {"ExpiredToken", CODE_REAUTH, NULL},
    {"InvalidToken", CODE_REAUTH, NULL},
    {"RequestTimeTooSkewed", CODE_RECLOCK, NULL},
    {"OperationAborted", CODE_CONFLICT, NULL},
};

/* ---- who asks ---- */

/* A token is all that its bearer needs (security.md 4). */
static bool may_carry_token(const struct op_args *a)
{
  return a->site->base.https || uri_is_loopback(&a->site->base);
}

static enum err sign_bearer(struct request *r, const struct op_args *a,
                            const struct creds *c, struct error *e)
{
  struct buf value = {.secret = true};
  if (!may_carry_token(a))
    return err_set(e, ERR_CREDENTIALS,
                   "a token is not sent over plain http but to this machine "
                   "itself: the endpoint needs https");
  enum err err = buf_addf(&value, "Bearer %s", buf_str(&c->token));
  err = err ? err_set(e, err, "out of memory")
            : kv_set(&r->headers, "Authorization", buf_str(&value), e);
  /* Who was named for this request pays for it. */
  if (!err && c->project.len && !kv_get(&r->headers, "x-goog-user-project"))
    err = kv_set(&r->headers, "x-goog-user-project", buf_str(&c->project), e);
  buf_release(&value);
  return err;
}

static enum err sign_keys(struct request *r, const struct op_args *a,
                          const struct creds *c, int64_t wall_ms,
                          struct sign_trace *trace, struct error *e)
{
  return xmlapi_sign(&sign_v4_gcs, r, a, c, wall_ms, trace, e);
}

static enum err gcs_sign(struct request *r, const struct op_args *a,
                         const struct creds *c, int64_t wall_ms,
                         struct sign_trace *trace, struct error *e)
{
  if (prov_gcs_session_is_open(a->op))
    return ERR_OK; /* its address is all it needs, and outlives a token */
  return c->kind == CREDS_BEARER ? sign_bearer(r, a, c, e)
                                 : sign_keys(r, a, c, wall_ms, trace, e);
}

static enum err gcs_build(const struct op_args *a, struct request *r,
                          struct error *e)
{
  return prov_gcs_session_has(a->op) ? prov_gcs_session_build(a, r, e)
                                     : prov_gcs_build(a, r, e);
}

static enum err gcs_complete_body(const struct upload_part *parts, size_t n,
                                  const struct op_args *a, struct buf *out)
{
  (void)a;
  return xmlapi_complete_body(parts, n, false, out);
}

/* ---- what is answered ---- */

static void read_hash(const char *value, size_t len, const char *name,
                      enum hash_alg alg, struct op_result *out)
{
  size_t n = strlen(name);
  if (len > n && codec_starts_nocase(value, len, name))
    (void)checksum_read(&out->checksums[alg], alg, value + n, len - n);
}

/* "crc32c=...,md5=..." in one line or in several. */
static void read_hashes(const struct response *r, struct op_result *out)
{
  const struct kv *h = &r->headers;
  for (size_t i = kv_find(h, "x-goog-hash", 0); i < h->n;
       i = kv_find(h, "x-goog-hash", i + 1)) {
    const char *p = h->pairs[i].value;
    while (*p) {
      p += strspn(p, ", \t");
      size_t len = strcspn(p, ", \t");
      read_hash(p, len, "crc32c=", HASH_CRC32C, out);
      read_hash(p, len, "md5=", HASH_MD5, out);
      p += len;
    }
  }
}

/* Stored packed, and unpacked on its way all the same. */
static bool is_transformed(const struct response *r)
{
  const char *stored = kv_get(&r->headers, "x-goog-stored-content-encoding");
  const char *sent = kv_get(&r->headers, "content-encoding");
  return stored && codec_equal_nocase(stored, "gzip") &&
         !(sent && codec_equal_nocase(sent, "gzip"));
}

static void read_object(const struct op_args *a, const struct response *r,
                        struct op_result *out)
{
  const char *stored = kv_get(&r->headers, "x-goog-stored-content-length");
  bool reads = a->op == OP_GET || a->op == OP_HEAD;
  response_header(r, "x-goog-generation", out->version_id,
                  sizeof out->version_id);
  out->transformed = a->op == OP_GET && is_transformed(r);
  if (out->transformed) {
    out->has_size = false; /* of the bytes that come, nothing is told */
    return;
  }
  if (reads && stored)
    out->has_size = codec_u64(stored, 0, INT64_MAX, &out->size);
  read_hashes(r, out);
}

static enum code_class class_of(const struct op_result *r, int status)
{
  if (status == 401 && !provider_code(&prov_gcs, r->code))
    return CODE_REAUTH;
  return provider_class(&prov_gcs, r->code, status);
}

static void read_error(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  out->code_class = class_of(out, r->status);
  if (out->code_class == CODE_NONE && r->status < 300)
    out->code_class = xmlapi_late_class(out->code);
  if (r->status == 429)
    out->min_wait_ms = LEAST_WAIT_MS;
  out->gone = strcmp(out->code, "NoSuchUpload") == 0;
  if (a->op == OP_ABORT && r->status == 404)
    out->answered = out->gone;
}

static void gcs_read(const struct op_args *a, const struct response *r,
                     struct op_result *out)
{
  *out = (struct op_result){0};
  xmlapi_headers(&goog, r, out);
  response_header(r, "x-guploader-uploadid", out->request_id,
                  sizeof out->request_id);
  if (prov_gcs_session_has(a->op)) {
    prov_gcs_session_read(a, r, out);
    if (r->status == 429)
      out->min_wait_ms = LEAST_WAIT_MS;
    return;
  }
  bool error = xmlapi_error(r, out);
  out->region[0] = '\0';
  if (r->status == 304 || r->status < 200)
    return;
  if (r->status >= 300 || error) {
    read_error(a, r, out);
    return;
  }
  read_object(a, r, out);
  if (!xmlapi_success(a, r, out))
    out->code_class = CODE_TRANSIENT;
}

const struct provider prov_gcs = {
    .name = "gcs",
    .scheme = "gs",
    .max_single = UINT64_C(5) << 40,
    .min_part = UINT64_C(5) << 20,
    .max_part = UINT64_C(5) << 30,
    .max_parts = 10000,
    .max_object = UINT64_C(5) << 40,
    .max_key = 1024,
    .meta_prefix = "x-goog-meta-",
    .codes = codes,
    .n_codes = sizeof codes / sizeof *codes,
    .hashes = HASH_BIT(HASH_CRC32C),
    .told_whole = HASH_BIT(HASH_CRC32C),
    .session_unit = 256 << 10,
    .session_body = prov_gcs_session_body,
    .locate = prov_gcs_locate,
    .complete_body = gcs_complete_body,
    .read_parts = xmlapi_parts,
    .build = gcs_build,
    .sign = gcs_sign,
    .read = gcs_read,
    .refused_signature = xmlapi_refused_signature,
};
