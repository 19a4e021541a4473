/* SPDX-License-Identifier: MIT
 *
 * message - a request before it is sent and a response after it was read.
 *
 * Values only.  The query is kept decoded and encoded once, in one place, so
 * that what is signed and what travels are the same bytes.
 */
#ifndef ANK_CLOUD_MESSAGE_H
#define ANK_CLOUD_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/kv.h"

enum method { METHOD_GET, METHOD_HEAD, METHOD_PUT, METHOD_POST, METHOD_DELETE };

/* What a request carries.  Bytes come from memory (data) or from a reader that
 * can be asked again for any offset; a length of 0 with `present` is an empty
 * body (Content-Length: 0), without it there is none. */
struct body {
  bool present;
  uint64_t length;
  const char *data; /* borrowed; NULL: ask READ */
  /* Puts up to LEN bytes from OFFSET into BUF; their number (less than LEN
   * only when told to stop), or -1 after filling the source's own error. */
  long (*read)(void *ctx, uint64_t offset, char *buf, unsigned long len);
  void *ctx; /* borrowed */
};

struct request {
  enum method method;
  bool https;
  char *host;      /* owned: authority, port only when not the default */
  char *path;      /* owned: percent-encoded, as on the wire, begins with / */
  struct kv query; /* decoded names and values */
  bool slash_in_query;  /* a "/" of a query value stands as itself: OCI refuses
                          the signature of an encoded one */
  struct buf raw_query; /* secret: encoded by somebody else (a SAS, a presigned
                           URL), travels as it is behind the others */
  struct kv headers;
  struct buf document; /* a body that the provider made; BODY borrows it */
  struct body body;    /* borrows */
};

struct response {
  int status;        /* 0: none was read */
  bool framed;       /* HTTP/2 and later: the body has an end of its own */
  struct kv headers; /* of the final answer, names as received */
  struct buf body; /* captured, at most MESSAGE_BODY_MAX; never object bytes */
};

enum { MESSAGE_BODY_MAX = 65536 };

/* What was signed, for --explain and for the tests; zeroed by the caller, who
 * releases it.  No key is in it, but a session's token may be: both are to be
 * redacted before they are shown.  CANONICAL_REQUEST is empty where a scheme
 * has none. */
struct sign_trace {
  struct buf canonical_request;
  struct buf string_to_sign;
};

const char *message_method(enum method m);

/* "name=value&..." percent-encoded (SigV4's rule, which every provider reads),
 * in the order of the list, or sorted by encoded name and value. */
enum err message_query(struct buf *out, const struct kv *query, bool sorted)
    __attribute__((warn_unused_result));

/* Path and query as the request line has them, appended. */
enum err message_target(struct buf *out, const struct request *r)
    __attribute__((warn_unused_result));

/* The URL to hand to the transfer, appended. */
enum err message_url(struct buf *out, const struct request *r)
    __attribute__((warn_unused_result));

void sign_trace_release(struct sign_trace *t);
void request_release(struct request *r);
/* Copies header NAME to TO, which has ROOM; TO stays as it is when there is
 * none or it does not fit. */
void response_header(const struct response *r, const char *name, char *to,
                     size_t room);
void response_clear(struct response *r);
void response_release(struct response *r);

#endif
