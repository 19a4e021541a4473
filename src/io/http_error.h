/* SPDX-License-Identifier: MIT
 *
 * http_error - libcurl's and the kernel's failure codes as ours, in one table.
 *
 * A part of io/http kept apart for its length; only io/http includes it.
 */
#ifndef ANK_IO_HTTP_ERROR_H
#define ANK_IO_HTTP_ERROR_H

#include "io/http.h"

/* CODE is a CURLcode (not CURLE_OK), PROXY_STATUS the answer to CONNECT or 0,
 * BY_PROXY whether a proxy was asked for. */
enum xport http_error_xport(int code, const struct http_call *c,
                            long proxy_status, bool by_proxy);

/* Nothing was tried for the want of a usable proxy: one of the environment's
 * that can be none, where no other host was asked instead. */
bool http_error_is_proxy(int code, const struct http_call *c,
                         const struct http_options *o);

#endif
