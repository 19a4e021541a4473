/* SPDX-License-Identifier: MIT
 *
 * breaker_show - a side room of cli/breaker: scopes and changes as text and as
 * JSON.  Appends to a buffer; knows no file and no clock.
 */
#ifndef ANK_CLI_BREAKER_SHOW_H
#define ANK_CLI_BREAKER_SHOW_H

#include "base/buf.h"
#include "policy/scope.h"

struct breaker_entry {
  struct buf name; /* owned by whoever made the list */
  struct scope scope;
};

/* What a command has changed; of one scope, or of all (SCOPE is NULL). */
struct breaker_change {
  enum breaker_event event; /* BREAKER_RESET or BREAKER_TRIP */
  int64_t length_ms;        /* of a trip */
  const char *scope;
  enum breaker_mode from, to;
  int64_t hold_left_ms; /* of the hold-off that a reset has dropped */
  int64_t scopes, were_open, were_held;
};

/* A heading, and a line an entry. */
enum err breaker_show_table(struct buf *out, const struct breaker_entry *list,
                            size_t n, int64_t wall_ms)
    __attribute__((warn_unused_result));

/* A JSON object and a newline an entry. */
enum err breaker_show_json(struct buf *out, const struct breaker_entry *list,
                           size_t n, int64_t wall_ms)
    __attribute__((warn_unused_result));

/* What Prometheus scrapes. */
enum err breaker_show_metrics(struct buf *out, const struct breaker_entry *list,
                              size_t n, int64_t wall_ms)
    __attribute__((warn_unused_result));

/* One line, as text or as a JSON object. */
enum err breaker_show_change(struct buf *out, const struct breaker_change *c,
                             bool json) __attribute__((warn_unused_result));

#endif
