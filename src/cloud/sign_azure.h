/* SPDX-License-Identifier: MIT
 *
 * sign_azure - Shared Key authorization of Azure's blob service, and how an
 * account key, a SAS or a bearer token gets onto a request.
 *
 * The path is taken as it stands on the wire.  Pure: the moment is an argument.
 * Source: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
 * (the form of versions 2015-02-21 and later: an empty length for 0).
 */
#ifndef ANK_CLOUD_SIGN_AZURE_H
#define ANK_CLOUD_SIGN_AZURE_H

#include <stdint.h>

#include "cloud/creds.h"
#include "cloud/message.h"

/* Adds x-ms-date and Authorization.  ACCOUNT is the account's name, without
 * the "-secondary" of a host; C holds its key in base64.  The length of the
 * body is signed as it will travel.  TRACE may be NULL; its canonical request
 * stays empty, as there is none.  ERR_CREDENTIALS when the key is no base64.
 */
enum err sign_azure(struct request *r, const struct creds *c,
                    const char *account, int64_t wall_ms,
                    struct sign_trace *trace, struct error *e)
    __attribute__((warn_unused_result));

#endif
