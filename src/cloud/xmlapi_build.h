/* SPDX-License-Identifier: MIT
 *
 * xmlapi_build - a side room of cloud/xmlapi for requests: which operation says
 * what, by which method (providers.md 2.5 to 2.7, 3.4 and 3.6).
 *
 * In an upload in parts the first request says what the object is, the last
 * one under which condition it may appear; in between, bytes.  What S3 and
 * Google say differently is each provider's own: names, and the functions of
 * the dialect.
 */
#ifndef ANK_CLOUD_XMLAPI_BUILD_H
#define ANK_CLOUD_XMLAPI_BUILD_H

#include "cloud/provider.h"

typedef enum err xmlapi_add_fn(const struct op_args *a, struct request *r,
                               struct error *e);

struct xmlapi_words {
  const char *prefix;            /* "x-amz-" */
  const char *version;           /* its name in a query: "versionId" */
  const char *condition_prefix;  /* of the user's own, beside If-; or NULL */
  const char *customer_key;      /* prefix of an encryption key's headers */
  const char *const *every;      /* headers of every request, ended by NULL */
  xmlapi_add_fn *add_conditions; /* of the options */
  xmlapi_add_fn *add_sse;
  xmlapi_add_fn *add_digest;   /* of object bytes */
  xmlapi_add_fn *add_read;     /* range, validator of a resumed read, version */
  xmlapi_add_fn *add_new;      /* to an upload that begins; or NULL */
  xmlapi_add_fn *add_complete; /* to its completion; or NULL */
};

/* As struct provider's build.  ERR_USAGE for an operation on an upload whose
 * id is missing or empty: it would reach the object instead. */
enum err xmlapi_build(const struct xmlapi_words *w, const struct op_args *a,
                      struct request *r, struct error *e)
    __attribute__((warn_unused_result));

/* Sets a header unless VALUE is NULL. */
enum err xmlapi_set(struct request *r, const char *name, const char *value,
                    struct error *e) __attribute__((warn_unused_result));

/* The header of A's range, if it has one. */
xmlapi_add_fn xmlapi_add_range;

/* Sets a header to what goes before and the digest in base64, unless DIGEST is
 * NULL. */
enum err xmlapi_set_digest(struct request *r, const char *name,
                           const char *before, const unsigned char *digest,
                           enum hash_alg alg, struct error *e)
    __attribute__((warn_unused_result));

/* Signs R, built for A, with D's keys. */
enum err xmlapi_sign(const struct sign_v4_dialect *d, struct request *r,
                     const struct op_args *a, const struct creds *c,
                     int64_t wall_ms, struct sign_trace *trace, struct error *e)
    __attribute__((warn_unused_result));

#endif
