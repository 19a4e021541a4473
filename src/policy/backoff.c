/* SPDX-License-Identifier: MIT
 *
 * backoff - see backoff.h.
 */
#include "policy/backoff.h"

enum { DECORRELATED_GROWTH = 3, THOUSAND = 1000 };

int64_t backoff_uniform(uint64_t dice, int64_t max)
{
  if (max <= 0)
    return 0;
  return (int64_t)((unsigned __int128)dice * ((uint64_t)max + 1) >> 64);
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t listed(const struct backoff *b, uint64_t retries)
{
  if (b->n <= 0)
    return 0;
  uint64_t last = (uint64_t)b->n - 1;
  return b->list_ms[retries < last ? retries : last];
}

/* In microseconds: a small factor must move a small wait. */
static int64_t grown(const struct backoff *b, uint64_t retries)
{
  const int64_t most_us = b->max_ms * THOUSAND;
  int64_t us = b->base_ms * THOUSAND;
  for (uint64_t i = 0; i < retries && us < most_us; i++) {
    int64_t next =
        us / THOUSAND * b->factor + us % THOUSAND * b->factor / THOUSAND;
    if (next <= us)
      break;
    us = next;
  }
  return least(us, most_us) / THOUSAND;
}

static int64_t lengthened(const struct backoff *b, uint64_t retries)
{
  if (b->base_ms == 0)
    return 0;
  uint64_t most = (uint64_t)(b->max_ms / b->base_ms);
  return retries >= most ? b->max_ms : b->base_ms * ((int64_t)retries + 1);
}

/* Its memory is the wait before; the first one follows a wait of BASE. */
static int64_t wandered(const struct backoff *b, int64_t before_ms,
                        uint64_t dice)
{
  int64_t before = before_ms > b->base_ms ? before_ms : b->base_ms;
  int64_t high = least(before, BACKOFF_LONGEST_MS) * DECORRELATED_GROWTH;
  return least(b->base_ms + backoff_uniform(dice, high - b->base_ms),
               b->max_ms);
}

static int64_t jittered(enum backoff_jitter jitter, int64_t ms, uint64_t dice)
{
  switch (jitter) {
  case BACKOFF_FULL:
    return backoff_uniform(dice, ms);
  case BACKOFF_EQUAL:
    return ms / 2 + backoff_uniform(dice, ms - ms / 2);
  case BACKOFF_NONE:
    return ms;
  case BACKOFF_AROUND:
    return ms - ms / 2 + backoff_uniform(dice, ms / 2 * 2);
  case BACKOFF_NONZERO:
    return ms > 0 ? 1 + backoff_uniform(dice, ms - 1) : 0;
  case BACKOFF_JITTERS:
    break;
  }
  return ms;
}

int64_t backoff_wait(const struct backoff *b, uint64_t retries,
                     int64_t before_ms, uint64_t dice)
{
  switch (b->shape) {
  case BACKOFF_LIST:
    return jittered(b->jitter, listed(b, retries), dice);
  case BACKOFF_EXP:
    return jittered(b->jitter, grown(b, retries), dice);
  case BACKOFF_LINEAR:
    return jittered(b->jitter, lengthened(b, retries), dice);
  case BACKOFF_CONST:
    return jittered(b->jitter, b->base_ms, dice);
  case BACKOFF_DECORRELATED:
    return wandered(b, before_ms, dice);
  }
  return 0;
}
