/* SPDX-License-Identifier: MIT
 *
 * prov_s3 - Amazon S3 and what speaks it: what its answers mean.
 *
 * Answers what providers.md 2 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_s3` (cloud/provider.h).
 */
#include <string.h>

#include "cloud/prov_s3_build.h"
#include "cloud/prov_s3_site.h"
#include "cloud/xmlapi.h"

static const struct xmlapi_dialect amz = {.prefix = "x-amz-"};

/* Codes that outrank their status (providers.md 0.3). */
static const struct provider_code codes[] = {
    {"SlowDown", CODE_THROTTLE, NULL},
    {"SlowDownRead", CODE_THROTTLE, NULL},
    {"SlowDownWrite", CODE_THROTTLE, NULL},
    {"TooManyRequests", CODE_THROTTLE, NULL},
    {"TooManyRequestsException", CODE_THROTTLE, NULL},
    {"Throttling", CODE_THROTTLE, NULL},
    {"ThrottlingException", CODE_THROTTLE, NULL},
    {"RequestThrottled", CODE_THROTTLE, NULL},
    {"RequestLimitExceeded", CODE_THROTTLE, NULL},
    {"BandwidthLimitExceeded", CODE_THROTTLE, NULL},
    {"RequestTimeout", CODE_TRANSIENT, NULL},
    {"InternalError", CODE_TRANSIENT, NULL},
    {"ServiceUnavailable", CODE_TRANSIENT, NULL},
    {"OperationAborted", CODE_CONFLICT, NULL},
    {"ConditionalRequestConflict", CODE_CONFLICT, NULL},
    {"PriorRequestNotComplete", CODE_CONFLICT, NULL},
    {"BadDigest", CODE_BAD_DIGEST, NULL},
    {"XAmzContentSHA256Mismatch", CODE_BAD_DIGEST, NULL},
    {"XAmzContentChecksumMismatch", CODE_BAD_DIGEST, NULL},
    {"ExpiredToken", CODE_REAUTH, NULL},
    {"ExpiredTokenException", CODE_REAUTH, NULL},
    {"TokenRefreshRequired", CODE_REAUTH, NULL},
    {"InvalidToken", CODE_REAUTH, NULL},
    {"RequestTimeTooSkewed", CODE_RECLOCK, NULL},
    {"RequestExpired", CODE_RECLOCK, NULL},
    {"RequestInTheFuture", CODE_RECLOCK, NULL},
    {"AuthorizationHeaderMalformed", CODE_REDIRECT, NULL},
    {"IllegalLocationConstraintException", CODE_REDIRECT, NULL},
    {"PermanentRedirect", CODE_REDIRECT, NULL},
    {"TemporaryRedirect", CODE_REDIRECT, NULL},
    {"Redirect", CODE_REDIRECT, NULL},
    {"InvalidObjectState", CODE_NONE,
     "the object is archived: restore it first, which takes minutes or hours"},
};

static enum err s3_sign(struct request *r, const struct op_args *a,
                        const struct creds *c, int64_t wall_ms,
                        struct sign_trace *trace, struct error *e)
{
  return xmlapi_sign(&sign_v4_s3, r, a, c, wall_ms, trace, e);
}

static enum err s3_complete_body(const struct upload_part *parts, size_t n,
                                 const struct op_args *a, struct buf *out)
{
  enum hash_alg alg;
  bool composite = prov_s3_checksum(a, &alg) && alg == HASH_SHA256;
  return xmlapi_complete_body(parts, n, composite, out);
}

/* ---- what is answered ---- */

/* Stores say it in words under several codes: Object Lock's "Content-MD5 OR
 * x-amz-checksum- HTTP header is required", "Missing required header for this
 * request: Content-MD5".  Who was told a checksum that was chosen and speaks of
 * that header alone does not want it. */
static bool asks_for_checksum(const struct op_args *a,
                              const struct op_result *r, int status)
{
  if (status != 400 || strcmp(r->code, "InvalidDigest") == 0)
    return false;
  return strcmp(r->code, "MissingContentMD5") == 0 ||
         strstr(r->message, "Content-MD5") != NULL ||
         (!a->options->has_checksum &&
          strstr(r->message, "x-amz-checksum-") != NULL);
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

/* A completion that lost a race needs a new upload, but for one that met a
 * completion still at work; a condition may fail behind a 200. */
static enum code_class class_of_completion(const struct response *r,
                                           const struct op_result *out)
{
  bool late = r->status < 300;
  if (strcmp(out->code, "ConditionalRequestConflict") == 0)
    return CODE_RESTART;
  if (late && strcmp(out->code, "PreconditionFailed") == 0)
    return CODE_EXISTS;
  return r->status == 409 && out->code_class == CODE_NONE ? CODE_RESTART
                                                          : out->code_class;
}

static void read_error(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  out->code_class = provider_class(&prov_s3, out->code, r->status);
  if (a->op == OP_COMPLETE)
    out->code_class = class_of_completion(r, out);
  if (out->code_class == CODE_NONE && asks_for_checksum(a, out, r->status))
    out->code_class = CODE_CHECKSUM;
  if (out->code_class == CODE_NONE && !out->code[0])
    out->code_class = class_of_bare(a, r, out);
  if (out->code_class == CODE_NONE && is_redirect(r->status))
    out->code_class = CODE_REDIRECT;
  if (out->code_class == CODE_NONE && r->status < 300)
    out->code_class = xmlapi_late_class(out->code);
  out->gone = strcmp(out->code, "NoSuchUpload") == 0;
  if (a->op == OP_ABORT && r->status == 404)
    out->answered = out->gone;
}

static void s3_read(const struct op_args *a, const struct response *r,
                    struct op_result *out)
{
  *out = (struct op_result){0};
  xmlapi_headers(&amz, r, out);
  bool error = xmlapi_error(r, out);
  response_header(r, "x-amz-bucket-region", out->region, sizeof out->region);
  out->answered = a->op == OP_BUCKET && out->region[0];
  if (r->status == 304 || r->status < 200)
    return;
  if (r->status < 300 && !error)
    out->code_class = xmlapi_success(a, r, out) ? CODE_NONE : CODE_TRANSIENT;
  else
    read_error(a, r, out);
}

const struct provider prov_s3 = {
    .name = "s3",
    .scheme = "s3",
    .max_single = UINT64_C(5) << 30,
    .min_part = UINT64_C(5) << 20,
    .max_part = UINT64_C(5) << 30,
    .max_parts = 10000,
    .max_object = (UINT64_C(5) << 30) * 10000, /* 48.8 TiB */
    .max_key = 1024,
    .meta_prefix = "x-amz-meta-",
    .codes = codes,
    .n_codes = sizeof codes / sizeof *codes,
    .checksums = HASH_BIT(HASH_SHA256) | HASH_BIT(HASH_CRC32C) |
                 HASH_BIT(HASH_CRC64NVME),
    .locate = prov_s3_locate,
    .relocate = prov_s3_relocate,
    .complete_body = s3_complete_body,
    .read_parts = xmlapi_parts,
    .build = prov_s3_build,
    .sign = s3_sign,
    .read = s3_read,
    .refused_signature = xmlapi_refused_signature,
};
