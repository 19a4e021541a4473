/* SPDX-License-Identifier: MIT
 *
 * credload_entra - io/credload's side room for Microsoft Entra: bearer tokens
 * that have to be asked for.
 */
#ifndef ANK_IO_CREDLOAD_ENTRA_H
#define ANK_IO_CREDLOAD_ENTRA_H

#include "io/credload.h"

/* A client's secret (AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET), a
 * workload's identity (AZURE_FEDERATED_TOKEN_FILE), the managed identity of App
 * Service (IDENTITY_ENDPOINT) or of a machine (the metadata service, which
 * AZURE_POD_IDENTITY_AUTHORITY_HOST overrides); AZURE_TOKEN_CREDENTIALS narrows
 * them.  As credload_aws_ways. */
enum err credload_entra_ways(const struct credload_ask *ask, struct ways *out,
                             struct error *e)
    __attribute__((warn_unused_result));

#endif
