/* SPDX-License-Identifier: MIT
 *
 * credload_azure - Azure credentials and settings from where its own tools keep
 * them: a connection string, account and key, a SAS; and a bearer token that
 * somebody else fetched.
 *
 * With io/credload one of the rooms that read the environment; talks to no
 * server.  Source: providers.md 4.2.
 */
#ifndef ANK_IO_CREDLOAD_AZURE_H
#define ANK_IO_CREDLOAD_AZURE_H

#include "io/credload.h"

/* The first of: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_SAS_TOKEN,
 * AZURE_STORAGE_KEY with AZURE_STORAGE_ACCOUNT (the target's by default),
 * ANK_AZURE_TOKEN_FILE, ANK_AZURE_TOKEN.  AZURE_STORAGE_AUTH_MODE=login takes
 * the tokens alone, =key all others.  ERR_CREDENTIALS names the place that is
 * damaged or for another account, or all when there is nothing in them. */
enum err credload_azure(const struct credload_ask *ask, struct creds *out,
                        struct error *e) __attribute__((warn_unused_result));

/* The endpoint of a connection string, by BlobEndpoint or EndpointSuffix. */
enum err credload_azure_settings(const struct credload_ask *ask,
                                 struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
