/* SPDX-License-Identifier: MIT
 *
 * http_easy - a part of io/http: what is said to libcurl before a transfer,
 * and what libcurl asks while it runs.  Only io/http includes it.
 */
#ifndef ANK_IO_HTTP_EASY_H
#define ANK_IO_HTTP_EASY_H

#include "io/http.h"

struct curl_slist;

/* Prepares c->easy for c->request.  False when memory is out. */
bool http_easy_set_up(struct http_call *c, const struct http_options *o,
                      struct curl_slist *resolve);

/* The descriptor that C goes over, or CURL_SOCKET_BAD. */
int http_socket(const struct http_call *c);

#endif
