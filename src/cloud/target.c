/* SPDX-License-Identifier: MIT
 *
 * target - see target.h.
 */
#include "cloud/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* S3 allowed upper case and underscores in the oldest buckets, and compatibles
 * still do; what the signature and the path can carry safely is taken. */
#define BUCKET_CHARS LOWER DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

bool target_is_url(const char *s)
{
  return codec_starts_with(s, "s3://");
}

bool target_bucket_is_label(const char *bucket)
{
  size_t len = strlen(bucket);
  if (len < 3 || len > 63 || strspn(bucket, LOWER DIGITS "-") != len)
    return false;
  return bucket[0] != '-' && bucket[len - 1] != '-';
}

static bool bucket_ok(const char *s, size_t len)
{
  if (len < 1 || len > 255 || strspn(s, BUCKET_CHARS) < len)
    return false;
  return !(len == 1 && s[0] == '.') && !(len == 2 && memcmp(s, "..", 2) == 0);
}

enum err target_parse(const char *url, struct target *out, struct error *e)
{
  /* The query of a presigned URL is its signature. */
  size_t shown = strcspn(url, "?");
  if (!target_is_url(url))
    return err_set(e, ERR_USAGE, "%.*s: not an object URL (s3://BUCKET/KEY)",
                   shown > 80 ? 80 : (int)shown, url);
  const char *bucket = url + strlen("s3://");
  size_t len = strcspn(bucket, "/");
  if (!bucket_ok(bucket, len))
    return err_set(e, ERR_USAGE, "%.80s: '%.*s' is not a bucket name", url,
                   len > 80 ? 80 : (int)len, bucket);
  struct target t = {0};
  t.scheme = strdup("s3");
  t.bucket = strndup(bucket, len);
  t.key = strdup(bucket[len] ? bucket + len + 1 : "");
  if (!t.scheme || !t.bucket || !t.key) {
    target_release(&t);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  *out = t;
  return ERR_OK;
}

enum err target_complete(struct target *t, const char *file, struct error *e)
{
  size_t len = strlen(t->key);
  if (len && t->key[len - 1] != '/')
    return ERR_OK;
  const char *slash = strrchr(file, '/');
  const char *base = slash ? slash + 1 : file;
  struct buf key = {0};
  if (buf_adds(&key, t->key) || buf_adds(&key, base)) {
    buf_release(&key);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  free(t->key);
  t->key = buf_take(&key);
  return t->key ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
}

enum err target_below(struct target *out, const struct target *prefix,
                      const char *file, struct error *e)
{
  struct target t = {.scheme = strdup(prefix->scheme),
                     .bucket = strdup(prefix->bucket),
                     .key = strdup(prefix->key)};
  enum err err = t.scheme && t.bucket && t.key
                     ? target_complete(&t, file, e)
                     : err_set(e, ERR_INTERNAL, "out of memory");
  if (err)
    target_release(&t);
  else
    *out = t;
  return err;
}

void target_release(struct target *t)
{
  free(t->scheme);
  free(t->account);
  free(t->bucket);
  free(t->key);
  *t = (struct target){0};
}
