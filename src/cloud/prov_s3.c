/* SPDX-License-Identifier: MIT
 *
 * prov_s3 - Amazon S3 and what speaks it: what its answers mean.
 *
 * Answers what providers.md 2 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_s3` (cloud/provider.h).
 */
#include <stdio.h>
#include <string.h>

#include "cloud/prov_s3_build.h"
#include "cloud/prov_s3_site.h"
#include "cloud/xmlapi.h"

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

static enum err s3_sign(struct request *r, const struct op_args *a,
                        const struct creds *c, int64_t wall_ms,
                        struct sign_trace *trace, struct error *e)
{
  struct buf payload = {0};
  enum err err = xmlapi_payload(a, &payload);
  if (err)
    return err_set(e, err, "out of memory");
  err = sign_v4(&sign_v4_s3, r, c, a->site->region, buf_str(&payload), wall_ms,
                trace, e);
  buf_release(&payload);
  return err;
}

static enum err s3_complete_body(const struct upload_part *parts, size_t n,
                                 const struct site *site, struct buf *out)
{
  return xmlapi_complete_body(parts, n, site->own, out);
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
  out->code_class = class_of_code(out->code, r->status);
  if (a->op == OP_COMPLETE)
    out->code_class = class_of_completion(r, out);
  if (out->code_class == CODE_NONE && asks_for_checksum(out, r->status))
    out->code_class = CODE_CHECKSUM;
  if (out->code_class == CODE_NONE && !out->code[0])
    out->code_class = class_of_bare(a, r, out);
  if (out->code_class == CODE_NONE && is_redirect(r->status))
    out->code_class = CODE_REDIRECT;
  if (out->code_class == CODE_NONE && r->status < 300)
    out->code_class = CODE_TRANSIENT;
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
  read_region(r, out);
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
    .locate = prov_s3_locate,
    .relocate = prov_s3_relocate,
    .complete_body = s3_complete_body,
    .read_parts = xmlapi_parts,
    .build = prov_s3_build,
    .sign = s3_sign,
    .read = s3_read,
    .refused_signature = xmlapi_refused_signature,
};
