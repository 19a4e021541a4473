/* SPDX-License-Identifier: MIT
 *
 * explain - see explain.h.
 */
#include "flow/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

static void add_limit(struct buf *out, const char *name, int64_t ms)
{
  (void)!(ms ? buf_addf(out, ", %s %" PRId64 " ms", name, ms)
             : buf_addf(out, ", %s none", name));
}

static void say_budget(const struct engine *e)
{
  const struct budget_policy *p = &e->guard.options.budget;
  char max[CODEC_THOUSANDTHS_MAX], ratio[CODEC_THOUSANDTHS_MAX];
  if (!p->max)
    return;
  codec_thousandths_text(p->max, max);
  codec_thousandths_text(p->ratio, ratio);
  log_line(e->explain, "policy: retry budget of %s tokens, a success earns %s",
           max, ratio);
}

static const char *after_words(const struct engine *e, char text[64])
{
  if (e->policy.after == RETRY_AFTER_IGNORED)
    return "ignored";
  (void)snprintf(text, 64, "up to %" PRId64 " ms",
                 e->policy.max_retry_after_ms);
  return text;
}

static void say_policy(const struct engine *e, struct now now)
{
  struct buf limits = {0};
  struct buf retries = {0};
  char waits[BACKOFF_TEXT_MAX], after[64];
  int64_t left = retry_left(e->deadline_mono_ms, now);
  backoff_text(&e->policy.backoff, waits);
  if (e->policy.retries == RETRY_NO_LIMIT)
    (void)!buf_addf(&retries, "retries for %" PRId64 " s",
                    e->policy.elapsed_ms / 1000);
  else
    (void)!buf_addf(&retries, "%" PRIu64 " retries", e->policy.retries);
  log_line(e->explain, "policy: %s, %s, back-off %s, Retry-After %s",
           e->policy_name, buf_str(&retries), waits, after_words(e, after));
  say_budget(e);
  if (left == RETRY_NEVER)
    log_line(e->explain, "policy: no deadline");
  else
    log_line(e->explain, "policy: deadline in %" PRId64 " ms", left);
  add_limit(&limits, "small request", e->timeouts.small_ms);
  add_limit(&limits, "object", e->timeouts.bulk_ms);
  add_limit(&limits, "connecting", e->timeouts.connect_ms);
  add_limit(&limits, "stall", e->timeouts.stall_ms);
  log_line(e->explain, "policy: limits of an attempt: %s",
           limits.len ? buf_str(&limits) + 2 : "");
  buf_release(&limits);
  buf_release(&retries);
}

static void say_breaker(const struct engine *e)
{
  const struct guard *g = &e->guard;
  const struct breaker_policy *p = &g->options.breaker;
  struct buf scope = {0};
  char within[40] = "";
  if (p->within_ms)
    (void)snprintf(within, sizeof within, ",within=%" PRId64 "ms",
                   p->within_ms);
  if (!g->state)
    log_line(e->explain, "breaker: nothing is shared with other runs");
  else if (!guard_scope_name(&scope, &e->site, e->target))
    log_line(e->explain, "breaker: %s in %s", buf_str(&scope),
             g->state->path ? g->state->path : "no file");
  if (g->state && g->options.no_breaker)
    log_line(e->explain, "breaker: not asked");
  else if (g->state)
    log_line(e->explain,
             "breaker: failures=%" PRId64 ",gap=%" PRId64 "ms%s,window=%" PRId64
             "ms,calls=%" PRId64 ",ratio=%g,open=%" PRId64 "ms,max=%" PRId64
             "ms,lease=%" PRId64 "ms",
             p->failures, p->gap_ms, within, p->window_ms, p->calls, p->ratio,
             p->open_ms, p->max_ms, p->lease_ms);
  buf_release(&scope);
}

void explain_run(const struct engine *e, struct now now)
{
  if (!e->explain)
    return;
  say_policy(e, now);
  say_breaker(e);
  if (e->sign && !creds_present(&e->creds))
    log_line(e->explain, "identity: to be asked for; region %s",
             e->site.region ? e->site.region : "none");
  else if (e->sign)
    log_line(e->explain, "identity: %s, from %s; region %s",
             buf_str(&e->creds.key_id), buf_str(&e->creds.source),
             e->site.region ? e->site.region : "none");
  else if (target_is_signed(e->target))
    log_line(e->explain, "identity: the URL's own, it is sent as it is");
  else
    log_line(e->explain, "identity: none, requests are not signed");
}

static void say_lines(const struct log *log, const char *title,
                      const struct buf *text)
{
  if (!text->len)
    return;
  log_line(log, "%s:", title);
  for (const char *p = buf_str(text);; p++) {
    size_t len = strcspn(p, "\n");
    log_line(log, "  %.*s", (int)len, p);
    p += len;
    if (!*p)
      break;
  }
}

void explain_attempt(const struct job *j)
{
  const struct log *log = j->engine->explain;
  struct buf url = {.secret = true};
  if (!log)
    return;
  if (!message_url(&url, &j->request))
    log_line(log, "request: %s %s", message_method(j->request.method),
             buf_str(&url));
  say_lines(log, "canonical request", &j->trace.canonical_request);
  say_lines(log, "string to sign", &j->trace.string_to_sign);
  buf_release(&url);
}
