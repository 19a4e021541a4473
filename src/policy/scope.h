/* SPDX-License-Identifier: MIT
 *
 * scope - what is remembered of one {endpoint, bucket}: its breaker, its
 * hold-off and its counters, as one value (policy.md 5).  Header only.
 */
#ifndef ANK_POLICY_SCOPE_H
#define ANK_POLICY_SCOPE_H

#include "policy/breaker.h"

/* What ankbreaker shows and a monitor reads; they only grow. */
struct scope_counters {
  int64_t requests, attempts;
  int64_t retries_transient, retries_throttled, retries_local,
      retries_integrity;
  int64_t opened, rejected, throttled, suppressed;
  int64_t bytes_sent, bytes_received;
};

struct scope {
  struct breaker breaker;
  struct span_ms hold;   /* a Retry-After that all runs keep */
  int64_t seen_ms;       /* last written */
  int64_t success_at_ms; /* the last one */
  char last_error[64];   /* a status or a transport failure, "" = none */
  struct scope_counters counters;
};

#endif
