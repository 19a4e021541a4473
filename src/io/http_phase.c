/* SPDX-License-Identifier: MIT
 *
 * http_phase - a part of io/http kept apart for its length: how far a transfer
 * is.
 */
#include <curl/curl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "io/http_easy.h"

int http_socket(const struct http_call *c)
{
  curl_socket_t fd = CURL_SOCKET_BAD;
  return curl_easy_getinfo(c->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK
             ? fd
             : CURL_SOCKET_BAD;
}

/* Body bytes that were handed to the kernel and that the other side has not
 * acknowledged: they rest here or are on their way. */
static uint64_t resting(const struct http_call *c)
{
  curl_socket_t fd = http_socket(c);
  int n = 0;
  if (fd == CURL_SOCKET_BAD || ioctl(fd, SIOCOUTQ, &n) != 0 || n < 0)
    return 0;
  return (uint64_t)n;
}

/* Body bytes that arrived at the other side's kernel. */
static uint64_t arrived(const struct http_call *c)
{
  curl_off_t sent = 0;
  curl_easy_getinfo(c->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  uint64_t here = sent ? resting(c) : 0;
  return (uint64_t)sent > here ? (uint64_t)sent - here : 0;
}

enum http_phase http_phase(const struct http_call *c)
{
  if (!c->connected)
    return HTTP_CONNECTING;
  if (c->paused)
    return HTTP_PAUSED;
  if (c->head_done)
    return HTTP_RECEIVING;
  const struct body *body = &c->request->body;
  return body->present && arrived(c) < body->length ? HTTP_SENDING
                                                    : HTTP_WAITING;
}

uint64_t http_moved(struct http_call *c)
{
  return arrived(c) + c->facts.received;
}
