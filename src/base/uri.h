/* SPDX-License-Identifier: MIT
 *
 * uri - http and https URLs taken apart (endpoints, proxies, Location), on
 * libcurl's own URL parser, so that we and the transfer agree on every byte.
 *
 * Not for object URLs (s3://...): their keys are verbatim and cloud/target
 * splits them.  Pure; with io/http one of the two rooms that include
 * <curl/curl.h>.
 */
#ifndef ANK_BASE_URI_H
#define ANK_BASE_URI_H

#include <stdbool.h>

#include "base/buf.h"

struct uri {
  bool https;
  char *host; /* owned; lower case, IPv6 in brackets, no port */
  int port;   /* always set: 80 or 443 by default */
  char *path; /* owned; as given, without a trailing '/', "" when none */
};

/* Parses an absolute http(s) URL without user, password, query or fragment
 * (each refused: ERR_USAGE with a message that says which part is wrong but
 * does not echo a password).  OUT is untouched on failure. */
enum err uri_parse(const char *s, struct uri *out, struct error *e)
    __attribute__((warn_unused_result));

/* "host" or, when the port is not the scheme's default, "host:port".
 * Appended. */
enum err uri_authority(struct buf *out, const struct uri *u)
    __attribute__((warn_unused_result));

/* True for localhost, *.localhost, 127/8 and [::1]. */
bool uri_is_loopback(const struct uri *u);

/* True when S is a host name made of labels [a-z0-9-] (no empty label, none
 * that begins or ends with '-', at most 253 bytes), security.md 1. */
bool uri_is_hostname(const char *s);

/* May S name a proxy: a URL of http, https or a kind of socks, or HOST:PORT, as
 * libcurl reads it? */
bool uri_is_proxy(const char *s);

/* Appends URL with user, password and the values of signature-like query
 * parameters (X-Amz-Signature, X-Amz-Credential, X-Amz-Security-Token, sig,
 * X-Goog-Signature ...) replaced by "REDACTED"; text that is no URL is
 * appended as it is. */
enum err uri_redact(struct buf *out, const char *url)
    __attribute__((warn_unused_result));

void uri_release(struct uri *u);

#endif
