/* SPDX-License-Identifier: MIT
 *
 * t_breaker - policy/breaker as commands.
 *
 * A line is settings of a breaker, then steps; the answer is what the last
 * step gave.  Moments are ms from a start that is the same for all lines.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "policy/breaker.h"
#include "tool.h"

static const int64_t start_ms = 1700000000000;

static int64_t whole(const char *s)
{
  uint64_t n;
  bool minus = *s == '-';
  if (!codec_u64(s + minus, 0, INT64_MAX, &n))
    bad_line();
  return minus ? -(int64_t)n : (int64_t)n;
}

/* "A,B" */
static void pair(char *s, int64_t *a, int64_t *b)
{
  char *comma = strchr(s, ',');
  if (comma == NULL)
    bad_line();
  *comma = '\0';
  *a = whole(s);
  *b = whole(comma + 1);
}

struct steps {
  struct breaker_policy policy;
  struct breaker_step last; /* its next is the breaker */
  struct breaker_input in;
  int64_t now_ms, times;
  bool asked;
};

static void make_step(struct steps *c, const char *event)
{
  static const char *const names[] = {
      [BREAKER_ASK] = "ask",         [BREAKER_SUCCESS] = "success",
      [BREAKER_FAILURE] = "failure", [BREAKER_THROTTLED] = "throttled",
      [BREAKER_NOTHING] = "nothing", [BREAKER_RENEW] = "renew",
      [BREAKER_CALLS] = "calls",     [BREAKER_RESET] = "reset",
      [BREAKER_TRIP] = "trip",
  };
  size_t i = 0;
  while (i < sizeof names / sizeof *names && strcmp(names[i], event) != 0)
    i++;
  if (i == sizeof names / sizeof *names)
    bad_line();
  c->in.event = (enum breaker_event)i;
  c->asked = i == BREAKER_ASK;
  for (; c->times > 0; c->times--)
    c->last = breaker_step(&c->policy, &c->last.next, &c->in, c->now_ms);
  c->times = 1;
}

static void read_span(char *value, struct span_ms *out)
{
  pair(value, &out->at_ms, &out->length_ms);
  out->at_ms += start_ms;
}

/* True when NAME is a member of the breaker. */
static bool read_breaker(struct breaker *b, const char *name, char *value)
{
  if (strcmp(name, "failures") == 0)
    pair(value, &b->failures, &b->failed_at_ms), b->failed_at_ms += start_ms;
  else if (strcmp(name, "opened") == 0)
    read_span(value, &b->opened), b->open = true;
  else if (strcmp(name, "lease") == 0)
    read_span(value, &b->lease);
  else if (strcmp(name, "holder") == 0)
    b->holder = (uint64_t)whole(value);
  else
    return false;
  return true;
}

static void read_step(struct steps *c, const char *name, char *value)
{
  if (read_breaker(&c->last.next, name, value))
    return;
  if (strcmp(name, "spec") == 0 && breaker_policy_parse(value, &c->policy))
    return;
  if (strcmp(name, "now") == 0)
    c->now_ms = start_ms + whole(value);
  else if (strcmp(name, "who") == 0)
    c->in.who = (uint64_t)whole(value);
  else if (strcmp(name, "length") == 0)
    c->in.length_ms = whole(value);
  else if (strcmp(name, "count") == 0)
    c->in.count = whole(value);
  else if (strcmp(name, "times") == 0)
    c->times = whole(value);
  else if (strcmp(name, "event") == 0)
    make_step(c, value);
  else
    bad_line();
}

static void say_span(struct buf *out, const char *name, const struct span_ms *s)
{
  say(out, " %s=%" PRId64 ",%" PRId64, name, s->at_ms - start_ms, s->length_ms);
}

static void say_breaker(struct buf *out, const struct breaker *b)
{
  int64_t calls = 0, failed = 0;
  for (int i = 0; i < BREAKER_WINDOW_SLOTS; i++) {
    calls += b->window[i].calls;
    failed += b->window[i].failures;
  }
  if (b->failures)
    say(out, " failures=%" PRId64 ",%" PRId64, b->failures,
        b->failed_at_ms - start_ms);
  if (b->open)
    say_span(out, "opened", &b->opened);
  if (b->lease.length_ms)
    say_span(out, "lease", &b->lease);
  if (b->holder)
    say(out, " holder=%" PRIu64, b->holder);
  if (calls)
    say(out, " window=%" PRId64 ",%" PRId64, calls, failed);
}

static void breaker_line(const struct buf *in, struct buf *out)
{
  static const char *const answers[] = {[BREAKER_ADMIT] = "admit",
                                        [BREAKER_PROBE] = "probe",
                                        [BREAKER_REFUSE] = "refuse"};
  const char *rest = buf_str(in);
  struct buf name = {0};
  struct buf value = {0};
  struct steps c = {.policy = breaker_default,
                    .in = {.who = 1},
                    .now_ms = start_ms,
                    .times = 1};
  while (setting(&rest, &name, &value))
    read_step(&c, buf_str(&name), value.data);
  const struct breaker_step *s = &c.last;
  say(out, "%s", breaker_mode_name(breaker_mode_at(&s->next, c.now_ms)));
  say_breaker(out, &s->next);
  if (c.asked)
    say(out, "; %s", answers[s->answer]);
  if (s->answer == BREAKER_REFUSE)
    say(out, " %" PRId64, s->wait_ms);
  if (s->from != s->to)
    say(out, "; %s to %s", breaker_mode_name(s->from),
        breaker_mode_name(s->to));
  if (s->opened)
    say(out, "; opens");
  buf_release(&name);
  buf_release(&value);
}

static void spec_line(const struct buf *in, struct buf *out)
{
  struct breaker_policy p = breaker_default;
  if (!breaker_policy_parse(buf_str(in), &p)) {
    say(out, "no");
    return;
  }
  say(out, "failures=%" PRId64 " gap=%" PRId64, p.failures, p.gap_ms);
  if (p.within_ms)
    say(out, " within=%" PRId64, p.within_ms);
  say(out, " window=%" PRId64, p.window_ms);
  say(out, " calls=%" PRId64 " ratio=%.3f open=%" PRId64, p.calls, p.ratio,
      p.open_ms);
  say(out, " max=%" PRId64 " lease=%" PRId64, p.max_ms, p.lease_ms);
}

const struct command breaker_commands[] = {
    {"breaker", breaker_line, true},
    {"breaker-spec", spec_line, false},
    {NULL, NULL, false},
};
