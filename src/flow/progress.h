/* SPDX-License-Identifier: MIT
 *
 * progress - one line on a terminal that is written over: how far the transfer
 * is, how fast, what it waits for.
 *
 * Drawn on standard error, and only when that is a terminal; taken away before
 * any other line goes there.  Plain characters only: it needs nothing of the
 * terminal but the carriage return.
 */
#ifndef ANK_FLOW_PROGRESS_H
#define ANK_FLOW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/date.h"

enum { PROGRESS_EVERY_MS = 200 };

/* What is to be seen now. */
struct progress_view {
  const char *key;   /* its last part is shown */
  const char *doing; /* "hashing"; NULL = moving bytes */
  uint64_t done, total;
  bool has_total;
  uint64_t attempt, of; /* shown from the second attempt on */
  int64_t wait_ms;      /* before the next attempt; -1 = not waiting */
  const char *why;      /* of the wait */
};

struct progress {
  bool on;
  size_t width; /* columns of what stands there; 0 = nothing */
  int64_t drawn_mono_ms;
  /* The rate: bytes of the last look, and the smoothed result. */
  bool rated;
  const char *doing;
  uint64_t rated_bytes;
  int64_t rated_mono_ms;
  double rate; /* bytes a second; 0 = not known yet */
};

/* WANTED: --progress or its absence; it takes a terminal all the same. */
void progress_begin(struct progress *p, bool wanted);

/* Draws V unless the last drawing is younger than PROGRESS_EVERY_MS. */
void progress_show(struct progress *p, const struct progress_view *v,
                   struct now now);

/* Takes the line away; for whoever writes to the terminal.  CTX is the
 * struct progress. */
void progress_clear(void *ctx);

/* The line's words for COLUMNS columns, appended.  RATE: bytes a second, 0
 * when not known.  Pure. */
enum err progress_words(const struct progress_view *v, double rate,
                        size_t columns, struct buf *out)
    __attribute__((warn_unused_result));

/* The next smoothed rate: what is older than some seconds hardly counts.
 * OLD: 0 = none yet.  Pure. */
double progress_rate(double old, uint64_t bytes, int64_t ms);

#endif
