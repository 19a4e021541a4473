/* SPDX-License-Identifier: MIT
 *
 * verdict - what one attempt's end means: policy.md 1 as one table.
 *
 * Takes the transport's failure, the HTTP status and the class of the
 * provider's own code, and answers the verdict with its two columns: is it
 * retried, and what does the breaker count it as.  Knows no provider by name
 * (cloud/ maps code strings to classes), no waits (policy/retry) and no
 * operation.  Pure.
 */
#ifndef ANK_POLICY_VERDICT_H
#define ANK_POLICY_VERDICT_H

#include <stdbool.h>

#include "base/err.h"

/* How a transfer ended below HTTP; XPORT_OK = a complete answer was read. */
enum xport {
  XPORT_OK = 0,
  XPORT_RESOLVE,         /* name not resolved */
  XPORT_CONNECT,         /* refused, unreachable, reset while connecting */
  XPORT_CONNECT_TIMEOUT, /* connect, TLS included, took too long */
  XPORT_SEND,            /* sending broke before an answer */
  XPORT_RECEIVE,         /* reset or closed while reading */
  XPORT_EMPTY,           /* closed without a byte of answer */
  XPORT_SHORT,           /* body shorter than promised */
  XPORT_FIRST_BYTE,      /* no answer within the limit after the request */
  XPORT_STALL,           /* bytes stopped moving */
  XPORT_TIMEOUT,         /* the attempt's own limit */
  XPORT_GARBLED,         /* not HTTP, or framing broken */
  XPORT_TLS_CUT,         /* TLS cut off in the handshake or amid the data */
  XPORT_PROXY,           /* the proxy broke CONNECT */
  XPORT_PROXY_DENIED,    /* the proxy answered CONNECT with 403 or 407 */
  XPORT_NODE,            /* this node: descriptors, ports, memory, no route */
  XPORT_STALE,           /* lost on a reused connection, before an answer */
  XPORT_TLS,             /* certificate or TLS set-up refused */
  XPORT_UNSUPPORTED,     /* protocol or URL libcurl will not speak */
  XPORT_FAILED,          /* our own source or destination failed */
  XPORT_DEADLINE,        /* the run's deadline passed amid the attempt */
  XPORT_INTERRUPTED,     /* a signal */
  XPORT_CANCELLED,       /* stopped by us: another job's end, reader gone */
  XPORT_COUNT
};

/* What the provider's code says beyond its status (providers.md 0.3). */
enum code_class {
  CODE_NONE = 0,   /* nothing: the status decides */
  CODE_THROTTLE,   /* SlowDown, ServerBusy, TooManyRequests */
  CODE_TRANSIENT,  /* RequestTimeout (400), InternalError in a 200 */
  CODE_CONFLICT,   /* lost a race, to be tried again: the endpoint is well */
  CODE_BAD_DIGEST, /* the body's hash was refused, or an answer's is wrong */
  CODE_REAUTH,     /* token expired or rejected */
  CODE_RECLOCK,    /* clock skew */
  CODE_REDIRECT,   /* another region or place */
  CODE_CHECKSUM,   /* asks for Content-MD5 or a checksum header */
  CODE_EXPECT,     /* 417 to our Expect */
  CODE_EXISTS,     /* precondition on a write failed */
  CODE_RESTART,    /* a completion lost a race: all parts again */
  CODE_REJECTED,   /* a refusal whose status means something else */
  CODE_DENIED      /* the same of access */
};

enum verdict {
  VERDICT_OK = 0,
  VERDICT_THROTTLED,
  VERDICT_TRANSIENT,
  VERDICT_LOCAL,
  VERDICT_INTEGRITY, /* a hash disagreed: retried, ends as `integrity` */
  VERDICT_REAUTH,
  VERDICT_RECLOCK,
  VERDICT_REDIRECT,
  VERDICT_ADD_CHECKSUM,
  VERDICT_DROP_EXPECT,
  VERDICT_RESEND,    /* stale connection: done again at once */
  VERDICT_EXISTS,    /* to be settled (policy.md 6) */
  VERDICT_RESTART,   /* not this request again: the flow starts over */
  VERDICT_PERMANENT, /* returned at once */
  VERDICT_FAILED,    /* our own source or destination: returned at once */
  VERDICT_DEADLINE,
  VERDICT_INTERRUPTED,
  VERDICT_CANCELLED,
  VERDICT_COUNT
};

enum tally { TALLY_NOTHING = 0, TALLY_SUCCESS, TALLY_FAILURE };

/* One attempt's end, as the engine saw it. */
struct outcome {
  enum xport xport;
  int http; /* 0 when no status was read */
  enum code_class code;
  bool retry_after; /* a valid Retry-After (or provider form) came along */
};

/* Statuses that --retry-on, --no-retry-on or a named policy move. */
struct status_set {
  unsigned char bits[75]; /* statuses 0..599 */
  unsigned xports;        /* bits of enum xport: failures without a status */
};

struct judgement {
  enum verdict verdict;
  bool retried;
  enum tally tally;
};

/* The table.  MORE and LESS (each may be NULL) move only the retried column,
 * and only of verdicts that a status or the transport alone decided. */
struct judgement verdict_of(const struct outcome *o,
                            const struct status_set *more,
                            const struct status_set *less);

/* True for the verdicts that are mended without a wait and without a retry. */
bool verdict_is_repair(enum verdict v);

/* How a run ends whose last attempt ended so. */
enum err verdict_end(enum verdict v, const struct outcome *o);

/* "500,503,4xx,transport": numbers 300 to 599, classes Nxx of them, the
 * word transport.  False leaves *out alone. */
bool status_set_parse(const char *list, struct status_set *out);
bool status_set_has(const struct status_set *set, int status);

const char *verdict_name(enum verdict v);
const char *xport_name(enum xport x); /* the report's `error` */

#endif
