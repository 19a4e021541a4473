/* SPDX-License-Identifier: MIT
 *
 * guard_change - see guard_change.h.
 */
#include "flow/guard_change.h"

#include <string.h>

#include "policy/retry.h"

/* How long the lock is waited for: the rules' two seconds, the deadline before
 * that; but what a run ends with must be told when its time is up, too. */
enum { LOCK_MOST_MS = 2000, LOCK_LEAST_MS = 200 };

struct breaker_step guard_step(const struct guard *g, const struct breaker *b,
                               enum breaker_event event, uint64_t who,
                               int64_t wall_ms)
{
  struct breaker_input in = {.event = event, .who = who};
  return breaker_step(&g->options.breaker, b, &in, wall_ms);
}

/* ---- the file's faults ---- */

void guard_tell_fault(struct guard *g, struct now now)
{
  struct state *s = g->state;
  if (!s->warning_due)
    return;
  s->warning_due = false;
  g->absent_due = s->absent;
  if (s->absent)
    report_note(g->report, now.wall_ms, s->why, s->path);
  else
    report_warning(g->report, now.wall_ms, s->why, s->path, s->text);
}

/* That there is no folder for it is of interest to nobody whose transfers go
 * well. */
void guard_tell_absent(struct guard *g)
{
  const struct state *s = g->state;
  if (g->absent_due && !report_on_stderr(g->report))
    log_warning(g->report->log, "%s: %s", s->path, s->text);
  g->absent_due = false;
}

/* ---- one change ---- */

static void add_counters(struct scope_counters *to,
                         const struct scope_counters *c)
{
#define ADD(name) to->name += c->name;
  SCOPE_COUNTERS(ADD)
#undef ADD
}

void guard_count_retry(struct scope_counters *c, const struct guard_news *news,
                       bool suppressed)
{
  enum verdict retried = suppressed ? VERDICT_OK : news->retried;
  c->suppressed += suppressed;
  c->retries_transient += retried == VERDICT_TRANSIENT;
  c->retries_throttled += retried == VERDICT_THROTTLED;
  c->retries_local += retried == VERDICT_LOCAL;
  c->retries_integrity += retried == VERDICT_INTEGRITY;
}

/* A failed attempt, and the successes that were added up with this one. */
static void spend(struct guard_change *c, struct scope *scope, int64_t wall_ms)
{
  const struct budget_policy *p = &c->g->options.budget;
  const struct guard_news *news = c->news;
  struct guard_scope *ours = c->ticket->scope;
  int64_t earned = ours->successes + (news && news->event == BREAKER_SUCCESS);
  int64_t failed = news && news->failed;
  if (p->max && (earned || failed))
    scope->budget = budget_step(p, &scope->budget, failed, earned, wall_ms);
  if (news)
    guard_count_retry(&ours->counters, news,
                      news->retried != VERDICT_OK &&
                          !budget_allows(p, &scope->budget, wall_ms));
}

/* The longer one stays. */
static void hold(struct guard_change *c, struct scope *scope, int64_t wall_ms)
{
  int64_t ms = c->news->hold_ms, most = c->g->options.max_hold_ms;
  int64_t length = ms < most ? ms : most;
  if (length <= span_left_ms(&scope->hold, wall_ms))
    return;
  scope->hold = (struct span_ms){wall_ms, length};
  c->hold_at_ms = wall_ms;
}

/* One that is over is forgotten, or a clock that is set back would revive it.
 * Who does not take part ends none either: its success says little of the
 * pause that the others keep. */
static void keep_hold(struct guard_change *c, struct scope *scope,
                      int64_t wall_ms)
{
  if (c->ticket->scope->success_sent_ms > scope->hold.at_ms ||
      span_left_ms(&scope->hold, wall_ms) == 0)
    scope->hold = (struct span_ms){0, 0};
  if (c->news && c->news->hold_ms >= 0)
    hold(c, scope, wall_ms);
}

static void apply(void *ctx, struct scope *scope, int64_t wall_ms)
{
  struct guard_change *c = ctx;
  const struct guard *g = c->g;
  struct guard_scope *ours = c->ticket->scope;
  struct breaker_input calls = {.event = BREAKER_CALLS,
                                .count = ours->successes};
  if (!g->options.no_breaker) {
    if (ours->successes)
      scope->breaker =
          breaker_step(&g->options.breaker, &scope->breaker, &calls, wall_ms)
              .next;
    c->step = guard_step(g, &scope->breaker, c->event, c->who, wall_ms);
    scope->breaker = c->step.next;
    scope->counters.opened += c->step.opened;
  }
  spend(c, scope, wall_ms);
  add_counters(&scope->counters, &ours->counters);
  if (ours->success_sent_ms > scope->success_at_ms ||
      (ours->success_sent_ms && scope->success_at_ms > wall_ms))
    scope->success_at_ms = ours->success_sent_ms;
  if (!g->options.no_share)
    keep_hold(c, scope, wall_ms);
  if (c->news && c->news->error[0])
    memcpy(scope->last_error, c->news->error, sizeof scope->last_error);
  c->after = *scope;
}

static void note_transition(struct guard_ticket *t,
                            const struct breaker_step *step)
{
  if (step->from == step->to && !step->opened)
    return;
  t->moved = true;
  t->opened = step->opened;
  t->from = step->from;
  t->to = step->to;
  t->open_ms = step->opened ? step->next.opened.length_ms : -1;
}

static int lock_ms(const struct guard *g, struct now now)
{
  int64_t left = retry_left(g->deadline_mono_ms, now);
  return left < LOCK_LEAST_MS  ? LOCK_LEAST_MS
         : left > LOCK_MOST_MS ? LOCK_MOST_MS
                               : (int)left;
}

/* True when it was stored.  What was added up has been handed over either way:
 * a place that cannot be written stays so for the run. */
bool guard_change(struct guard_change *c, struct now now)
{
  struct guard_scope *s = c->ticket->scope;
  c->g->state->patience_ms = lock_ms(c->g, now);
  bool stored = state_step(c->g->state, buf_str(&s->name), apply, c);
  guard_tell_fault(c->g, now);
  if (stored && !c->g->options.no_breaker)
    note_transition(c->ticket, &c->step);
  s->counters = (struct scope_counters){0};
  s->successes = 0;
  s->dirty = false;
  s->written_mono_ms = now.mono_ms;
  return stored;
}
