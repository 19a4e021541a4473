/* SPDX-License-Identifier: MIT
 *
 * prov_token_oci - a side room of cloud/prov_token: an instance of Oracle's
 * cloud shows its certificate, and is given a token for a key of its own
 * (providers.md 5.2).
 *
 * In hand meanwhile: KEY_ID, the host that gives tokens; TOKEN, the instance's
 * certificate and those between it and the root, in PEM; SECRET, its key.
 */
#ifndef ANK_CLOUD_PROV_TOKEN_OCI_H
#define ANK_CLOUD_PROV_TOKEN_OCI_H

#include "cloud/prov_token.h"

/* GRANT_X509: the request's body.  ERR_CREDENTIALS: what the metadata service
 * gave are no certificates. */
enum err prov_token_oci_body(const struct grant *g, const struct creds *hand,
                             struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* GRANT_X509: signs as the instance. */
enum err prov_token_oci_sign(struct request *r, const struct creds *hand,
                             int64_t wall_ms, struct error *e)
    __attribute__((warn_unused_result));

/* The replies GRANT_OCI_...; as prov_token_take. */
bool prov_token_oci_take(const struct grant *g, const struct response *r,
                         struct creds *hand, struct token_life *life);

#endif
