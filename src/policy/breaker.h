/* SPDX-License-Identifier: MIT
 *
 * breaker - is this target worth a request right now?  policy.md 5.
 *
 * One pure step: (policy, breaker, event, now) -> breaker and answer.  The
 * value is what all processes of a machine share; where it is kept is
 * io/state's, who asks is flow/guard's.  Each moment is a wall-clock stamp and
 * a length, never an "until", so a clock that jumps cannot make anything
 * outlast its length.
 *
 *   CLOSED --5 failures in a row, or half of 20 calls in 10 s--> OPEN
 *   OPEN, its time over, ask --> HALF_OPEN: one lease, one probe
 *   HALF_OPEN --holder: success or throttled--> CLOSED
 *   HALF_OPEN --holder: failure--> OPEN, for twice as long
 *   HALF_OPEN --holder: nothing, or the lease ran out--> OPEN, its time over
 *     (whose lease ran out is believed until another holds one)
 *   results of anybody but the holder move nothing that is not CLOSED
 */
#ifndef ANK_POLICY_BREAKER_H
#define ANK_POLICY_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum { BREAKER_WINDOW_SLOTS = 10, BREAKER_MAX_RECENT = 16 };

struct breaker_policy {
  int64_t failures;  /* in a row that open it */
  int64_t gap_ms;    /* failures further apart are not in a row */
  int64_t within_ms; /* 0, or: all of them in this time, whatever the gaps */
  int64_t window_ms; /* of the ratio rule, in BREAKER_WINDOW_SLOTS slots */
  int64_t calls;     /* least calls in the window for the ratio to count;
                        0 = it never does */
  double ratio;      /* of them failed */
  int64_t open_ms, max_ms; /* first length, and the most after doubling */
  int64_t lease_ms;
};

extern const struct breaker_policy breaker_default;

/* A moment and how long something lasts from then. */
struct span_ms {
  int64_t at_ms;     /* wall clock */
  int64_t length_ms; /* 0 = nothing */
};

enum breaker_mode { BREAKER_CLOSED = 0, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker_slot {
  int64_t calls, failures;
};

/* Zeroed is closed and knows nothing. */
struct breaker {
  bool open;             /* OPEN or HALF_OPEN; see breaker_mode_at */
  int64_t failures;      /* in a row */
  int64_t failed_at_ms;  /* the last of them */
  struct span_ms opened; /* since when, how long before a probe */
  struct span_ms lease;  /* of the probe under way */
  uint64_t holder;       /* who has it */
  /* The last failures in a row, oldest first, 0 behind them; kept by a policy
   * that has within_ms. */
  int64_t recent_ms[BREAKER_MAX_RECENT];
  int64_t window_at_ms; /* start of slot 0 */
  struct breaker_slot window[BREAKER_WINDOW_SLOTS];
};

enum breaker_event {
  BREAKER_ASK, /* may I send? */
  BREAKER_SUCCESS,
  BREAKER_FAILURE,
  BREAKER_THROTTLED, /* busy, not down */
  BREAKER_NOTHING,   /* ended without saying anything about the target */
  BREAKER_RENEW,     /* the probe's bytes move */
  BREAKER_CALLS,     /* COUNT earlier successes, for the window alone */
  BREAKER_RESET,     /* an operator closes it */
  BREAKER_TRIP       /* an operator opens it, for LENGTH_MS */
};

enum breaker_answer {
  BREAKER_ADMIT = 0,
  BREAKER_PROBE, /* admitted as the one probe; the change must be stored */
  BREAKER_REFUSE
};

struct breaker_input {
  enum breaker_event event;
  uint64_t who;      /* not 0; the same in a probe's ask and its end */
  int64_t length_ms; /* BREAKER_TRIP */
  int64_t count;     /* BREAKER_CALLS */
};

struct breaker_step {
  struct breaker next;
  enum breaker_answer answer; /* to BREAKER_ASK */
  int64_t wait_ms;            /* BREAKER_REFUSE: ask again then */
  enum breaker_mode from, to; /* differ on a transition */
  bool opened;                /* it was opened, perhaps once more */
};

struct breaker_step breaker_step(const struct breaker_policy *p,
                                 const struct breaker *b,
                                 const struct breaker_input *in,
                                 int64_t wall_ms);

/* What it is now: an open one whose time is over is half open once a probe
 * holds the lease, and still OPEN (with nothing left) until then. */
enum breaker_mode breaker_mode_at(const struct breaker *b, int64_t wall_ms);

/* What is left of a span; 0 when over, or when its stamp lies more than a
 * second ahead (the clock went back). */
int64_t span_left_ms(const struct span_ms *s, int64_t wall_ms);

/* "failures=5,gap=60s,window=10s,calls=20,ratio=0.5,open=5s,max=60s,lease=45s":
 * any subset, the rest as in *OUT, and within=60s, for at most 16 failures; no
 * length is more than a day.  False leaves
 * *OUT alone. */
bool breaker_policy_parse(const char *spec, struct breaker_policy *out);

const char *breaker_mode_name(enum breaker_mode mode);

#endif
