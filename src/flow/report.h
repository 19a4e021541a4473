/* SPDX-License-Identifier: MIT
 *
 * report - what happened, as NDJSON: one object a line, one write a line; or
 * the same in words.
 *
 * Lines are built field by field from the one table (report.def); a field that
 * was not set is absent, and absent means unknown.  Text is made valid UTF-8,
 * every line passes the scrubber.  A report that cannot be written costs one
 * warning, never the transfer or the exit status.
 */
#ifndef ANK_FLOW_REPORT_H
#define ANK_FLOW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/kv.h"
#include "io/log.h"

enum report_field {
#define FIELD(id, name, kind, events) REPORT_##id,
#include "flow/report.def"
#undef FIELD
  REPORT_FIELD_COUNT
};

enum report_event {
  REPORT_EVENT_ATTEMPT,
  REPORT_EVENT_WAIT,
  REPORT_EVENT_BREAKER,
  REPORT_EVENT_WARNING,
  REPORT_EVENT_RESULT
};

struct report {
  int fd;                /* -1: no report wanted */
  bool owned;            /* close it at the end */
  bool broken;           /* could not be written; said once */
  bool plain;            /* words instead of JSON; set by the caller */
  const struct log *log; /* borrowed */
  char run[17];          /* hex, the same on each line of a run */
};

/* WHERE: NULL = descriptor DEFAULT_FD; "none"; digits = a descriptor; else a
 * file that is appended to.  A file that cannot be opened is a warning and no
 * report.  ERR_USAGE for a descriptor that is not open; the message does not
 * say who named it.  RUN: 64 random bits. */
enum err report_open(struct report *r, const char *where, int default_fd,
                     const struct log *log, uint64_t run, struct error *e)
    __attribute__((warn_unused_result));

/* True when lines go to standard error, so that no other text may. */
bool report_on_stderr(const struct report *r);

/* One line being built; zero when no report is wanted, and then all below is
 * cheap and does nothing. */
struct report_line {
  struct report *report; /* borrowed */
  void *json;            /* owned until report_end */
  char event;            /* letter of report.def */
};

struct report_line report_begin(struct report *r, enum report_event event,
                                int64_t wall_ms);

/* Each checks that the table gives the field to this event.  NULL and ""
 * texts, and numbers below 0, are absent. */
void report_text(struct report_line *l, enum report_field f, const char *s);
void report_number(struct report_line *l, enum report_field f, int64_t n);
/* Thousandths. */
void report_decimal(struct report_line *l, enum report_field f, int64_t n);
void report_flag(struct report_line *l, enum report_field f, bool v);
void report_map(struct report_line *l, enum report_field f,
                const struct kv *kv);
/* The key, and key_b64 beside it when it is no UTF-8. */
void report_key(struct report_line *l, const char *key);

/* Writes the line. */
void report_end(struct report_line *l);

/* A `warning` line alone, for what is told on standard error later or never. */
void report_note(struct report *r, int64_t wall_ms, const char *why,
                 const char *file);

/* A `warning` line, and the same on standard error unless the report is there.
 * FILE may be NULL. */
void report_warning(struct report *r, int64_t wall_ms, const char *why,
                    const char *file, const char *text);

void report_close(struct report *r);

#endif
