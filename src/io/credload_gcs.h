/* SPDX-License-Identifier: MIT
 *
 * credload_gcs - what proves to Google who we are, from where its own tools
 * keep it: tokens and HMAC keys.
 *
 * Part of io/credload.  Talks to no server.  Source: providers.md 3.1, 3.2.
 */
#ifndef ANK_IO_CREDLOAD_GCS_H
#define ANK_IO_CREDLOAD_GCS_H

#include "io/credload.h"

/* A token (CLOUDSDK_AUTH_ACCESS_TOKEN, the file that
 * CLOUDSDK_AUTH_ACCESS_TOKEN_FILE names, GOOGLE_OAUTH_ACCESS_TOKEN), else HMAC
 * keys (GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, else [Credentials] of the
 * file that BOTO_CONFIG names, or ~/.boto).  ERR_CREDENTIALS names
 * the place that is damaged, or all when there is nothing in them. */
enum err credload_gcs(const struct credload_ask *ask, struct creds *out,
                      struct error *e) __attribute__((warn_unused_result));

/* Endpoint: STORAGE_EMULATOR_HOST, by http when it has no scheme. */
enum err credload_gcs_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
