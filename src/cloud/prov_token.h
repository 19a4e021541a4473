/* SPDX-License-Identifier: MIT
 *
 * prov_token - requests for credentials, built, signed and read like a cloud's.
 *
 * A provider with the one op TOKEN, so that the engine times, retries, judges
 * and reports them as any other request.  What is asked, and how the answer is
 * to be read, the grant says (cloud/grant.h).  Sources: providers.md 2.3, 3.2,
 * 4.2, 5.2.
 */
#ifndef ANK_CLOUD_PROV_TOKEN_H
#define ANK_CLOUD_PROV_TOKEN_H

#include "cloud/grant.h"
#include "cloud/provider.h"

/* Builds from args->grant, args->hand and args->body; nothing else of the
 * seam. */
extern const struct provider prov_token;

/* The host that G is asked at. */
const char *prov_token_host(const struct grant *g, const struct creds *hand);

/* The body of G's request, which may be secret; *PRESENT: it has one.  WALL_MS
 * is the moment an assertion is made for. */
enum err prov_token_body(const struct grant *g, const struct creds *hand,
                         int64_t wall_ms, struct buf *out, bool *present,
                         struct error *e) __attribute__((warn_unused_result));

/* How long what an answer gave lasts. */
struct token_life {
  int64_t ms;      /* from the moment of the answer; 0 = not said */
  int64_t ends_ms; /* or until then by the server's clock; 0 = not said */
};

/* Takes what the 2xx R gives into HAND.  False when it is not there. */
bool prov_token_take(const struct grant *g, const struct response *r,
                     struct creds *hand, struct token_life *life);

#endif
