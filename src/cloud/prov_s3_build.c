/* SPDX-License-Identifier: MIT
 *
 * prov_s3_build - see prov_s3_build.h.
 */
#include "cloud/prov_s3_build.h"

#include <string.h>

static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  enum err err = xmlapi_set(r, "If-Match", a->options->if_match, e);
  return err ? err
             : xmlapi_set(r, "If-None-Match", a->options->if_none_match, e);
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
    err = xmlapi_set(r, "x-amz-server-side-encryption", buf_str(&mode), e);
  if (!err && key)
    err = xmlapi_set(r, "x-amz-server-side-encryption-aws-kms-key-id", key + 1,
                     e);
  buf_release(&mode);
  return err;
}

/* A header of Amazon's that a signed URL does not know is refused. */
static bool knows_new_headers(const struct op_args *a)
{
  return a->site->own && !target_is_signed(a->target);
}

static enum err add_digest(const struct op_args *a, struct request *r,
                           struct error *e)
{
  return knows_new_headers(a)
             ? xmlapi_set_digest(r, "x-amz-checksum-sha256", "",
                                 xmlapi_payload_digest(a), HASH_SHA256, e)
             : ERR_OK;
}

static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  enum err err = xmlapi_set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = xmlapi_add_range(a, r, e);
  if (!err && knows_new_headers(a))
    err = xmlapi_set(r, "x-amz-checksum-mode", "ENABLED", e);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionId", a->options->version_id, e);
  return err;
}

static enum err add_new(const struct op_args *a, struct request *r,
                        struct error *e)
{
  return knows_new_headers(a)
             ? xmlapi_set(r, "x-amz-checksum-algorithm", "SHA256", e)
             : ERR_OK;
}

static const char *const every[] = {"x-amz-request-payer",
                                    "x-amz-expected-bucket-owner", NULL};

static const struct xmlapi_words amz = {
    .prefix = "x-amz-",
    .version = "versionId",
    .customer_key = "x-amz-server-side-encryption-customer-",
    .every = every,
    .add_conditions = add_conditions,
    .add_sse = add_sse,
    .add_digest = add_digest,
    .add_read = add_read,
    .add_new = add_new,
};

enum err prov_s3_build(const struct op_args *a, struct request *r,
                       struct error *e)
{
  return xmlapi_build(&amz, a, r, e);
}
