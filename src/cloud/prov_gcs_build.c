/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_build - see prov_gcs_build.h.
 */
#include "cloud/prov_gcs_build.h"

#include <string.h>

#include "base/codec.h"

#define IF_GENERATION "x-goog-if-generation-match"

/* As this provider tells it for a version. */
static bool is_generation(const char *text)
{
  size_t len = strlen(text);
  return len > 0 && len < 20 && text[strspn(text, "0123456789")] == '\0';
}

static enum err no_etag(const char *option, struct error *e)
{
  return err_set(e, ERR_USAGE,
                 "%s: Google Cloud Storage compares generations when it "
                 "writes: give the number that a report calls version_id",
                 option);
}

/* Create-only is generation 0; an ETag is nothing to a write. */
static enum err add_write_conditions(const struct op_args *a, struct request *r,
                                     struct error *e)
{
  const char *same = a->options->if_match, *other = a->options->if_none_match;
  if (same && !is_generation(same))
    return no_etag("--if-match", e);
  if (other && strcmp(other, "*") != 0)
    return no_etag("--if-none-match", e);
  if (other)
    same = "0";
  return xmlapi_set(r, IF_GENERATION, same, e);
}

static enum err add_read_condition(struct request *r, const char *value,
                                   const char *by_generation,
                                   const char *by_etag, struct error *e)
{
  bool generation = value && is_generation(value);
  return xmlapi_set(r, generation ? by_generation : by_etag, value, e);
}

static enum err add_conditions(const struct op_args *a, struct request *r,
                               struct error *e)
{
  if (r->method != METHOD_GET && r->method != METHOD_HEAD)
    return add_write_conditions(a, r, e);
  enum err err =
      add_read_condition(r, a->options->if_match, IF_GENERATION, "If-Match", e);
  if (!err)
    err = add_read_condition(r, a->options->if_none_match,
                             "x-goog-if-generation-not-match", "If-None-Match",
                             e);
  return err;
}

/* What is not said is encrypted with Google's own keys. */
static enum err add_sse(const struct op_args *a, struct request *r,
                        struct error *e)
{
  const char *sse = a->options->sse;
  const char *key = sse ? strchr(sse, '=') : NULL;
  if (!sse || strcmp(sse, "AES256") == 0)
    return ERR_OK;
  if (!key)
    return err_set(e, ERR_USAGE,
                   "--sse: Google Cloud Storage takes AES256, which is what "
                   "it does anyway, or aws:kms=KEY with the name of a key");
  return xmlapi_set(r, "x-goog-encryption-kms-key-name", key + 1, e);
}

static enum err add_digest(const struct op_args *a, struct request *r,
                           struct error *e)
{
  /* A header of Google's that a signed URL does not know is refused. */
  if (target_is_signed(a->target))
    return ERR_OK;
  return xmlapi_set_digest(
      r, "x-goog-hash", "crc32c=", op_digest(a, HASH_CRC32C), HASH_CRC32C, e);
}

/* With gzip accepted, objects come as they are stored; without, those stored
 * packed are unpacked on their way, and ranges of them are not heard of. */
static enum err add_read(const struct op_args *a, struct request *r,
                         struct error *e)
{
  const char *version = a->options->version_id;
  const char *resumed = a->resume_version;
  enum err err = xmlapi_set(r, "Accept-Encoding", "gzip", e);
  if (!err && resumed && is_generation(resumed) && !target_is_signed(a->target))
    err = xmlapi_set(r, IF_GENERATION, resumed, e);
  else if (!err)
    err = xmlapi_set(r, "If-Match", a->resume_etag, e);
  if (!err)
    err = xmlapi_add_range(a, r, e);
  if (err || !version)
    return err;
  if (!is_generation(version))
    return err_set(e, ERR_USAGE, "--version-id: '%.40s' is no generation",
                   version);
  return kv_add(&r->query, "generation", version, e);
}

static const char *const every[] = {"x-goog-user-project", NULL};

static const struct xmlapi_words goog = {
    .prefix = "x-goog-",
    .version = "generation",
    .condition_prefix = "x-goog-if-",
    .customer_key = "x-goog-encryption-",
    .every = every,
    .add_conditions = add_conditions,
    .add_sse = add_sse,
    .add_digest = add_digest,
    .add_read = add_read,
};

enum err prov_gcs_build(const struct op_args *a, struct request *r,
                        struct error *e)
{
  return xmlapi_build(&goog, a, r, e);
}
