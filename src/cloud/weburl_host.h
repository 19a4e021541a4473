/* SPDX-License-Identifier: MIT
 *
 * weburl_host - a side room of cloud/weburl: whose is this host, and what does
 * it say beside that?
 */
#ifndef ANK_CLOUD_WEBURL_HOST_H
#define ANK_CLOUD_WEBURL_HOST_H

#include <stdbool.h>

#include "base/err.h"

struct weburl_host {
  const char *provider; /* "s3", "gcs", "azure", "oci"; NULL = nobody's */
  char bucket[256];     /* in the host; "" = it is in the path */
  char account[64];     /* of Azure; "" = it is in the path */
  char region[64];      /* "" = not told */
  char base[256];       /* the host without the bucket */
  bool usual; /* BASE is what the provider's own rule makes of the region */
};

/* HOST in lower case, without a port.  ERR_USAGE: it is a provider's, and
 * serves no objects by our requests. */
enum err weburl_host(const char *host, struct weburl_host *out, struct error *e)
    __attribute__((warn_unused_result));

/* Azure's account in a HOST that is nobody's: "ACCOUNT.blob.DOMAIN", and with
 * IS_WISH the first label of any name.  OUT is left alone where there is none,
 * as in an address. */
void weburl_host_account(const char *host, bool is_wish,
                         struct weburl_host *out);

#endif
