/* SPDX-License-Identifier: MIT
 *
 * backoff - how long before the next try: the strategies, as data.
 *
 * One struct says which waits there are (a list, or a rule by which they grow)
 * and how chance moves each of them (jitter).  A wait is a pure function of
 * (struct, tries made, the wait before, dice).  Knows no deadline and no
 * Retry-After: those are policy/retry's.
 */
#ifndef ANK_POLICY_BACKOFF_H
#define ANK_POLICY_BACKOFF_H

#include <stdint.h>

enum {
  BACKOFF_MAX_LIST = 16,
  BACKOFF_TEXT_MAX = 256,
  BACKOFF_LONGEST_MS = 86400000 /* no wait is longer than a day */
};

enum backoff_shape {
  BACKOFF_LIST = 0,    /* these waits, the last one for ever */
  BACKOFF_EXP,         /* base, base * factor, base * factor^2 ... */
  BACKOFF_LINEAR,      /* base, 2 * base, 3 * base ... */
  BACKOFF_CONST,       /* base, base ... */
  BACKOFF_DECORRELATED /* between base and 3 times the wait before */
};

/* What becomes of a wait of W ms. */
enum backoff_jitter {
  BACKOFF_FULL = 0, /* 0 to W */
  BACKOFF_EQUAL,    /* half of W, and 0 to the other half */
  BACKOFF_NONE,     /* W */
  BACKOFF_AROUND,   /* half of W to one and a half of W */
  BACKOFF_NONZERO,  /* 1 to W; 0 stays 0 */
  BACKOFF_JITTERS
};

/* Zeroed: no wait at all. */
struct backoff {
  enum backoff_shape shape;
  enum backoff_jitter jitter; /* DECORRELATED has its own chance */
  int64_t list_ms[BACKOFF_MAX_LIST];
  int n;           /* of LIST */
  int64_t base_ms; /* of all others */
  int64_t max_ms;  /* of a wait before jitter, DECORRELATED's after it */
  int64_t factor;  /* EXP: in thousandths, 1000 or more */
};

/* The wait before the try that follows RETRIES earlier ones; BEFORE_MS was the
 * wait before the last of them (0 with none).  DICE: 64 uniform bits. */
int64_t backoff_wait(const struct backoff *b, uint64_t retries,
                     int64_t before_ms, uint64_t dice);

/* Uniform in [0, max] from 64 uniform bits. */
int64_t backoff_uniform(uint64_t dice, int64_t max);

/* SPEC is one of
 *
 *   JITTER:DUR[,DUR...]                      a list of at most 16
 *   exp:DUR[,xN][,max=DUR][,jitter=JITTER]   N is 2 unless given
 *   linear:DUR[,max=DUR][,jitter=JITTER]
 *   const:DUR[,jitter=JITTER]
 *   decorrelated:DUR[,max=DUR]
 *
 * JITTER is full, equal, none, around or nonzero; where it may be left out it
 * is full.  NULL when it is read; else what is wrong with it, for a person, and
 * *OUT is left alone. */
const char *backoff_parse(const char *spec, struct backoff *out);

/* The shortest SPEC that means the same. */
void backoff_text(const struct backoff *b, char out[BACKOFF_TEXT_MAX]);

#endif
