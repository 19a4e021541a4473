/* SPDX-License-Identifier: MIT
 *
 * http - see http.h.
 */
#include "io/http.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/codec.h"
#include "io/http_easy.h"
#include "io/http_error.h"
#include "io/sys.h"

/* Beyond what a process has open that starts one transfer. */
enum { HIGHEST_FD = 256 };

struct http {
  CURLM *multi;
  struct curl_slist *resolve;
  const struct http_options *options; /* borrowed */
  struct http_call *done;             /* ended, not yet handed out */
  struct http_call *flying;
  int running;
  bool distrust; /* what rests in a kept connection is not to be read */
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err add_resolve(struct http *h, const struct kv *resolve,
                            struct error *e)
{
  for (size_t i = 0; resolve && i < resolve->n; i++) {
    struct buf line = {0};
    struct curl_slist *list = NULL;
    if (!buf_addf(&line, "%s:%s", resolve->pairs[i].name,
                  resolve->pairs[i].value))
      list = curl_slist_append(h->resolve, buf_str(&line));
    buf_release(&line);
    if (!list)
      return no_memory(e);
    h->resolve = list;
  }
  return ERR_OK;
}

/* libcurl's own pair of sockets is no business of a command that we start; what
 * was open before may be meant for it. */
static CURLM *new_multi(void)
{
  bool known[HIGHEST_FD];
  for (int fd = 0; fd < HIGHEST_FD; fd++)
    known[fd] = fcntl(fd, F_GETFD) != -1;
  CURLM *multi = curl_multi_init();
  for (int fd = 0; fd < HIGHEST_FD; fd++)
    if (!known[fd])
      (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  return multi;
}

enum err http_new(const struct http_options *options, struct http **out,
                  struct error *e)
{
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return err_set(e, ERR_INTERNAL, "libcurl could not be initialised");
  struct http *h = calloc(1, sizeof *h);
  if (!h)
    return no_memory(e);
  h->options = options;
  h->multi = new_multi();
  enum err err = h->multi ? add_resolve(h, options->resolve, e) : no_memory(e);
  if (err) {
    http_free(h);
    return err;
  }
  *out = h;
  return ERR_OK;
}

/* ---- one rate for all ---- */

uint64_t http_rate(const struct http *h)
{
  uint64_t all = h->options->limit_rate;
  uint64_t n = h->running > 1 ? (uint64_t)h->running : 1;
  return all && all < n ? 1 : all / n;
}

/* libcurl knows a rate of each transfer only. */
static void share_rate(struct http *h)
{
  curl_off_t rate = (curl_off_t)http_rate(h);
  for (struct http_call *c = h->flying; rate && c; c = c->next_flying) {
    curl_easy_setopt(c->easy, CURLOPT_MAX_SEND_SPEED_LARGE, rate);
    curl_easy_setopt(c->easy, CURLOPT_MAX_RECV_SPEED_LARGE, rate);
  }
}

static void take_off(struct http *h, struct http_call *c)
{
  h->running++;
  c->next_flying = h->flying;
  h->flying = c;
  share_rate(h);
}

static void land(struct http *h, const struct http_call *c)
{
  struct http_call **at = &h->flying;
  while (*at != c)
    at = &(*at)->next_flying;
  *at = c->next_flying;
  h->running--;
  share_rate(h);
}

enum err http_start(struct http *h, struct http_call *c, struct error *e)
{
  c->owner = h;
  c->facts = (struct http_facts){-1, -1, -1, -1, 0, 0, "", "", false};
  c->easy = curl_easy_init();
  if (!c->easy || !http_easy_set_up(c, h->options, h->resolve) ||
      curl_multi_add_handle(h->multi, c->easy) != CURLM_OK) {
    http_call_release(c);
    return no_memory(e);
  }
  if (h->distrust || c->fresh)
    curl_easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, 1L);
  c->in_flight = true;
  take_off(h, c);
  return ERR_OK;
}

/* ---- its end ---- */

static int64_t fact_ms(CURL *easy, CURLINFO what)
{
  curl_off_t us = 0;
  if (curl_easy_getinfo(easy, what, &us) != CURLE_OK || us <= 0)
    return -1;
  return (int64_t)us / 1000;
}

static void gather(struct http_call *c)
{
  struct http_facts *f = &c->facts;
  CURL *easy = c->easy;
  const char *ip = NULL;
  long version = 0, os_errno = 0;
  curl_off_t sent = 0;
  f->dns_ms = fact_ms(easy, CURLINFO_NAMELOOKUP_TIME_T);
  f->connect_ms = fact_ms(easy, CURLINFO_CONNECT_TIME_T);
  f->tls_ms = fact_ms(easy, CURLINFO_APPCONNECT_TIME_T);
  f->total_ms = fact_ms(easy, CURLINFO_TOTAL_TIME_T);
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  f->sent = (uint64_t)sent;
  if (curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &ip) == CURLE_OK && ip)
    (void)snprintf(f->remote_ip, sizeof f->remote_ip, "%s", ip);
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
  if (c->response.status)
    (void)snprintf(f->http_version, sizeof f->http_version, "%s",
                   version == CURL_HTTP_VERSION_2_0   ? "2"
                   : version == CURL_HTTP_VERSION_1_0 ? "1.0"
                                                      : "1.1");
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_errno);
  c->os_errno = c->open_errno ? c->open_errno : (int)os_errno;
}

/* Another transfer has the connection already: what comes there is its own.
 * libcurl tells the socket of a reused connection only when all is over. */
static bool taken_over(const struct http_call *c)
{
  for (const struct http_call *o = c->owner->flying; o; o = o->next_flying)
    if (o != c && o->local_port == c->local_port)
      return true;
  return false;
}

/* libcurl reads no further than the length it was told; what lies behind it
 * waits in the socket (under TLS it cannot be seen). */
static bool more_waits(const struct http_call *c)
{
  curl_socket_t fd = http_socket(c);
  char byte;
  return !c->request->https && fd != CURL_SOCKET_BAD && !taken_over(c) &&
         recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* More bytes than Content-Length promised: the length or the bytes are wrong,
 * and there is no telling which. */
static bool too_long(const struct http_call *c)
{
  const char *length = kv_get(&c->response.headers, "content-length");
  uint64_t promised;
  return c->to_sink && length && codec_u64(length, 0, INT64_MAX, &promised) &&
         !kv_get(&c->response.headers, "transfer-encoding") &&
         strcmp(c->facts.http_version, "2") != 0 &&
         (c->raw_received > promised || more_waits(c));
}

/* A reused connection that breaks before a byte of answer was stale: the other
 * side had given it up.  libcurl says CURLE_HTTP2 when a GOAWAY left nothing to
 * go on with. */
static bool was_stale(const struct http_call *c, enum xport x, CURLcode code)
{
  bool broke = x == XPORT_SEND || x == XPORT_RECEIVE || x == XPORT_EMPTY ||
               x == XPORT_TLS_CUT || code == CURLE_HTTP2;
  return broke && c->facts.reused && c->response.status == 0;
}

static enum xport xport_of(struct http *h, struct http_call *c, CURLcode code)
{
  long proxy_status = 0;
  if (code == CURLE_OK && too_long(c)) {
    (void)snprintf(c->message, sizeof c->message, "%s",
                   "the server sent more bytes than it told");
    h->distrust = true;
    return XPORT_GARBLED;
  }
  if (code == CURLE_OK)
    return XPORT_OK;
  if (c->starts > 1) {
    /* The second start that on_start refused: after 417 it would have gone
     * without Expect, else the connection was a stale one. */
    return c->response.status == 417 ? XPORT_OK : XPORT_STALE;
  }
  if (c->read_failed)
    return XPORT_FAILED;
  curl_easy_getinfo(c->easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (http_error_is_proxy((int)code, c, h->options)) {
    (void)snprintf(c->message, sizeof c->message,
                   "%s: is an http, https or socks URL, or HOST:PORT",
                   h->options->bad_proxy[c->request->https]);
    return XPORT_UNSUPPORTED;
  }
  enum xport x = http_error_xport((int)code, c, proxy_status,
                                  h->options->proxy && *h->options->proxy);
  return was_stale(c, x, code) ? XPORT_STALE : x;
}

static void detach(struct http_call *c)
{
  if (!c->in_flight)
    return;
  c->in_flight = false;
  land(c->owner, c);
  curl_multi_remove_handle(c->owner->multi, c->easy);
}

/* "Couldn't connect" would point at the server. */
static void name_own_trouble(struct http_call *c)
{
  size_t len = strlen(c->message);
  if (c->xport == XPORT_NODE && c->os_errno)
    (void)snprintf(c->message + len, sizeof c->message - len, ": %s",
                   strerror(c->os_errno));
}

static void finish(struct http *h, struct http_call *c, CURLcode code)
{
  gather(c);
  c->xport = xport_of(h, c, code);
  if (c->xport != XPORT_OK && !c->message[0])
    (void)snprintf(c->message, sizeof c->message, "%s",
                   curl_easy_strerror(code));
  name_own_trouble(c);
  detach(c);
  c->next_done = h->done;
  h->done = c;
}

static void collect(struct http *h)
{
  int left;
  CURLMsg *msg;
  while ((msg = curl_multi_info_read(h->multi, &left)) != NULL) {
    char *ctx = NULL;
    if (msg->msg != CURLMSG_DONE)
      continue;
    CURLcode code = msg->data.result;
    curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &ctx);
    finish(h, (struct http_call *)(void *)ctx, code);
  }
}

void http_move(struct http *h)
{
  int running;
  curl_multi_perform(h->multi, &running);
  collect(h);
}

void http_wait(struct http *h, int64_t ms, int sink, int source)
{
  int events = 0;
  bool busy = h->running > 0 || source >= 0 || sink >= 0;
  struct curl_waitfd extra[3];
  unsigned n = 0;
  if (h->done)
    return;
  if (sys_interrupt_fd() >= 0)
    extra[n++] = (struct curl_waitfd){.fd = sys_interrupt_fd(),
                                      .events = CURL_WAIT_POLLIN};
  if (sink >= 0)
    extra[n++] = (struct curl_waitfd){.fd = sink, .events = CURL_WAIT_POLLOUT};
  if (source >= 0)
    extra[n++] = (struct curl_waitfd){.fd = source, .events = CURL_WAIT_POLLIN};
  curl_multi_poll(h->multi, extra, n, sys_poll_ms(ms, busy), &events);
  sys_polled(ms, busy, events > 0);
  http_move(h);
}

struct http_call *http_next_done(struct http *h)
{
  struct http_call *c = h->done;
  if (c)
    h->done = c->next_done;
  return c;
}

void http_cancel(struct http_call *c)
{
  if (c->in_flight)
    gather(c);
  detach(c);
}

void http_resume(struct http_call *c)
{
  if (!c->paused)
    return;
  c->paused = false;
  curl_easy_pause(c->easy, CURLPAUSE_CONT);
}

void http_call_release(struct http_call *c)
{
  detach(c);
  if (c->easy)
    curl_easy_cleanup(c->easy);
  curl_slist_free_all(c->header_list);
  response_release(&c->response);
  c->easy = NULL;
  c->header_list = NULL;
}

void http_free(struct http *h)
{
  if (!h)
    return;
  if (h->multi)
    curl_multi_cleanup(h->multi);
  curl_slist_free_all(h->resolve);
  free(h);
}

const char *http_library(void)
{
  return curl_version();
}
