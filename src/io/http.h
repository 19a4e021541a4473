/* SPDX-License-Identifier: MIT
 *
 * http - transfers: the only room with libcurl's easy and multi interfaces.
 *
 * Sends one request and reads one answer per call; never retries, follows,
 * resends or times anything by itself (but connecting, and a backstop behind
 * the deadline).  What libcurl would do on its own - a second start on another
 * connection, dot folding, Expect, redirects - is switched off or refused, so
 * that each thing on the wire is a decision of the engine.
 */
#ifndef ANK_IO_HTTP_H
#define ANK_IO_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/message.h"
#include "io/log.h"
#include "policy/verdict.h"

/* One set for every connection of the run; borrowed, NULL = not set. */
struct http_options {
  const char *proxy; /* "" = none, whatever the environment says */
  const char *noproxy;
  /* The variable from which http and https requests would take a proxy, where
   * its value can be none. */
  const char *bad_proxy[2];
  const char *cacert, *cert, *key;
  const char *interface;
  const struct kv *resolve; /* names: "HOST:PORT", values: addresses */
  bool insecure;
  bool ipv4, ipv6;
  bool http2;
  uint64_t limit_rate;        /* bytes a second of all together, 0 = none */
  int64_t connect_timeout_ms; /* 0 = none */
  const struct log *trace;    /* -v: where the wire is told; NULL = nowhere */
};

/* What the head of an answer leads to. */
enum http_head { HTTP_CAPTURE = 0, HTTP_TO_SINK, HTTP_ABORT };

enum http_phase {
  HTTP_CONNECTING, /* resolving, connecting, TLS */
  HTTP_SENDING,    /* request bytes are left to send */
  HTTP_WAITING,    /* all sent, no byte of the final answer yet */
  HTTP_RECEIVING,
  HTTP_PAUSED /* the sink is full */
};

/* Measured, in ms since the attempt's start; -1 = not reached. */
struct http_facts {
  int64_t dns_ms, connect_ms, tls_ms, total_ms;
  uint64_t sent, received; /* body bytes */
  char remote_ip[64];
  char http_version[8]; /* "1.1", "2" */
  bool reused;
};

/* One transfer; the caller's, must stay in place from start to done.  The
 * first part is filled by the caller, the second by this room. */
struct http_call {
  const struct request *request; /* borrowed */
  bool expect;         /* ask first (Expect), through a small buffer */
  bool no_proxy;       /* whatever the options and the environment say */
  bool fresh;          /* by a connection of its own, none that is kept */
  int64_t backstop_ms; /* 0 = none */
  /* Called once when the final status and headers are in .response; NULL
   * captures. */
  enum http_head (*head)(void *ctx);
  /* Bytes of the object: how many were taken (fewer than LEN = full, called
   * again after http_resume), or -1 when no more is wanted. */
  long (*take)(void *ctx, const char *data, unsigned long len);
  void *ctx;

  struct response response;
  enum xport xport;
  int os_errno;      /* 0 = none known */
  char message[256]; /* libcurl's words for a failure */
  struct http_facts facts;

  void *easy; /* private from here on */
  void *header_list;
  const struct log *trace;
  struct http *owner;
  struct http_call *next_done, *next_flying;
  uint64_t body_offset, raw_received, skip;
  int starts, open_errno, local_port;
  bool in_flight, head_done, connected, paused, to_sink, read_failed;
};

struct http;

/* OPTIONS is borrowed for the life of the room.  ERR_INTERNAL, ERR_LOCAL. */
enum err http_new(const struct http_options *options, struct http **out,
                  struct error *e) __attribute__((warn_unused_result));

/* Starts C; it ends by http_next_done or http_cancel. */
enum err http_start(struct http *h, struct http_call *c, struct error *e)
    __attribute__((warn_unused_result));

/* Bytes a second that each transfer may move now; 0 = no limit. */
uint64_t http_rate(const struct http *h);

/* Moves the bytes that can be moved without waiting; a sink may be full after
 * it. */
void http_move(struct http *h);

/* Waits until bytes can be moved, a signal came, SINK became writable, SOURCE
 * readable (each may be -1), or MS passed, and moves them; not at all when
 * something has ended. */
void http_wait(struct http *h, int64_t ms, int sink, int source);

/* The next call that has ended, or NULL. */
struct http_call *http_next_done(struct http *h);

/* Ends C now; its facts and what was read stay. */
void http_cancel(struct http_call *c);

/* Goes on after a full sink. */
void http_resume(struct http_call *c);

enum http_phase http_phase(const struct http_call *c);

/* Body bytes that moved so far, either way; those sent count when the other
 * side has them. */
uint64_t http_moved(struct http_call *c);

void http_call_release(struct http_call *c);
void http_free(struct http *h);

/* "libcurl/7.88.1 OpenSSL/3.0.19" for --version. */
const char *http_library(void);

#endif
