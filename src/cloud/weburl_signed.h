/* SPDX-License-Identifier: MIT
 *
 * weburl_signed - a side room of cloud/weburl: is a URL signed, what is secret
 * in it, when a signature ends, and how it travels (the rest is in weburl.h).
 *
 * PROVIDER is "s3", "gcs", "azure" or "oci"; PATH and QUERY are as given, the
 * query without its '?'.
 */
#ifndef ANK_CLOUD_WEBURL_SIGNED_H
#define ANK_CLOUD_WEBURL_SIGNED_H

#include <stdbool.h>

bool weburl_signs(const char *provider, const char *path, const char *query);

/* Does the query name another operation than ours? */
bool weburl_asks_otherwise(const char *provider, const char *query);

/* Nothing but what may stand in a request as it is. */
bool weburl_is_ascii(const char *s);

/* Do two hexadecimal digits follow each '%'? */
bool weburl_is_encoded(const char *s);

#endif
