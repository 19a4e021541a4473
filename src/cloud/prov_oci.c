/* SPDX-License-Identifier: MIT
 *
 * prov_oci - Oracle's Object Storage: what its answers mean.
 *
 * Answers what providers.md 5 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_oci` (cloud/provider.h).
 */
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_oci_build.h"
#include "cloud/prov_oci_json.h"
#include "cloud/prov_oci_site.h"
#include "cloud/sign_oci.h"
#include "cloud/xmlapi.h"

static const struct xmlapi_dialect opc = {.prefix = "opc-"};

/* Codes that outrank their status (providers.md 0.3). */
static const struct provider_code codes[] = {
    {"TooManyRequests", CODE_THROTTLE, NULL},
    {"IncorrectState", CODE_CONFLICT, NULL},
    {"ConcurrentObjectUpdate", CODE_CONFLICT, NULL},
    {"ConcurrentBucketUpdate", CODE_CONFLICT, NULL},
    {"UnmatchedContentMD5", CODE_BAD_DIGEST, NULL},
    {"NotAuthenticated", CODE_REAUTH, NULL},
    {"IfNoneMatchFailed", CODE_EXISTS, NULL},
    {"NotRestored", CODE_NONE,
     "the object is archived: restore it first, which takes an hour or more"},
};

static enum err oci_sign(struct request *r, const struct op_args *a,
                         const struct creds *c, int64_t wall_ms,
                         struct sign_trace *trace, struct error *e)
{
  return sign_oci(r,
                  prov_oci_is_document(a->op) ? SIGN_OCI_BODY : SIGN_OCI_PLAIN,
                  c, wall_ms, trace ? &trace->string_to_sign : NULL, e);
}

/* ---- what is answered ---- */

static enum code_class class_of(const struct response *r,
                                const struct op_result *out)
{
  if (r->status == 401 && !provider_code(&prov_oci, out->code))
    return CODE_REAUTH;
  return provider_class(&prov_oci, out->code, r->status);
}

/* Of the whole object, where the answer has all of it or is of a write. */
static void read_checksums(const struct response *r, struct op_result *out)
{
  static const struct {
    const char *name;
    enum hash_alg alg;
  } told[] = {
      {"content-md5", HASH_MD5},
      {"opc-content-md5", HASH_MD5},
      {"opc-content-crc32c", HASH_CRC32C},
      {"opc-content-sha256", HASH_SHA256},
  };
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    const char *value = kv_get(&r->headers, told[i].name);
    struct checksum *to = &out->checksums[told[i].alg];
    if (value && !to->present)
      (void)checksum_read(to, told[i].alg, value, strlen(value));
  }
}

/* "BASE64-N": the MD5 of the parts' MD5s. */
static void read_parts_md5(const struct response *r, struct op_result *out)
{
  const char *value = kv_get(&r->headers, "opc-multipart-md5");
  const char *dash = value ? strrchr(value, '-') : NULL;
  struct checksum sum = {.present = false};
  uint64_t parts;
  if (!dash || !codec_u64(dash + 1, 1, 10000, &parts) ||
      !checksum_read(&sum, HASH_MD5, value, (size_t)(dash - value)))
    return;
  out->composite =
      (struct composite){.present = true, .alg = HASH_MD5, .parts = parts};
  memcpy(out->composite.digest, sum.digest, hash_len(HASH_MD5));
}

static void read_headers(const struct response *r, struct op_result *out)
{
  xmlapi_headers(&opc, r, out);
  response_header(r, "version-id", out->version_id, sizeof out->version_id);
  response_header(r, "storage-tier", out->storage_class,
                  sizeof out->storage_class);
  response_header(r, "opc-next-page", out->next_page, sizeof out->next_page);
  if (r->status == 200) {
    read_checksums(r, out);
    read_parts_md5(r, out);
  }
}

/* A 2xx is believed by what it brings: a proxy's page has any status. */
static void read_success(const struct op_args *a, const struct response *r,
                         struct op_result *out)
{
  bool good = true;
  if (a->op == OP_CREATE)
    good = prov_oci_json_upload(r, out);
  else if (a->op == OP_PART || a->op == OP_COMPLETE)
    good = out->etag[0];
  else if (a->op == OP_ABORT)
    good = out->answered = r->status == 204 || op_result_is_genuine(out);
  else if (a->op == OP_NAMESPACE)
    good = out->answered = prov_oci_json_namespace(r, out);
  if (!good)
    out->code_class = CODE_TRANSIENT;
}

static void read_error(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  out->code_class = class_of(r, out);
  out->gone = r->status == 404 && strcmp(out->code, "UploadNotFound") == 0;
  if (a->op == OP_ABORT)
    out->answered = out->gone;
  if (out->code_class == CODE_NONE && r->status < 300)
    out->code_class = CODE_TRANSIENT;
}

static void oci_read(const struct op_args *a, const struct response *r,
                     struct op_result *out)
{
  *out = (struct op_result){0};
  read_headers(r, out);
  if (r->status == 304 || r->status < 200)
    return;
  bool error = prov_oci_json_error(r, out);
  if (r->status < 300 && !error)
    read_success(a, r, out);
  else
    read_error(a, r, out);
}

const struct provider prov_oci = {
    .name = "oci",
    .scheme = "oci",
    .max_single = UINT64_C(50) << 30,
    .min_part = UINT64_C(5) << 20, /* the last one may be less */
    .max_part = UINT64_C(50) << 30,
    .max_parts = 10000,
    .max_object = UINT64_C(10) << 40,
    .max_key = 1024,
    .meta_prefix = "opc-meta-",
    .codes = codes,
    .n_codes = sizeof codes / sizeof *codes,
    .hashes = HASH_BIT(HASH_MD5),
    .skew_ms = 300000,
    .asks_account = true,
    .not_found_hint = "OCI answers so, too, where the key has no permission",
    .locate = prov_oci_locate,
    .complete_body = prov_oci_json_commit,
    .read_parts = prov_oci_json_parts,
    .build = prov_oci_build,
    .sign = oci_sign,
    .read = oci_read,
};
