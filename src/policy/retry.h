/* SPDX-License-Identifier: MIT
 *
 * retry - when the next attempt may start, or why there is none.
 *
 * Retry-After in all its forms, the attempt budget and the one deadline
 * (policy.md 2, 3, 4), as pure functions of (policy, state, what came back,
 * now, dice).  Knows no clock and no request; sleeping is the engine's.
 */
#ifndef ANK_POLICY_RETRY_H
#define ANK_POLICY_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/date.h"
#include "base/kv.h"
#include "policy/backoff.h"

#define RETRY_NO_LIMIT UINT64_MAX /* of retries */
#define RETRY_NEVER    INT64_MAX  /* "no deadline", "no wait known" */

/* What a Retry-After is good for. */
enum retry_after_use {
  RETRY_AFTER_LEAST = 0, /* on 429 and 503; the back-off is added to it */
  RETRY_AFTER_REPLACES,  /* on 429; it stands in the back-off's place */
  RETRY_AFTER_IGNORED
};

struct retry_policy {
  uint64_t retries; /* extra attempts per request */
  /* 0: no limit.  Else no retry but the first one begins later than so long
   * after the request's first attempt. */
  int64_t elapsed_ms;
  struct backoff backoff;
  enum retry_after_use after;
  int64_t max_retry_after_ms;
};

/* Counts of one request; zeroed at its start. */
struct retry_state {
  uint64_t retries;      /* retries already made */
  int64_t began_mono_ms; /* its first attempt */
  int64_t wait_ms;       /* before the last of them, as thrown */
};

/* What came back. */
struct retry_ask {
  bool retried;           /* the verdict's column */
  int64_t retry_after_ms; /* -1: none */
  int64_t min_wait_ms;    /* the provider's least wait (GCS 429: 1000), or 0 */
};

enum retry_why {
  RETRY_GO = 0,    /* wait wait_ms, then try again */
  RETRY_PERMANENT, /* not a retried verdict */
  RETRY_SPENT,     /* no attempts left */
  RETRY_ELAPSED,   /* too long since the first attempt */
  RETRY_NO_TIME,   /* the wait does not fit before the deadline */
  RETRY_COME_BACK, /* Retry-After does not fit or is over the maximum */
  RETRY_BUDGET     /* too few tokens are left (policy/budget) */
};

struct retry_step {
  enum retry_why why;
  int64_t wait_ms;     /* RETRY_GO: before the next attempt */
  bool throttled;      /* a stop that ends as `throttled` */
  int64_t throttled_s; /* come back in so many seconds, rounded up */
  int64_t backoff_ms;  /* what the dice gave */
};

/* DEADLINE_MONO_MS is RETRY_NEVER without one.  DICE: 64 uniform bits.  The
 * caller calls retry_follow when it follows RETRY_GO. */
struct retry_step retry_next(const struct retry_policy *p,
                             const struct retry_state *s,
                             const struct retry_ask *ask,
                             int64_t deadline_mono_ms, struct now now,
                             uint64_t dice);

/* The same as a stop, for want of tokens. */
struct retry_step retry_suppress(const struct retry_ask *ask);

/* A retry is made as STEP says. */
void retry_follow(struct retry_state *s, const struct retry_step *step);

/* What a reply's headers ask for. */
struct retry_after {
  int64_t ms;       /* -1: nothing valid asked for */
  const char *from; /* lower-case header name it came from; NULL */
  bool invalid;     /* a header was there and could not be read */
};

/* Is it read of an answer with this status? */
bool retry_after_counts(const struct retry_policy *p, int status);

/* Reads Retry-After, x-ms-retry-after-ms, retry-after-ms and
 * x-amz-retry-after.  Dates count from the reply's own Date when it is valid,
 * else from WALL_MS.  Of several valid ones the longest wait counts.  Values
 * beyond the clock are INT64_MAX / 4. */
struct retry_after retry_after_read(const struct kv *headers, int64_t wall_ms);

/* One value: whole seconds or an HTTP-date; ms, or -1. */
int64_t retry_after_ms(const char *value, int64_t wall_ms);

/* Milliseconds until MONO_MS; RETRY_NEVER stays so, past is 0. */
int64_t retry_left(int64_t mono_ms, struct now now);

const char *retry_why_name(enum retry_why why);

#endif
