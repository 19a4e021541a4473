/* SPDX-License-Identifier: MIT
 *
 * http_error - see http_error.h.
 */
#include "io/http_error.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#include "io/sys.h"

static const struct {
  CURLcode code;
  enum xport xport;
} table[] = {
    {CURLE_COULDNT_RESOLVE_PROXY, XPORT_PROXY},
    {CURLE_COULDNT_RESOLVE_HOST, XPORT_RESOLVE},
    {CURLE_COULDNT_CONNECT, XPORT_CONNECT},
    {CURLE_OPERATION_TIMEDOUT, XPORT_TIMEOUT},
    {CURLE_SEND_ERROR, XPORT_SEND},
    {CURLE_SEND_FAIL_REWIND, XPORT_SEND},
    {CURLE_RECV_ERROR, XPORT_RECEIVE},
    {CURLE_GOT_NOTHING, XPORT_EMPTY},
    {CURLE_PARTIAL_FILE, XPORT_SHORT},
    {CURLE_SSL_CONNECT_ERROR, XPORT_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, XPORT_TLS},
    {CURLE_SSL_CACERT_BADFILE, XPORT_TLS},
    {CURLE_SSL_CERTPROBLEM, XPORT_TLS},
    {CURLE_SSL_CIPHER, XPORT_TLS},
    {CURLE_SSL_ISSUER_ERROR, XPORT_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, XPORT_TLS},
    {CURLE_SSL_ENGINE_NOTFOUND, XPORT_TLS},
    {CURLE_SSL_ENGINE_SETFAILED, XPORT_TLS},
    {CURLE_USE_SSL_FAILED, XPORT_TLS},
    {CURLE_WRITE_ERROR, XPORT_FAILED},
    {CURLE_READ_ERROR, XPORT_FAILED},
    {CURLE_ABORTED_BY_CALLBACK, XPORT_FAILED},
    {CURLE_OUT_OF_MEMORY, XPORT_NODE},
    {CURLE_FAILED_INIT, XPORT_NODE},
    {CURLE_INTERFACE_FAILED, XPORT_NODE},
    {CURLE_UNSUPPORTED_PROTOCOL, XPORT_UNSUPPORTED},
    {CURLE_URL_MALFORMAT, XPORT_UNSUPPORTED},
    {CURLE_NOT_BUILT_IN, XPORT_UNSUPPORTED},
    {CURLE_PROXY, XPORT_PROXY},
};

static enum xport look_up(CURLcode code)
{
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].code == code)
      return table[i].xport;
  return XPORT_GARBLED;
}

/* Nothing that the target could have caused. */
static bool own_trouble(int err)
{
  switch (err) {
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM:
  case EADDRNOTAVAIL:
  case EADDRINUSE:
  case ENETUNREACH:
  case ENETDOWN:
  case EACCES:
  case EPERM:
    return true;
  default:
    return false;
  }
}

/* OpenSSL says a hang-up in the handshake in words only. */
static bool tls_was_cut(const struct http_call *c)
{
  return c->os_errno == ECONNRESET || c->os_errno == EPIPE ||
         strstr(c->message, "SYSCALL") ||
         strstr(c->message, "unexpected eof") ||
         strstr(c->message, "Connection reset");
}

bool http_error_is_proxy(int code, const struct http_call *c,
                         const struct http_options *o)
{
  return o->bad_proxy[c->request->https] && !c->no_proxy && !c->connected &&
         c->os_errno == 0 && !c->facts.remote_ip[0] &&
         (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_PROXY);
}

enum xport http_error_xport(int code, const struct http_call *c,
                            long proxy_status, bool by_proxy)
{
  enum xport x = look_up((CURLcode)code);
  /* Behind an open tunnel a failure is the target's. */
  if (!c->connected && proxy_status != 0 && proxy_status / 100 != 2)
    return proxy_status == 403 || proxy_status == 407 ? XPORT_PROXY_DENIED
                                                      : XPORT_PROXY;
  if ((x == XPORT_CONNECT || x == XPORT_SEND) && own_trouble(c->os_errno))
    return XPORT_NODE;
  if (x == XPORT_CONNECT && by_proxy)
    return XPORT_PROXY;
  if (x == XPORT_RESOLVE && !sys_has_address())
    return XPORT_NODE;
  if (x == XPORT_TIMEOUT && !c->connected)
    return XPORT_CONNECT_TIMEOUT;
  if (x == XPORT_TLS && code == CURLE_SSL_CONNECT_ERROR && tls_was_cut(c))
    return XPORT_TLS_CUT;
  if (x == XPORT_RECEIVE && c->request->https && c->os_errno == 0)
    return XPORT_TLS_CUT;
  /* libcurl says "unsupported" of an answer that is not HTTP, too. */
  if (x == XPORT_UNSUPPORTED && c->connected)
    return XPORT_GARBLED;
  return x;
}
