/* SPDX-License-Identifier: MIT
 *
 * sign_v4 - AWS Signature Version 4, header form, S3 flavour; with another
 * dialect the same signs for Google's GOOG4-HMAC-SHA256.
 *
 * The path is taken as it stands on the wire (encoded once, nothing folded).
 * Signs every header of the request but those that intermediaries alter
 * (cache-control, user-agent ...), which travel unsigned.
 * Pure: the moment is an argument.
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
#ifndef ANK_CLOUD_SIGN_V4_H
#define ANK_CLOUD_SIGN_V4_H

#include <stdint.h>

#include "cloud/creds.h"
#include "cloud/message.h"

struct sign_v4_dialect {
  const char *algorithm;  /* "AWS4-HMAC-SHA256" */
  const char *key_prefix; /* "AWS4" */
  const char *terminator; /* "aws4_request" */
  const char *service;    /* "s3" */
  const char *date;       /* "x-amz-date"; NULL: the moment is only signed */
  const char *token;      /* "x-amz-security-token"; NULL: there is none */
  const char *digest;     /* "x-amz-content-sha256": its value is the payload
                             hash; NULL: PAYLOAD is only hashed in */
};

extern const struct sign_v4_dialect sign_v4_s3;

/* GOOG4-HMAC-SHA256 of Google's XML API; its scope's region is "auto".
 * Source: cloud.google.com/storage/docs/authentication/signatures */
extern const struct sign_v4_dialect sign_v4_gcs;

/* Adds host-, date-, token- and digest headers and Authorization.  REGION is
 * the scope's; PAYLOAD is the hex digest (or UNSIGNED-PAYLOAD).  The host
 * header itself is not stored (the transfer sends it from r->host).  TRACE may
 * be NULL.  ERR_CREDENTIALS when C is empty. */
enum err sign_v4(const struct sign_v4_dialect *d, struct request *r,
                 const struct creds *c, const char *region, const char *payload,
                 int64_t wall_ms, struct sign_trace *trace, struct error *e)
    __attribute__((warn_unused_result));

#endif
