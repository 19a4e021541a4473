/* SPDX-License-Identifier: MIT
 *
 * t_budget - policy/budget as commands.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "policy/budget.h"
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

/* What has happened so far. */
struct tale {
  struct budget_policy policy;
  struct budget budget;
  int64_t now_ms;
};

static void tell(struct tale *t, const char *name, const char *value)
{
  if (strcmp(name, "spec") == 0 && budget_policy_parse(value, &t->policy))
    return;
  if (strcmp(name, "now") == 0)
    t->now_ms = start_ms + whole(value);
  else if (strcmp(name, "failures") == 0)
    t->budget = budget_step(&t->policy, &t->budget, whole(value), 0, t->now_ms);
  else if (strcmp(name, "successes") == 0)
    t->budget = budget_step(&t->policy, &t->budget, 0, whole(value), t->now_ms);
  else
    bad_line();
}

/* "spec=N,RATIO now=MS failures=N successes=N ...": tokens, may it retry? */
static void budget_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct tale t = {{10000, 100}, {0, 0, 0}, start_ms};
  struct buf name = {0};
  struct buf value = {0};
  char tokens[CODEC_THOUSANDTHS_MAX];
  while (setting(&rest, &name, &value))
    tell(&t, buf_str(&name), buf_str(&value));
  codec_thousandths_text(budget_left(&t.budget, t.policy.max, t.now_ms),
                         tokens);
  say(out, "%s %s", tokens,
      budget_allows(&t.policy, &t.budget, t.now_ms) ? "retry" : "no retry");
  buf_release(&name);
  buf_release(&value);
}

static void spec_line(const struct buf *in, struct buf *out)
{
  struct budget_policy p;
  char max[CODEC_THOUSANDTHS_MAX], ratio[CODEC_THOUSANDTHS_MAX];
  if (!budget_policy_parse(buf_str(in), &p)) {
    say(out, "no");
    return;
  }
  if (!p.max) {
    say(out, "none");
    return;
  }
  codec_thousandths_text(p.max, max);
  codec_thousandths_text(p.ratio, ratio);
  say(out, "%s tokens, %s a success", max, ratio);
}

const struct command budget_commands[] = {
    {"budget", budget_line, true},
    {"budget-spec", spec_line, false},
    {NULL, NULL, false},
};
