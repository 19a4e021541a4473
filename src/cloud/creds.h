/* SPDX-License-Identifier: MIT
 *
 * creds - what proves who we are, as values.
 *
 * Loaded by io/credload, used by the signers, wiped on release.  Knows no
 * file, no environment and no provider.
 */
#ifndef ANK_CLOUD_CREDS_H
#define ANK_CLOUD_CREDS_H

#include <stdbool.h>

#include "base/buf.h"

enum creds_kind {
  CREDS_NONE = 0,
  CREDS_KEYS,   /* KEY_ID and SECRET, perhaps TOKEN: AWS and HMAC keys; an Azure
                   account and its key in base64 */
  CREDS_BEARER, /* TOKEN, as it stands behind "Bearer " */
  CREDS_SAS,    /* TOKEN: the query of an Azure SAS, in its one right form */
  CREDS_RSA     /* KEY_ID, as OCI's signature names it; SECRET: the private key
                   as hash_rsa_open leaves it; TOKEN: of a session, which is
                   named instead of KEY_ID */
};

struct creds {
  enum creds_kind kind;
  struct buf key_id;  /* no secret: may be shown */
  struct buf secret;  /* secret */
  struct buf token;   /* secret; empty when none */
  struct buf project; /* no secret: who pays for the requests; "" = the owner */
  struct buf source;  /* where they came from, for --explain and messages */
  struct buf renew;   /* the command by which a person gets new ones; "" = none
                         is known */
};

/* Marks the secret members as such; a zeroed struct must be prepared so before
 * anything is stored in it. */
void creds_init(struct creds *c);

bool creds_present(const struct creds *c);

/* True when both hold the same identity, secret and token. */
bool creds_equal(const struct creds *a, const struct creds *b);

/* Makes OUT, which is initialised, these: copies, NULL is empty.  ERR_INTERNAL,
 * with OUT untouched. */
enum err creds_set(struct creds *out, enum creds_kind kind, const char *key_id,
                   const char *secret, const char *token, const char *source)
    __attribute__((warn_unused_result));

/* Makes OUT, which is initialised, a copy; untouched on failure. */
enum err creds_copy(struct creds *out, const struct creds *from)
    __attribute__((warn_unused_result));

void creds_release(struct creds *c);

#endif
