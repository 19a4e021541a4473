/* SPDX-License-Identifier: MIT
 *
 * retry - see retry.h.
 */
#include "policy/retry.h"

#include <string.h>

#include "base/codec.h"

/* Far beyond any deadline, and safe to add to a clock reading. */
#define LONGEST_MS (INT64_MAX / 4)

static const struct {
  const char *name;
  bool in_ms;
} after_headers[] = {
    {"retry-after", false},
    {"x-ms-retry-after-ms", true},
    {"retry-after-ms", true},
    {"x-amz-retry-after", true},
};

/* Digits only; more than the clock can hold is the largest value. */
static int64_t whole_number(const char *s, int64_t scale)
{
  uint64_t n;
  if (!*s || s[strspn(s, "0123456789")])
    return -1;
  if (!codec_u64(s, 0, (uint64_t)(LONGEST_MS / scale), &n))
    return LONGEST_MS;
  return (int64_t)n * scale;
}

int64_t retry_after_ms(const char *value, int64_t wall_ms)
{
  int64_t at_s, ms = whole_number(value, 1000);
  if (ms >= 0)
    return ms;
  if (!date_parse_http(value, wall_ms, &at_s))
    return -1;
  ms = at_s * 1000 - wall_ms;
  return ms > 0 ? ms : 0;
}

/* A date is meant on the server's clock, which its Date header shows. */
static int64_t server_wall(const struct kv *headers, int64_t wall_ms)
{
  const char *date = kv_get(headers, "date");
  int64_t s;
  if (date && date_parse_http(date, wall_ms, &s))
    return s * 1000;
  return wall_ms;
}

bool retry_after_counts(const struct retry_policy *p, int status)
{
  switch (p->after) {
  case RETRY_AFTER_LEAST:
    return status == 429 || status == 503;
  case RETRY_AFTER_REPLACES:
    return status == 429;
  case RETRY_AFTER_IGNORED:
    break;
  }
  return false;
}

struct retry_after retry_after_read(const struct kv *headers, int64_t wall_ms)
{
  struct retry_after r = {.ms = -1};
  int64_t wall = server_wall(headers, wall_ms);
  for (size_t h = 0; h < sizeof after_headers / sizeof *after_headers; h++) {
    const char *name = after_headers[h].name;
    for (size_t i = kv_find(headers, name, 0); i < headers->n;
         i = kv_find(headers, name, i + 1)) {
      const char *value = headers->pairs[i].value;
      int64_t ms = after_headers[h].in_ms ? whole_number(value, 1)
                                          : retry_after_ms(value, wall);
      if (ms < 0)
        r.invalid = true;
      if (ms > r.ms) {
        r.ms = ms;
        r.from = name;
      }
    }
  }
  return r;
}

int64_t retry_left(int64_t mono_ms, struct now now)
{
  if (mono_ms == RETRY_NEVER)
    return RETRY_NEVER;
  return mono_ms > now.mono_ms ? mono_ms - now.mono_ms : 0;
}

static int64_t whole_seconds_up(int64_t ms)
{
  return ms / 1000 + (ms % 1000 != 0);
}

static struct retry_step stop(enum retry_why why, int64_t retry_after)
{
  struct retry_step step = {.why = why, .throttled = retry_after >= 0};
  if (step.throttled)
    step.throttled_s = whole_seconds_up(retry_after);
  return step;
}

/* Retry-After is kept whole; the jitter gives way so that a second, or half of
 * what is left after Retry-After, remains for the attempt itself. */
static struct retry_step wait_told(int64_t after, int64_t jitter, int64_t left)
{
  if (left == RETRY_NEVER)
    return (struct retry_step){.wait_ms = after + jitter};
  int64_t rest = left - after;
  int64_t half = rest - rest / 2;
  int64_t reserve = half < 1000 ? half : 1000;
  if (jitter > rest - reserve)
    jitter = rest - reserve;
  return (struct retry_step){.wait_ms = after + jitter};
}

/* A policy that stops by time makes one retry in any case. */
static bool too_late(const struct retry_policy *p, const struct retry_state *s,
                     int64_t wait_ms, struct now now)
{
  return p->elapsed_ms && s->retries &&
         wait_ms > p->elapsed_ms - (now.mono_ms - s->began_mono_ms);
}

static struct retry_step next(const struct retry_policy *p,
                              const struct retry_state *s,
                              const struct retry_ask *ask, int64_t left,
                              int64_t backoff)
{
  int64_t after = ask->retry_after_ms;
  if (!ask->retried)
    return stop(RETRY_PERMANENT, after);
  if (s->retries >= p->retries)
    return stop(RETRY_SPENT, after);
  if (after >= 0) {
    if (after > p->max_retry_after_ms || after >= left)
      return stop(RETRY_COME_BACK, after);
    if (after < ask->min_wait_ms)
      after = ask->min_wait_ms;
    if (p->after == RETRY_AFTER_REPLACES)
      backoff = 0;
    return after < left ? wait_told(after, backoff, left)
                        : stop(RETRY_NO_TIME, ask->retry_after_ms);
  }
  if (backoff < ask->min_wait_ms)
    backoff = ask->min_wait_ms;
  if (backoff >= left)
    return stop(RETRY_NO_TIME, -1);
  return (struct retry_step){.wait_ms = backoff};
}

struct retry_step retry_next(const struct retry_policy *p,
                             const struct retry_state *s,
                             const struct retry_ask *ask,
                             int64_t deadline_mono_ms, struct now now,
                             uint64_t dice)
{
  int64_t left = retry_left(deadline_mono_ms, now);
  int64_t backoff = backoff_wait(&p->backoff, s->retries, s->wait_ms, dice);
  struct retry_step step = next(p, s, ask, left, backoff);
  step.backoff_ms = backoff;
  if (step.why == RETRY_GO && too_late(p, s, step.wait_ms, now))
    return stop(RETRY_ELAPSED, ask->retry_after_ms);
  return step;
}

struct retry_step retry_suppress(const struct retry_ask *ask)
{
  return stop(RETRY_BUDGET, ask->retry_after_ms);
}

void retry_follow(struct retry_state *s, const struct retry_step *step)
{
  s->retries++;
  s->wait_ms = step->backoff_ms;
}

const char *retry_why_name(enum retry_why why)
{
  static const char *const names[] = {
      [RETRY_GO] = "retry",
      [RETRY_PERMANENT] = "permanent",
      [RETRY_SPENT] = "retries_spent",
      [RETRY_ELAPSED] = "time_spent",
      [RETRY_NO_TIME] = "wait_does_not_fit",
      [RETRY_COME_BACK] = "retry_after_does_not_fit",
      [RETRY_BUDGET] = "budget",
  };
  return names[why];
}
