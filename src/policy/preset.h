/* SPDX-License-Identifier: MIT
 *
 * preset - the named policies, one row each (policy.md 7).
 *
 * A row is what the options of the same names would say, in their words, and
 * the few things that no option says.  Which option goes before it is
 * cli/config's.
 */
#ifndef ANK_POLICY_PRESET_H
#define ANK_POLICY_PRESET_H

#include <stdbool.h>

#include "policy/retry.h"

/* A text that is NULL leaves the default as it is. */
struct preset {
  const char *name;
  uint64_t retries;      /* extra attempts; RETRY_NO_LIMIT */
  uint64_t most_retries; /* what --retries may say instead */
  int64_t elapsed_ms;    /* as struct retry_policy's */
  const char *backoff;
  const char *retry_on, *no_retry_on;
  unsigned no_retry_xports; /* bits of enum xport, beside the list */
  enum retry_after_use after;
  const char *retry_budget;
  const char *breaker;
  bool no_breaker, no_share_throttle;
  bool read_marks; /* a read that spent its retries is refused for an hour */
};

/* Ends with a name of NULL; the first is the default. */
extern const struct preset presets[];

/* NULL: there is none of this name. */
const struct preset *preset_find(const char *name);

#endif
