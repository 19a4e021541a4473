/* SPDX-License-Identifier: MIT
 *
 * sign_oci - Oracle's request signature, version 1: RSA over chosen lines of
 * the request.
 *
 * Which lines is the caller's word, in his order: bytes of objects travel
 * under three of them, documents under six (providers.md 5.3).  Pure: the
 * moment is an argument.
 * Source: docs.oracle.com/iaas/Content/API/Concepts/signingrequests.htm
 */
#ifndef ANK_CLOUD_SIGN_OCI_H
#define ANK_CLOUD_SIGN_OCI_H

#include <stdint.h>

#include "cloud/creds.h"
#include "cloud/message.h"

#define SIGN_OCI_PLAIN "date (request-target) host"
#define SIGN_OCI_BODY \
  SIGN_OCI_PLAIN " content-length content-type x-content-sha256"

/* Adds the date under the name that LINES has (date or x-date; one that is
 * there stays), with x-content-sha256 among LINES the digest of the body, which
 * then is one in memory, and Authorization.  C holds the key's id, or a
 * session's token, and the key as hash_rsa_open leaves it.  STRING (may be
 * NULL) is set to what was signed; it holds no secret.  ERR_CREDENTIALS when C
 * is empty or its key unusable; ERR_INTERNAL when a line is of a header that
 * the request has not. */
enum err sign_oci(struct request *r, const char *lines, const struct creds *c,
                  int64_t wall_ms, struct buf *string, struct error *e)
    __attribute__((warn_unused_result));

#endif
