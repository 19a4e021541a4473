/* SPDX-License-Identifier: MIT
 *
 * sign_jwt - a JSON Web Token signed with RS256 (RFC 7515, 7518 3.3), as
 * Google's service accounts show who they are.
 *
 * Pure: what is claimed is the caller's text.
 */
#ifndef ANK_CLOUD_SIGN_JWT_H
#define ANK_CLOUD_SIGN_JWT_H

#include <stdint.h>

#include "base/buf.h"

/* Appends HEAD.PAYLOAD.SIGNATURE, all in base64url, of two JSON texts.  KEY is
 * what hash_rsa_open made; ERR_CREDENTIALS when it is no such thing. */
enum err sign_jwt(const char *head, const char *payload, const struct buf *key,
                  struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* When JWT ends by its claim "exp", which nobody has verified here; 0: it does
 * not say, or is no such token. */
int64_t sign_jwt_ends_ms(const char *jwt);

#endif
