/* SPDX-License-Identifier: MIT
 *
 * http_trace - a side room of io/http: what goes over the wire, as lines for a
 * person (-v): "* " libcurl's words, "> " sent headers, "< " received ones.
 * No body byte, no signature.
 */
#ifndef ANK_IO_HTTP_TRACE_H
#define ANK_IO_HTTP_TRACE_H

#include <curl/curl.h>

#include "io/log.h"

/* DATA as libcurl's debug callback has it. */
void http_trace(const struct log *log, curl_infotype type, const char *data,
                size_t len);

#endif
