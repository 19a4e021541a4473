/* SPDX-License-Identifier: MIT
 *
 * target - an object's address, taken apart: s3://BUCKET/KEY, gs://BUCKET/KEY,
 * az://ACCOUNT/CONTAINER/KEY, oci://NAMESPACE/BUCKET/KEY,
 * oci://BUCKET@NAMESPACE/KEY (an empty namespace is asked for).
 *
 * The key is everything after the bucket's slash, byte for byte: nothing is
 * decoded, folded or cut.  Names that become part of a host are checked
 * against their grammar (security.md 1).  http(s) URLs are cloud/weburl's.
 * Pure.
 */
#ifndef ANK_CLOUD_TARGET_H
#define ANK_CLOUD_TARGET_H

#include <stdbool.h>

#include "base/buf.h"

/* Where an http(s) URL says that its object is; all NULL for s3:// and kin. */
struct target_web {
  bool is;        /* there was such a URL */
  char *endpoint; /* owned: "https://HOST", without the bucket; NULL: the
                       provider's own host of REGION */
  char *region;   /* owned: NULL = the host names none */
  bool virtual_host,
      path_style;     /* where the bucket stands; neither: as usual */
  char *path, *query; /* owned, secret: of a signed URL, as given; NULL: it is
                         not signed, has no query */
};

struct target {
  char *scheme;  /* owned: "s3", "gs", "az", "oci" */
  char *account; /* owned: Azure account, OCI namespace; NULL elsewhere, and
                    while a namespace is not known */
  char *bucket;  /* owned */
  char *key;     /* owned: bytes as given, "" when none */
  struct target_web web;
};

/* Splits URL.  ERR_USAGE, with a message that names what is wrong, for another
 * scheme, or a bucket, container, account or namespace that is no such name.  OUT is
 * untouched on failure. */
enum err target_parse(const char *url, struct target *out, struct error *e)
    __attribute__((warn_unused_result));

/* The same from its parts, which are copied; ACCOUNT may be NULL.  SHOWN stands
 * for the URL in messages. */
enum err target_make(const char *scheme, const char *account,
                     const char *bucket, const char *key, const char *shown,
                     struct target *out, struct error *e)
    __attribute__((warn_unused_result));

/* Is T's URL signed? */
bool target_is_signed(const struct target *t);

/* Appends the base name of FILE to a key that is empty or ends in '/', and to
 * the path of a signed URL. */
enum err target_complete(struct target *t, const char *file, struct error *e)
    __attribute__((warn_unused_result));

/* OUT: the object below the key of PREFIX, which is empty or ends in '/', that
 * has FILE's base name. */
enum err target_below(struct target *out, const struct target *prefix,
                      const char *file, struct error *e)
    __attribute__((warn_unused_result));

/* True when S begins with a scheme this program knows, "s3://" ... "http://",
 * "https://". */
bool target_is_url(const char *s);

/* Appends "s3://BUCKET" and its like, without the key. */
enum err target_place(struct buf *out, const struct target *t)
    __attribute__((warn_unused_result));

/* Bucket names as they may stand in a host: 3 to 63 of [a-z0-9-], beginning
 * and ending with a letter or digit.  Dots are no such name (one wildcard
 * certificate covers one label). */
bool target_bucket_is_label(const char *bucket);

/* Namespaces of OCI, as they may stand in a path. */
bool target_is_namespace(const char *name);

void target_release(struct target *t);

#endif
