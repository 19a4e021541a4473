/* SPDX-License-Identifier: MIT
 *
 * prov_s3_build - see prov_s3_build.h.
 */
#include "cloud/prov_s3_build.h"

#include <stdio.h>
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
  return xmlapi_set_digest(r, name, "", digest, alg, e);
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
  enum err err = xmlapi_set(r, "x-amz-checksum-algorithm", names[alg], e);
  if (!err && a->options->has_checksum)
    err = xmlapi_set(r, "x-amz-checksum-type", checksum_type(alg), e);
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
  return err ? err
             : xmlapi_set(r, "x-amz-checksum-type", checksum_type(alg), e);
}

static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  enum err err = xmlapi_set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = xmlapi_add_range(a, r, e);
  if (!err && (a->site->own || a->options->has_checksum))
    err = xmlapi_set(r, "x-amz-checksum-mode", "ENABLED", e);
  if (!err && a->options->version_id)
    err = kv_add(&r->query, "versionId", a->options->version_id, e);
  return err;
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
    .add_new = announce_checksum,
    .add_complete = add_whole,
};

enum err prov_s3_build(const struct op_args *a, struct request *r,
                       struct error *e)
{
  return xmlapi_build(&amz, a, r, e);
}
