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

struct creds {
  struct buf key_id; /* AWS access key id */
  struct buf secret; /* secret */
  struct buf token;  /* secret; session token, empty when none */
  struct buf source; /* where they came from, for --explain and messages */
};

/* Marks the secret members as such; a zeroed struct must be prepared so before
 * anything is stored in it. */
void creds_init(struct creds *c);

bool creds_present(const struct creds *c);

/* True when both hold the same identity, secret and token. */
bool creds_equal(const struct creds *a, const struct creds *b);

void creds_release(struct creds *c);

#endif
