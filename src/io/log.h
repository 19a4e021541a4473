/* SPDX-License-Identifier: MIT
 *
 * log - lines for a person on standard error, and the one scrubber that knows
 * the secrets in use.
 *
 * Every line that leaves the process, the report's too, passes log_scrub.
 * Never writes to standard output.
 */
#ifndef ANK_IO_LOG_H
#define ANK_IO_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One a run; zero-initialised is valid. */
struct log {
  const char *program; /* borrowed: "ankput" */
  bool silent;         /* -s: no warnings; failures are still told */
  /* Called before each line, to take away what is drawn there; may be NULL. */
  void (*clear)(void *ctx);
  void *clear_ctx;
  struct buf *secrets; /* owned */
  size_t n_secrets;
};

/* Keeps a copy of SECRET (8 bytes or more; shorter ones would scrub words) to
 * be replaced wherever it shows up. */
enum err log_secret(struct log *log, const char *secret)
    __attribute__((warn_unused_result));

/* Replaces each occurrence of each secret in LINE by "REDACTED". */
enum err log_scrub(const struct log *log, struct buf *line)
    __attribute__((warn_unused_result));

/* Makes room on a terminal that something is drawn on. */
void log_clear(const struct log *log);

/* "PROGRAM: text\n" in one write, scrubbed, control characters made visible. */
void log_error(const struct log *log, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with "warning: ", unless silent. */
void log_warning(const struct log *log, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The text alone, without a name before it: for -v and --explain. */
void log_line(const struct log *log, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void log_release(struct log *log);

#endif
