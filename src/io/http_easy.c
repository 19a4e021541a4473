/* SPDX-License-Identifier: MIT
 *
 * http_easy - one easy handle made ready: callbacks and options.
 */
#include "io/http_easy.h"

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/codec.h"
#include "io/http_trace.h"

/* Bytes resting in the kernel must not look like bytes that move. */
enum {
  NOTSENT_LOWAT = 128 * 1024,
  READ_BUFFER = 256 * 1024,
  LEAST_BUFFER = 1024,
  BUFFERS_A_TURN = 100
};

/* ---- what libcurl asks of us ---- */

/* libcurl does not tell why there was no socket, and descriptors that have run
 * out are this node's trouble. */
static curl_socket_t on_open(void *ctx, curlsocktype purpose,
                             struct curl_sockaddr *a)
{
  struct http_call *c = ctx;
  (void)purpose;
  int fd = socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
  c->open_errno = fd < 0 ? errno : 0;
  return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
  (void)ctx;
  (void)purpose;
  int lowat = NOTSENT_LOWAT;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof lowat);
  return CURL_SOCKOPT_OK;
}

/* Called when the request is about to be written.  A second time means that
 * libcurl would resend it by itself, old signature and all. */
static int on_start(void *ctx, char *remote, char *local, int remote_port,
                    int local_port)
{
  struct http_call *c = ctx;
  (void)remote;
  (void)local;
  (void)remote_port;
  c->local_port = local_port;
  c->connected = true;
  if (c->starts == 0) {
    long connects = 1;
    curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &connects);
    c->facts.reused = connects == 0;
  }
  return ++c->starts > 1 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static size_t on_read(char *to, size_t size, size_t n, void *ctx)
{
  struct http_call *c = ctx;
  const struct body *body = &c->request->body;
  uint64_t left = body->length - c->body_offset;
  size_t len = size * n < left ? size * n : (size_t)left;
  long got = (long)len;
  if (body->data)
    memcpy(to, body->data + c->body_offset, len);
  else if (len)
    got = body->read(body->ctx, c->body_offset, to, len);
  if (got < (long)len) {
    c->read_failed = true;
    return CURL_READFUNC_ABORT;
  }
  c->body_offset += len;
  return len;
}

/* Called when libcurl wants the body from another place; only the beginning
 * makes sense, and only before the one start we allow. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
  struct http_call *c = ctx;
  if (origin != SEEK_SET || offset != 0)
    return CURL_SEEKFUNC_FAIL;
  c->body_offset = 0;
  return CURL_SEEKFUNC_OK;
}

static bool status_line(struct http_call *c, const char *line, size_t len)
{
  if (len < 5 || memcmp(line, "HTTP/", 5) != 0)
    return false;
  response_clear(&c->response);
  c->response.framed = len > 5 && line[5] >= '2';
  size_t i = 5;
  while (i < len && line[i] != ' ')
    i++;
  uint64_t status;
  if (i + 4 <= len && codec_u64_n(line + i + 1, 3, 100, 999, &status))
    c->response.status = (int)status;
  return true;
}

static void add_header(struct http_call *c, const char *line, size_t len)
{
  const char *colon = memchr(line, ':', len);
  if (!colon)
    return;
  const char *value = colon + 1;
  const char *end = line + len;
  while (value < end && (*value == ' ' || *value == '\t'))
    value++;
  while (end > value && strchr(" \t\r\n", end[-1]))
    end--;
  /* A header we cannot hold (a NUL inside) is one we do not have. */
  if (kv_addn(&c->response.headers, line, (size_t)(colon - line), value,
              (size_t)(end - value), NULL))
    return;
}

static size_t end_of_head(struct http_call *c, size_t len)
{
  if (c->response.status < 200)
    return len;
  c->head_done = true;
  enum http_head head = c->head ? c->head(c->ctx) : HTTP_CAPTURE;
  c->to_sink = head == HTTP_TO_SINK;
  return head == HTTP_ABORT ? 0 : len;
}

static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
  struct http_call *c = ctx;
  size_t len = size * n;
  if (c->head_done || status_line(c, line, len))
    return len;
  if (line[0] == '\r' || line[0] == '\n')
    return end_of_head(c, len);
  add_header(c, line, len);
  return len;
}

/* After a pause libcurl hands the same bytes again; the sink has the first
 * `skip` of them. */
static size_t to_sink(struct http_call *c, const char *data, size_t len)
{
  if (len <= c->skip) {
    c->skip -= len;
    return len;
  }
  long took = c->take(c->ctx, data + c->skip, len - c->skip);
  if (took < 0) {
    c->facts.received += len - c->skip;
    return 0;
  }
  c->facts.received += (uint64_t)took;
  if (c->skip + (uint64_t)took < len) {
    c->skip += (uint64_t)took;
    c->paused = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  c->skip = 0;
  return len;
}

static size_t on_write(char *data, size_t size, size_t n, void *ctx)
{
  struct http_call *c = ctx;
  size_t len = size * n;
  if (c->to_sink)
    return to_sink(c, data, len);
  struct buf *body = &c->response.body;
  size_t room = MESSAGE_BODY_MAX - body->len;
  c->facts.received += len;
  return buf_add(body, data, len < room ? len : room) ? 0 : len;
}

/* libcurl drops what comes behind Content-Length; we have to know of it.  The
 * rest is for -v. */
static int on_debug(CURL *easy, curl_infotype type, char *data, size_t len,
                    void *ctx)
{
  struct http_call *c = ctx;
  (void)easy;
  if (c->trace)
    http_trace(c->trace, type, data, len);
  if (type == CURLINFO_DATA_IN && c->head_done)
    c->raw_received += len;
  return 0;
}

/* ---- one transfer ---- */

static bool add_line(struct curl_slist **list, const char *name,
                     const char *value)
{
  struct buf line = {.secret = true};
  struct curl_slist *longer = NULL;
  /* libcurl drops "Name:" without a value and sends "Name;" as an empty one. */
  if (!(*value ? buf_addf(&line, "%s: %s", name, value)
               : buf_addf(&line, "%s;", name)))
    longer = curl_slist_append(*list, buf_str(&line));
  buf_release(&line);
  if (longer)
    *list = longer;
  return longer != NULL;
}

static bool add_bare(struct curl_slist **list, const char *line)
{
  struct curl_slist *longer = curl_slist_append(*list, line);
  if (longer)
    *list = longer;
  return longer != NULL;
}

/* The request's own headers, and the ones libcurl must not add. */
static bool set_headers(struct http_call *c)
{
  struct curl_slist *list = NULL;
  const struct kv *headers = &c->request->headers;
  bool ok = add_bare(&list, "Accept:");
  ok = ok && add_bare(&list, c->expect ? "Expect: 100-continue" : "Expect:");
  if (kv_find(headers, "content-type", 0) == headers->n)
    ok = ok && add_bare(&list, "Content-Type:");
  for (size_t i = 0; ok && i < headers->n; i++)
    ok = add_line(&list, headers->pairs[i].name, headers->pairs[i].value);
  c->header_list = list;
  return ok && curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, list) == CURLE_OK;
}

static void set_method(struct http_call *c)
{
  CURL *easy = c->easy;
  const struct body *body = &c->request->body;
  if (c->request->method == METHOD_HEAD)
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  if (body->present) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)body->length);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE,
                     c->expect ? 16384L : 65536L);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST,
                   c->request->method == METHOD_HEAD
                       ? NULL
                       : message_method(c->request->method));
}

static void set_callbacks(struct http_call *c)
{
  CURL *easy = c->easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, c);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, c->message);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, c);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_start);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, c);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
  curl_easy_setopt(easy, CURLOPT_READDATA, c);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, c);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, c);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, c);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, c);
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

static void set_text(CURL *easy, CURLoption option, const char *value)
{
  if (value)
    curl_easy_setopt(easy, option, value);
}

static void set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                   (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* libcurl looks at the rate only every hundredth buffer, so that a large one
 * would let whole objects through: a second's worth is meant. */
static long read_buffer(const struct http_call *c)
{
  uint64_t rate = http_rate(c->owner);
  uint64_t size = rate / BUFFERS_A_TURN;
  if (!rate || size > READ_BUFFER)
    return READ_BUFFER;
  return size < LEAST_BUFFER ? LEAST_BUFFER : (long)size;
}

static void set_network(struct http_call *c, const struct http_options *o)
{
  CURL *easy = c->easy;
  set_protocols(easy);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, read_buffer(c));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "ank/" VERSION);
  curl_easy_setopt(
      easy, CURLOPT_CONNECTTIMEOUT_MS,
      (long)(o->connect_timeout_ms ? o->connect_timeout_ms : INT32_MAX));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)c->backstop_ms);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   o->http2 ? (long)CURL_HTTP_VERSION_2TLS
                            : (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_IPRESOLVE,
                   o->ipv4   ? (long)CURL_IPRESOLVE_V4
                   : o->ipv6 ? (long)CURL_IPRESOLVE_V6
                             : (long)CURL_IPRESOLVE_WHATEVER);
  set_text(easy, CURLOPT_PROXY, o->proxy);
  set_text(easy, CURLOPT_NOPROXY, c->no_proxy ? "*" : o->noproxy);
  set_text(easy, CURLOPT_INTERFACE, o->interface);
}

static void set_tls(CURL *easy, const struct http_options *o)
{
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  set_text(easy, CURLOPT_CAINFO, o->cacert);
  set_text(easy, CURLOPT_SSLCERT, o->cert);
  set_text(easy, CURLOPT_SSLKEY, o->key);
  if (o->insecure) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

bool http_easy_set_up(struct http_call *c, const struct http_options *o,
                      struct curl_slist *resolve)
{
  struct buf url = {.secret = true};
  c->trace = o->trace;
  bool ok = !message_url(&url, c->request) &&
            curl_easy_setopt(c->easy, CURLOPT_URL, buf_str(&url)) == CURLE_OK;
  buf_release(&url);
  if (!ok || !set_headers(c))
    return false;
  set_method(c);
  set_callbacks(c);
  set_network(c, o);
  if (resolve)
    curl_easy_setopt(c->easy, CURLOPT_RESOLVE, resolve);
  set_tls(c->easy, o);
  return true;
}
