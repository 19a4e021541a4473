/* SPDX-License-Identifier: MIT
 *
 * budget - see budget.h.
 */
#include "policy/budget.h"

#include <string.h>

#include "base/codec.h"

enum {
  TOKEN = 1000,
  MOST_TOKENS = 1000,
  USUAL_RATIO = 100,
  FORGET_MS = 60000,
  CLOCK_SLACK_MS = 1000
};

static int64_t spent_at(const struct budget *b, int64_t max, int64_t wall_ms)
{
  int64_t age = wall_ms - b->at_ms;
  if (age >= FORGET_MS || age < -CLOCK_SLACK_MS || b->spent < 0)
    return 0;
  return b->spent < max ? b->spent : max;
}

int64_t budget_left(const struct budget *b, int64_t max, int64_t wall_ms)
{
  return max - spent_at(b, max, wall_ms);
}

struct budget budget_step(const struct budget_policy *p, const struct budget *b,
                          int64_t failures, int64_t successes, int64_t wall_ms)
{
  int64_t spent = spent_at(b, p->max, wall_ms);
  int64_t earned =
      successes > p->max / p->ratio ? p->max : successes * p->ratio;
  int64_t cost = failures > p->max / TOKEN ? p->max : failures * TOKEN;
  spent = spent > earned ? spent - earned : 0;
  spent = spent + cost < p->max ? spent + cost : p->max;
  return (struct budget){spent, p->max, wall_ms};
}

bool budget_allows(const struct budget_policy *p, const struct budget *b,
                   int64_t wall_ms)
{
  return p->max == 0 || 2 * budget_left(b, p->max, wall_ms) > p->max;
}

bool budget_policy_parse(const char *spec, struct budget_policy *out)
{
  size_t len = strcspn(spec, ",");
  int64_t ratio = USUAL_RATIO;
  uint64_t tokens;
  if (*spec && !spec[strspn(spec, "0")]) {
    *out = (struct budget_policy){0, 0};
    return true;
  }
  if (!codec_u64_n(spec, len, 1, MOST_TOKENS, &tokens))
    return false;
  int64_t max = (int64_t)tokens * TOKEN;
  if (spec[len] &&
      (!codec_thousandths(spec + len + 1, &ratio) || ratio < 1 || ratio > max))
    return false;
  *out = (struct budget_policy){max, ratio};
  return true;
}
