/* SPDX-License-Identifier: MIT
 *
 * weburl_path - a side room of cloud/weburl: which object does the path of a
 * URL name, in its provider's form?
 */
#ifndef ANK_CLOUD_WEBURL_PATH_H
#define ANK_CLOUD_WEBURL_PATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "cloud/weburl_host.h"

/* Decoded once; owns all. */
struct weburl_path {
  bool is_secondary;               /* an emulator's "ACCOUNT-secondary" */
  struct buf account, bucket, key; /* empty = none */
};

/* PATH is as given; HOST may have told the account or the bucket already.
 * ERR_USAGE, "SHOWN: ...", for a path that names no object; OUT, zeroed, is the
 * caller's to release in any case. */
enum err weburl_path(const char *path, const char *provider,
                     const struct weburl_host *host, const char *shown,
                     struct weburl_path *out, struct error *e)
    __attribute__((warn_unused_result));

void weburl_path_release(struct weburl_path *p);

#endif
