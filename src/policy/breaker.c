/* SPDX-License-Identifier: MIT
 *
 * breaker - see breaker.h.
 */
#include "policy/breaker.h"

#include <string.h>

#include "base/codec.h"

/* Clocks of one machine's processes agree to less than this. */
enum { CLOCK_SLACK_MS = 1000 };

/* Longest length of a policy: who wants more wants an operator's trip. */
enum { LONGEST_MS = 86400000 };

const struct breaker_policy breaker_default = {
    .failures = 5,
    .gap_ms = 60000,
    .window_ms = 10000,
    .calls = 20,
    .ratio = 0.5,
    .open_ms = 5000,
    .max_ms = 60000,
    .lease_ms = 45000,
};

int64_t span_left_ms(const struct span_ms *s, int64_t wall_ms)
{
  int64_t age = wall_ms - s->at_ms;
  if (age < -CLOCK_SLACK_MS || age >= s->length_ms)
    return 0;
  return age < 0 ? s->length_ms : s->length_ms - age;
}

enum breaker_mode breaker_mode_at(const struct breaker *b, int64_t wall_ms)
{
  if (!b->open)
    return BREAKER_CLOSED;
  return span_left_ms(&b->lease, wall_ms) ? BREAKER_HALF_OPEN : BREAKER_OPEN;
}

/* ---- the window ---- */

static int64_t slot_ms(const struct breaker_policy *p)
{
  int64_t ms = p->window_ms / BREAKER_WINDOW_SLOTS;
  return ms > 0 ? ms : 1;
}

/* Drops the slots that have left the window; the last slot is the present.
 * One that begins a little ahead was written by a clock read later than ours;
 * one far ahead by a clock that has gone back since. */
static void roll(const struct breaker_policy *p, struct breaker *b,
                 int64_t wall_ms)
{
  int64_t slot = slot_ms(p), now = wall_ms - wall_ms % slot;
  int64_t first = now - (BREAKER_WINDOW_SLOTS - 1) * slot;
  int64_t ahead = b->window_at_ms - first;
  if (ahead > 0 && ahead <= (slot > CLOCK_SLACK_MS ? slot : CLOCK_SLACK_MS))
    return;
  int64_t by = ahead > 0 ? -1 : -ahead / slot;
  struct breaker_slot kept[BREAKER_WINDOW_SLOTS] = {{0, 0}};
  for (int64_t i = 0; i < BREAKER_WINDOW_SLOTS; i++)
    if (by >= 0 && by + i < BREAKER_WINDOW_SLOTS)
      kept[i] = b->window[by + i];
  memcpy(b->window, kept, sizeof kept);
  b->window_at_ms = first;
}

static void count(const struct breaker_policy *p, struct breaker *b,
                  int64_t calls, int64_t failures, int64_t wall_ms)
{
  roll(p, b, wall_ms);
  b->window[BREAKER_WINDOW_SLOTS - 1].calls += calls;
  b->window[BREAKER_WINDOW_SLOTS - 1].failures += failures;
}

static bool ratio_reached(const struct breaker_policy *p,
                          const struct breaker *b)
{
  int64_t calls = 0, failures = 0;
  for (int i = 0; i < BREAKER_WINDOW_SLOTS; i++) {
    calls += b->window[i].calls;
    failures += b->window[i].failures;
  }
  return p->calls && calls >= p->calls &&
         (double)failures >= p->ratio * (double)calls;
}

/* ---- transitions ---- */

static void open_for(struct breaker_step *s, int64_t length_ms, int64_t wall_ms)
{
  struct breaker *b = &s->next;
  s->opened = true;
  b->open = true;
  b->opened = (struct span_ms){wall_ms, length_ms};
  b->lease = (struct span_ms){0, 0};
  b->holder = 0;
}

static void close_it(struct breaker *b)
{
  *b = (struct breaker){0};
}

/* A length that a damaged file has lost would stay 0 for ever. */
static int64_t doubled(const struct breaker_policy *p, int64_t ms)
{
  if (ms <= 0)
    return p->open_ms;
  return ms >= p->max_ms / 2 ? p->max_ms : 2 * ms;
}

static bool holds(const struct breaker *b, uint64_t who)
{
  return b->open && who != 0 && b->holder == who;
}

static void ask(const struct breaker_policy *p, struct breaker_step *s,
                uint64_t who, int64_t wall_ms)
{
  struct breaker *b = &s->next;
  int64_t open_left = span_left_ms(&b->opened, wall_ms);
  int64_t lease_left = span_left_ms(&b->lease, wall_ms);
  if (!b->open)
    return;
  if (open_left || lease_left) {
    s->answer = BREAKER_REFUSE;
    s->wait_ms = open_left ? open_left : lease_left;
    return;
  }
  s->answer = BREAKER_PROBE;
  b->lease = (struct span_ms){wall_ms, p->lease_ms};
  b->holder = who;
}

/* Keeps the failures that are young enough, and this one. */
static int64_t note_recent(const struct breaker_policy *p, struct breaker *b,
                           int64_t wall_ms)
{
  int n = 0;
  for (int i = 0; i < BREAKER_MAX_RECENT && b->recent_ms[i]; i++) {
    int64_t age = wall_ms - b->recent_ms[i];
    if (age <= p->within_ms && age >= -CLOCK_SLACK_MS)
      b->recent_ms[n++] = b->recent_ms[i];
  }
  if (n == BREAKER_MAX_RECENT) {
    n--;
    memmove(b->recent_ms, b->recent_ms + 1, (size_t)n * sizeof *b->recent_ms);
  }
  b->recent_ms[n++] = wall_ms;
  for (int i = n; i < BREAKER_MAX_RECENT; i++)
    b->recent_ms[i] = 0;
  return n;
}

static void fail_closed(const struct breaker_policy *p, struct breaker_step *s,
                        int64_t wall_ms)
{
  struct breaker *b = &s->next;
  int64_t gap = wall_ms - b->failed_at_ms;
  bool in_a_row = b->failures && gap <= p->gap_ms && gap >= -CLOCK_SLACK_MS;
  if (p->within_ms)
    b->failures = note_recent(p, b, wall_ms);
  else
    b->failures = in_a_row ? b->failures + 1 : 1;
  b->failed_at_ms = wall_ms;
  count(p, b, 1, 1, wall_ms);
  if (b->failures >= p->failures || ratio_reached(p, b))
    open_for(s, p->open_ms, wall_ms);
}

/* Only the holder of the lease moves what is open. */
static void end_probe(const struct breaker_policy *p, struct breaker_step *s,
                      enum breaker_event event, int64_t wall_ms)
{
  struct breaker *b = &s->next;
  if (event == BREAKER_SUCCESS || event == BREAKER_THROTTLED)
    close_it(b);
  else if (event == BREAKER_FAILURE)
    open_for(s, doubled(p, b->opened.length_ms), wall_ms);
  else {
    b->lease = (struct span_ms){0, 0};
    b->holder = 0;
  }
}

static void result(const struct breaker_policy *p, struct breaker_step *s,
                   const struct breaker_input *in, int64_t wall_ms)
{
  struct breaker *b = &s->next;
  if (holds(b, in->who)) {
    end_probe(p, s, in->event, wall_ms);
  } else if (!b->open && in->event == BREAKER_FAILURE) {
    fail_closed(p, s, wall_ms);
  } else if (!b->open && in->event == BREAKER_SUCCESS) {
    b->failures = 0;
    b->failed_at_ms = 0;
    memset(b->recent_ms, 0, sizeof b->recent_ms);
    count(p, b, 1, 0, wall_ms);
  }
}

struct breaker_step breaker_step(const struct breaker_policy *p,
                                 const struct breaker *b,
                                 const struct breaker_input *in,
                                 int64_t wall_ms)
{
  struct breaker_step s = {.next = *b};
  s.from = breaker_mode_at(b, wall_ms);
  switch (in->event) {
  case BREAKER_ASK:
    ask(p, &s, in->who, wall_ms);
    break;
  case BREAKER_SUCCESS:
  case BREAKER_FAILURE:
  case BREAKER_THROTTLED:
  case BREAKER_NOTHING:
    result(p, &s, in, wall_ms);
    break;
  case BREAKER_RENEW:
    if (holds(b, in->who))
      s.next.lease = (struct span_ms){wall_ms, p->lease_ms};
    break;
  case BREAKER_CALLS:
    if (!b->open)
      count(p, &s.next, in->count, 0, wall_ms);
    break;
  case BREAKER_RESET:
    close_it(&s.next);
    break;
  case BREAKER_TRIP:
    open_for(&s, in->length_ms, wall_ms);
    break;
  }
  s.to = breaker_mode_at(&s.next, wall_ms);
  return s;
}

/* ---- the policy as text ---- */

static bool ratio(const char *s, double *out)
{
  uint64_t n;
  size_t len = strlen(s);
  /* "0.5", "0.25", "1": thousandths are enough, and no locale is asked. */
  if (strcmp(s, "1") == 0 || strcmp(s, "1.0") == 0)
    return *out = 1.0, true;
  if (len < 3 || len > 5 || s[0] != '0' || s[1] != '.' ||
      !codec_u64(s + 2, 1, 999, &n))
    return false;
  *out = (double)n / (len == 3 ? 10.0 : len == 4 ? 100.0 : 1000.0);
  return true;
}

static bool any_number(const char *s, int64_t *out)
{
  uint64_t n;
  if (!codec_u64(s, 0, 1000000, &n))
    return false;
  *out = (int64_t)n;
  return true;
}

static bool number(const char *s, int64_t *out)
{
  return strspn(s, "0") < strlen(s) && any_number(s, out);
}

static bool duration(const char *s, int64_t *out)
{
  int64_t ms;
  if (!codec_duration_ms(s, &ms) || ms <= 0 || ms > LONGEST_MS)
    return false;
  *out = ms;
  return true;
}

static bool set(struct breaker_policy *p, const char *name, const char *value)
{
  const struct {
    const char *name;
    bool (*parse)(const char *, int64_t *);
    int64_t *to;
  } members[] = {
      {"failures", number, &p->failures},  {"gap", duration, &p->gap_ms},
      {"within", duration, &p->within_ms}, {"window", duration, &p->window_ms},
      {"calls", any_number, &p->calls},    {"open", duration, &p->open_ms},
      {"max", duration, &p->max_ms},       {"lease", duration, &p->lease_ms},
  };
  if (strcmp(name, "ratio") == 0)
    return ratio(value, &p->ratio);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (strcmp(name, members[i].name) == 0)
      return members[i].parse(value, members[i].to);
  return false;
}

static bool set_member(struct breaker_policy *p, const char *s, size_t len)
{
  char text[48];
  if (len == 0 || len >= sizeof text)
    return false;
  memcpy(text, s, len);
  text[len] = '\0';
  char *eq = strchr(text, '=');
  if (!eq)
    return false;
  *eq = '\0';
  return set(p, text, eq + 1);
}

bool breaker_policy_parse(const char *spec, struct breaker_policy *out)
{
  struct breaker_policy p = *out;
  for (const char *s = spec;;) {
    size_t len = strcspn(s, ",");
    if (!set_member(&p, s, len))
      return false;
    if (!s[len])
      break;
    s += len + 1;
  }
  if (p.max_ms < p.open_ms || (p.within_ms && p.failures > BREAKER_MAX_RECENT))
    return false;
  *out = p;
  return true;
}

const char *breaker_mode_name(enum breaker_mode mode)
{
  static const char *const names[] = {
      [BREAKER_CLOSED] = "closed",
      [BREAKER_OPEN] = "open",
      [BREAKER_HALF_OPEN] = "half_open",
  };
  return names[mode];
}
