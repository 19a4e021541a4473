/* SPDX-License-Identifier: MIT
 *
 * scope - what is remembered of one {endpoint, bucket}: its breaker, its
 * hold-off, its retry budget and its counters, as one value (policy.md 5).
 * Header only.
 */
#ifndef ANK_POLICY_SCOPE_H
#define ANK_POLICY_SCOPE_H

#include "policy/breaker.h"
#include "policy/budget.h"

/* What ankbreaker shows and a monitor reads; they only grow.  Named as in the
 * file and in JSON. */
#define SCOPE_COUNTERS(X) \
  X(requests)             \
  X(attempts)             \
  X(retries_transient)    \
  X(retries_throttled)    \
  X(retries_local)        \
  X(retries_integrity)    \
  X(opened)               \
  X(rejected)             \
  X(throttled)            \
  X(suppressed)           \
  X(bytes_sent)           \
  X(bytes_received)

struct scope_counters {
#define MEMBER(name) int64_t name;
  SCOPE_COUNTERS(MEMBER)
#undef MEMBER
};

/* A read of an object that spent its retries. */
enum { SCOPE_MAX_MARKS = 64 };

struct scope_mark {
  uint64_t object; /* a hash of its name */
  int64_t at_ms;   /* wall clock; 0 = no mark, nor is there one behind it */
};

struct scope {
  struct breaker breaker;
  struct span_ms hold; /* a Retry-After that all runs keep */
  struct budget budget;
  int64_t seen_ms;       /* last written */
  int64_t success_at_ms; /* the last one */
  char last_error[64];   /* a status or a transport failure, "" = none */
  struct scope_counters counters;
  struct scope_mark marks[SCOPE_MAX_MARKS]; /* oldest first */
};

#endif
