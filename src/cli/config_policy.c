/* SPDX-License-Identifier: MIT
 *
 * config_policy - see config_policy.h.
 */
#include "cli/config_policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "policy/preset.h"

static const struct preset *preset(const struct opt *o)
{
  return preset_find(opt_text(o, OPT_POLICY));
}

/* The option's own word, else the policy's; NULL = neither has one. */
static const char *said(const struct opt *o, enum opt_id id,
                        const char *by_policy)
{
  return opt_given(o, id) ? opt_text(o, id) : by_policy;
}

static bool flag(const struct opt *o, enum opt_id id, bool by_policy)
{
  return opt_given(o, id) ? opt_flag(o, id) : by_policy;
}

/* ---- retries ---- */

static enum err make_retries(struct retry_policy *r, const struct opt *o,
                             const struct preset *p, struct error *e)
{
  r->retries = p->retries;
  if (!opt_given(o, OPT_RETRIES))
    return ERR_OK;
  (void)codec_u64(opt_text(o, OPT_RETRIES), 0, INT64_MAX, &r->retries);
  if (r->retries <= p->most_retries)
    return ERR_OK;
  return err_set(
      e, ERR_USAGE,
      "%s: '%.40s' is more than the policy %s has, which is %" PRIu64,
      opt_source(o, OPT_RETRIES), opt_text(o, OPT_RETRIES), p->name,
      p->most_retries);
}

/* FROM without what is in BUT. */
static void leave_out(struct status_set *from, const struct status_set *but)
{
  for (size_t i = 0; i < sizeof from->bits; i++)
    from->bits[i] &= (unsigned char)~but->bits[i];
  from->xports &= ~but->xports;
}

static void put_in(struct status_set *to, const struct status_set *more)
{
  for (size_t i = 0; i < sizeof to->bits; i++)
    to->bits[i] |= more->bits[i];
  to->xports |= more->xports;
}

static struct status_set list_of(const char *text)
{
  struct status_set set = {.xports = 0};
  if (text)
    (void)status_set_parse(text, &set);
  return set;
}

/* What an option names goes by that option, all else by the policy. */
static void make_lists(struct config *c, const struct opt *o,
                       const struct preset *p)
{
  struct status_set more = list_of(said(o, OPT_RETRY_ON, NULL));
  struct status_set less = list_of(said(o, OPT_NO_RETRY_ON, NULL));
  c->more = list_of(p->retry_on);
  c->less = list_of(p->no_retry_on);
  c->less.xports |= p->no_retry_xports;
  leave_out(&c->more, &less);
  leave_out(&c->less, &more);
  put_in(&c->more, &more);
  put_in(&c->less, &less);
}

/* ---- what runs share ---- */

static enum err make_breaker(struct config *c, const struct opt *o,
                             const struct preset *p, struct error *e)
{
  struct breaker_policy *b = &c->guard.breaker;
  *b = breaker_default;
  if (p->breaker)
    (void)breaker_policy_parse(p->breaker, b);
  if (!opt_given(o, OPT_BREAKER) ||
      breaker_policy_parse(opt_text(o, OPT_BREAKER), b))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: '%.80s' does not fit the policy %s (%s)",
                 opt_source(o, OPT_BREAKER), opt_text(o, OPT_BREAKER), p->name,
                 p->breaker ? p->breaker : "");
}

static enum err make_guard(struct config *c, const struct opt *o,
                           const struct preset *p, struct error *e)
{
  const char *budget = said(o, OPT_RETRY_BUDGET, p->retry_budget);
  /* Who says how a breaker opens wants one. */
  bool none = p->no_breaker && !opt_given(o, OPT_BREAKER);
  c->guard = (struct guard_options){
      .no_breaker = flag(o, OPT_NO_BREAKER, none),
      .no_share = flag(o, OPT_NO_SHARE_THROTTLE, p->no_share_throttle),
      .read_marks = p->read_marks && !opt_flag(o, OPT_NO_BREAKER),
      .max_hold_ms = c->policy.max_retry_after_ms,
  };
  if (budget)
    (void)budget_policy_parse(budget, &c->guard.budget);
  return make_breaker(c, o, p, e);
}

enum err config_policy(struct config *c, const struct opt *o, struct error *e)
{
  const struct preset *p = preset(o);
  c->policy_name = p->name;
  c->policy =
      (struct retry_policy){.after = p->after, .elapsed_ms = p->elapsed_ms};
  (void)codec_duration_ms(opt_text(o, OPT_MAX_RETRY_AFTER),
                          &c->policy.max_retry_after_ms);
  (void)backoff_parse(said(o, OPT_BACKOFF, p->backoff), &c->policy.backoff);
  make_lists(c, o, p);
  enum err err = make_retries(&c->policy, o, p, e);
  return err ? err : make_guard(c, o, p, e);
}

/* ---- --show-config ---- */

static void add(struct opt_setting *out, int *n, const char *name,
                const char *value, const char *from)
{
  if (value)
    out[(*n)++] = (struct opt_setting){name, value, from};
}

int config_policy_settings(const struct opt *o, char from[80],
                           struct opt_setting out[CONFIG_POLICY_SETTINGS])
{
  const struct preset *p = preset(o);
  bool breaker = p->no_breaker && !opt_given(o, OPT_BREAKER);
  int n = 0;
  if (p == presets)
    return 0;
  (void)snprintf(from, 80, "policy %s", p->name);
  add(out, &n, "retries", p->retries == RETRY_NO_LIMIT ? "" : "2", from);
  add(out, &n, "backoff", p->backoff, from);
  add(out, &n, "retry-on", p->retry_on, from);
  add(out, &n, "no-retry-on", p->no_retry_on, from);
  add(out, &n, "retry-budget", p->retry_budget, from);
  add(out, &n, "breaker", p->breaker, from);
  add(out, &n, "no-breaker", breaker ? "1" : NULL, from);
  add(out, &n, "no-share-throttle", p->no_share_throttle ? "1" : NULL, from);
  return n;
}
