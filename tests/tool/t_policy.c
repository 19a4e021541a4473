/* SPDX-License-Identifier: MIT
 *
 * t_policy - policy/verdict and policy/retry as commands.
 *
 * Lines are settings, NAME=VALUE; what a line does not set has the default
 * that the programs have.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "policy/retry.h"
#include "policy/verdict.h"
#include "tool.h"

static const int64_t now_mono_ms = 1000000;

/* A number of ms; "-1" and "never" are themselves. */
static int64_t number(const char *s)
{
  uint64_t value;
  if (strcmp(s, "-1") == 0)
    return -1;
  if (strcmp(s, "never") == 0)
    return RETRY_NEVER;
  if (!codec_u64(s, 0, INT64_MAX, &value))
    bad_line();
  return (int64_t)value;
}

static uint64_t dice(const char *s)
{
  uint64_t value;
  if (strcmp(s, "max") == 0)
    return UINT64_MAX;
  if (strcmp(s, "half") == 0)
    return UINT64_C(1) << 63;
  if (!codec_u64(s, 0, UINT64_MAX, &value))
    bad_line();
  return value;
}

/* "200,1000,5000" or "none" */
static void read_caps(struct backoff *b, char *s)
{
  char *save = NULL;
  *b = (struct backoff){.n = 0};
  if (strcmp(s, "none") == 0)
    return;
  for (char *w = strtok_r(s, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
    if (b->n == BACKOFF_MAX_LIST)
      bad_line();
    b->list_ms[b->n++] = number(w);
  }
}

/* All that retry_next is given. */
struct retry_case {
  struct retry_policy policy;
  struct retry_state state;
  struct retry_ask ask;
  int64_t deadline_mono_ms;
  uint64_t dice;
};

static enum retry_after_use use(const char *s)
{
  return strcmp(s, "replaces") == 0  ? RETRY_AFTER_REPLACES
         : strcmp(s, "ignored") == 0 ? RETRY_AFTER_IGNORED
                                     : RETRY_AFTER_LEAST;
}

static void read_retry(struct retry_case *c, const char *name, char *value)
{
  if (strcmp(name, "retries") == 0)
    c->policy.retries = dice(value);
  else if (strcmp(name, "caps") == 0)
    read_caps(&c->policy.backoff, value);
  else if (strcmp(name, "backoff") == 0 &&
           backoff_parse(value, &c->policy.backoff) == NULL)
    return;
  else if (strcmp(name, "use") == 0)
    c->policy.after = use(value);
  else if (strcmp(name, "elapsed") == 0)
    c->policy.elapsed_ms = number(value);
  else if (strcmp(name, "since") == 0)
    c->state.began_mono_ms = now_mono_ms - number(value);
  else if (strcmp(name, "most") == 0)
    c->policy.max_retry_after_ms = number(value);
  else if (strcmp(name, "made") == 0)
    c->state.retries = dice(value);
  else if (strcmp(name, "waited") == 0)
    c->state.wait_ms = number(value);
  else if (strcmp(name, "after") == 0)
    c->ask.retry_after_ms = number(value);
  else if (strcmp(name, "least") == 0)
    c->ask.min_wait_ms = number(value);
  else if (strcmp(name, "retried") == 0)
    c->ask.retried = strcmp(value, "yes") == 0;
  else if (strcmp(name, "left") == 0)
    c->deadline_mono_ms = now_mono_ms + number(value);
  else if (strcmp(name, "overdue") == 0)
    c->deadline_mono_ms = now_mono_ms - number(value);
  else if (strcmp(name, "dice") == 0)
    c->dice = dice(value);
  else
    bad_line();
}

static void retry_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct now now = {.mono_ms = now_mono_ms};
  struct retry_case c = {
      .policy = {.retries = 2,
                 .backoff = {.list_ms = {200, 1000, 5000}, .n = 3},
                 .max_retry_after_ms = 300000},
      .ask = {.retried = true, .retry_after_ms = -1},
      .deadline_mono_ms = RETRY_NEVER,
      .dice = UINT64_MAX,
  };
  struct buf name = {0};
  struct buf value = {0};
  while (setting(&rest, &name, &value))
    read_retry(&c, buf_str(&name), value.data);
  struct retry_step step =
      retry_next(&c.policy, &c.state, &c.ask, c.deadline_mono_ms, now, c.dice);
  if (step.why == RETRY_GO)
    say(out, "wait %" PRId64, step.wait_ms);
  else
    say(out, "%s", retry_why_name(step.why));
  if (step.throttled)
    say(out, ", throttled for %" PRId64 " s", step.throttled_s);
  buf_release(&name);
  buf_release(&value);
}

/* "DICE MAX" */
static void uniform_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  field(&rest, &part, false);
  uint64_t d = dice(buf_str(&part));
  field(&rest, &part, false);
  say(out, "%" PRId64, backoff_uniform(d, number(buf_str(&part))));
  buf_release(&part);
}

/* "[@NOW ]NAME: VALUE\nNAME: VALUE..." */
static void retry_after_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  int64_t now_ms = take_now(&rest);
  struct buf text = {0};
  struct kv headers = {0};
  unescape(&text, rest, strlen(rest));
  read_headers(&headers, buf_str(&text));
  struct retry_after r = retry_after_read(&headers, now_ms);
  if (r.ms >= 0)
    say(out, "%" PRId64 " ms from %s", r.ms, r.from ? r.from : "nothing");
  else
    say(out, "none%s", r.from ? " but named" : "");
  say(out, "%s", r.invalid ? ", invalid" : "");
  kv_release(&headers);
  buf_release(&text);
}

static enum xport find_xport(const char *name)
{
  for (int i = 0; i < XPORT_COUNT; i++)
    if (strcmp(xport_name((enum xport)i), name) == 0)
      return (enum xport)i;
  bad_line();
}

static enum code_class find_class(const char *name)
{
  static const char *const names[] = {
      [CODE_NONE] = "none",
      [CODE_THROTTLE] = "throttle",
      [CODE_TRANSIENT] = "transient",
      [CODE_CONFLICT] = "conflict",
      [CODE_BAD_DIGEST] = "bad_digest",
      [CODE_REAUTH] = "reauth",
      [CODE_RECLOCK] = "reclock",
      [CODE_REDIRECT] = "redirect",
      [CODE_CHECKSUM] = "checksum",
      [CODE_EXPECT] = "expect",
      [CODE_EXISTS] = "exists",
      [CODE_RESTART] = "restart",
      [CODE_REJECTED] = "rejected",
      [CODE_DENIED] = "denied",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0)
      return (enum code_class)i;
  bad_line();
}

void say_judgement(struct buf *out, const struct outcome *o,
                   const struct status_set *more, const struct status_set *less)
{
  static const char *const tallies[] = {
      [TALLY_NOTHING] = "nothing",
      [TALLY_SUCCESS] = "success",
      [TALLY_FAILURE] = "failure",
  };
  struct judgement j = verdict_of(o, more, less);
  const char *then = j.retried                      ? "retried"
                     : verdict_is_repair(j.verdict) ? "repair"
                                                    : "returned";
  say(out, "%s %s %s %s", verdict_name(j.verdict), then, tallies[j.tally],
      err_name(verdict_end(j.verdict, o)));
}

/* "xport=NAME http=N code=CLASS after=yes more=LIST less=LIST" */
static void verdict_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct outcome o = {0};
  struct status_set more = {.xports = 0};
  struct status_set less = {.xports = 0};
  struct buf name = {0};
  struct buf value = {0};
  while (setting(&rest, &name, &value)) {
    const char *n = buf_str(&name);
    const char *v = buf_str(&value);
    if (strcmp(n, "xport") == 0)
      o.xport = find_xport(v);
    else if (strcmp(n, "http") == 0)
      o.http = (int)number(v);
    else if (strcmp(n, "code") == 0)
      o.code = find_class(v);
    else if (strcmp(n, "after") == 0)
      o.retry_after = strcmp(v, "yes") == 0;
    else if (!status_set_parse(v, strcmp(n, "more") == 0 ? &more : &less))
      bad_line();
  }
  say_judgement(out, &o, &more, &less);
  buf_release(&name);
  buf_release(&value);
}

/* The statuses of a list, runs as FROM-TO. */
static void status_set_line(const struct buf *in, struct buf *out)
{
  struct status_set set = {.xports = 0};
  if (!status_set_parse(buf_str(in), &set)) {
    say(out, "no");
    return;
  }
  for (int from = 0; from <= 700; from++) {
    int to = from;
    if (!status_set_has(&set, from))
      continue;
    while (status_set_has(&set, to + 1))
      to++;
    say(out, "%d", from);
    if (to > from)
      say(out, "-%d", to);
    say(out, " ");
    from = to;
  }
  say(out, "%s", set.xports ? "transport" : "");
}

const struct command policy_commands[] = {
    {"retry", retry_line, true},
    {"uniform", uniform_line, true},
    {"retry-after", retry_after_line, true},
    {"verdict", verdict_line, true},
    {"status-set", status_set_line, false},
    {NULL, NULL, false},
};
