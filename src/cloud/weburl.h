/* SPDX-License-Identifier: MIT
 *
 * weburl - an http(s) URL of an object, as consoles, SDKs and link makers
 * write it: whose it is, which object, and whether it is signed.
 *
 * The path is decoded once, and the key is then byte for byte.  A signed URL -
 * presigned by S3's or Google's rules, with a SAS of Azure's, or a
 * pre-authenticated request of Oracle's - keeps path and query beside that as
 * they were given, which is how they travel.  Nothing here puts a signature
 * into a message.  Pure; knows no credentials.
 *
 * Sources: docs.aws.amazon.com/general/latest/gr/s3.html, AmazonS3 user guide
 * "VirtualHosting", "RESTAuthentication"; cloud.google.com/storage/docs
 * request-endpoints, authentication/signatures; learn.microsoft.com
 * create-service-sas; docs.oracle.com Object Storage "dedicatedendpoints",
 * "usingpreauthenticatedrequests".
 */
#ifndef ANK_CLOUD_WEBURL_H
#define ANK_CLOUD_WEBURL_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/message.h"
#include "cloud/target.h"

/* What the user says of a host that is nobody's own; members may be NULL. */
struct weburl_wish {
  const char *provider;   /* "s3", "gcs", "azure", "oci", or a row of quirk */
  const char *addressing; /* "virtual": the bucket is the host's first label */
};

/* Does S begin with http:// or https://, in whatever case? */
bool weburl_is(const char *s);

/* Takes URL apart.  OUT's `web` says where it is.  ERR_USAGE, with a message
 * that names what is wrong: a host that is nobody's without a provider, one
 * that is another's than the provider says, a path that names no object, a
 * query that is no signature.  OUT is untouched on failure. */
enum err weburl_parse(const char *url, const struct weburl_wish *wish,
                      struct target *out, struct error *e)
    __attribute__((warn_unused_result));

/* Appends URL without its query, user and the secret of a pre-authenticated
 * request: what may be shown of it.  This one and the next three take s3:// and
 * its like, too, in which the user alone is none of the key's. */
enum err weburl_mask(struct buf *out, const char *url)
    __attribute__((warn_unused_result));

/* Overwrites in place what weburl_mask would leave out. */
void weburl_blank(char *url);

/* Is there anything in URL that weburl_mask leaves out? */
bool weburl_has_secret(const char *url);

/* Calls KEEP for each text of URL that would let its reader act as the signer,
 * as it stands and decoded.  Ends with KEEP's first error. */
enum err weburl_secrets(const char *url,
                        enum err (*keep)(void *ctx, const char *secret),
                        void *ctx) __attribute__((warn_unused_result));

/* Is T's URL signed for one request alone?  A SAS is for all that it allows. */
bool weburl_is_one_request(const struct target *t);

/* When the signed URL of T ends, by its own words; false when it has none. */
bool weburl_expiry(const struct target *t, int64_t *wall_ms);

/* Makes R travel under the signed URL of T: its path and query as given, behind
 * what the request asks for itself.  Nothing for a T that is not signed. */
enum err weburl_apply(const struct target *t, struct request *r,
                      struct error *e) __attribute__((warn_unused_result));

#endif
