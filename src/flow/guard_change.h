/* SPDX-License-Identifier: MIT
 *
 * guard_change - a side room of flow/guard: one change of one scope, under the
 * lock, and the faults of the file.
 */
#ifndef ANK_FLOW_GUARD_CHANGE_H
#define ANK_FLOW_GUARD_CHANGE_H

#include "flow/guard.h"

/* What happens, and what came of it. */
struct guard_change {
  struct guard *g;
  struct guard_ticket *ticket;
  enum breaker_event event;
  uint64_t who;
  const struct guard_news *news; /* may be NULL */
  struct breaker_step step;      /* what the event did */
  int64_t hold_at_ms;            /* the hold-off it began; 0 = none */
  struct scope after;
};

/* What EVENT makes of B. */
struct breaker_step guard_step(const struct guard *g, const struct breaker *b,
                               enum breaker_event event, uint64_t who,
                               int64_t wall_ms);

/* Makes the change, and hands over what was added up.  True when it was
 * stored; a transition is then kept in the ticket. */
bool guard_change(struct guard_change *c, struct now now);

/* Counts the retry that is to follow, or that it was suppressed. */
void guard_count_retry(struct scope_counters *c, const struct guard_news *news,
                       bool suppressed);

/* The one warning of the file, when it is due. */
void guard_tell_fault(struct guard *g, struct now now);

/* The same on standard error for a missing folder: only when an attempt has
 * failed. */
void guard_tell_absent(struct guard *g);

#endif
