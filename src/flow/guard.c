/* SPDX-License-Identifier: MIT
 *
 * guard - see guard.h.
 */
#include "flow/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/guard_change.h"
#include "io/sys.h"

/* Successes that change nothing are written once in this time. */
enum { WRITE_EVERY_MS = 1000 };

/* A probe renews when this part of its lease is over. */
enum { RENEW_PART = 4 };

/* ---- scopes ---- */

enum err guard_scope_name(struct buf *out, const struct site *site,
                          const struct target *target)
{
  /* Namespaces share a host, and each has its own buckets. */
  bool named = target && target->account && strcmp(target->scheme, "oci") == 0;
  return buf_addf(out, "%s://%s:%d/%s%s%s", site->base.https ? "https" : "http",
                  site->base.host, site->base.port,
                  named ? target->account : "", named ? "/" : "",
                  target ? target->bucket : "");
}

static struct guard_scope *find(struct guard *g, const char *name)
{
  for (struct guard_scope *s = g->scopes; s; s = s->next)
    if (strcmp(buf_str(&s->name), name) == 0)
      return s;
  return NULL;
}

/* Takes NAME over. */
static struct guard_scope *add(struct guard *g, struct buf *name)
{
  struct guard_scope *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->name = *name;
  *name = (struct buf){0};
  s->written_mono_ms = g->start_mono_ms;
  s->next = g->scopes;
  g->scopes = s;
  return s;
}

void guard_enlist(struct guard *g, struct guard_ticket *t,
                  const struct site *site, const struct target *target)
{
  struct buf name = {0};
  t->scope = NULL;
  if (!g->state)
    return;
  if (!guard_scope_name(&name, site, target)) {
    t->scope = find(g, buf_str(&name));
    if (!t->scope)
      t->scope = add(g, &name);
  }
  buf_release(&name);
}

/* ---- asking ---- */

static struct guard_answer held(const struct guard *g,
                                const struct guard_ticket *t,
                                const struct scope *scope, int64_t wall_ms)
{
  int64_t left = span_left_ms(&scope->hold, wall_ms);
  if (g->options.no_share || left == 0 ||
      scope->hold.at_ms == t->kept_hold_at_ms)
    return (struct guard_answer){GUARD_GO, 0, false, 0};
  return (struct guard_answer){GUARD_HELD, left, false, scope->hold.at_ms};
}

static struct guard_answer refused(const struct breaker_step *step)
{
  return (struct guard_answer){GUARD_REFUSED, step->wait_ms,
                               step->from == BREAKER_HALF_OPEN, 0};
}

/* *DUE: the next one in is the probe. */
static struct guard_answer look(struct guard *g, const struct guard_ticket *t,
                                struct now now, bool *due)
{
  struct scope scope;
  *due = false;
  if (!t->scope)
    return (struct guard_answer){GUARD_GO, 0, false, 0};
  state_peek(g->state, buf_str(&t->scope->name), &scope);
  guard_tell_fault(g, now);
  struct breaker_step step =
      guard_step(g, &scope.breaker, BREAKER_ASK, 1, now.wall_ms);
  bool asked = !g->options.no_breaker;
  if (asked && step.answer == BREAKER_REFUSE && state_writable(g->state))
    return refused(&step);
  guard_tell_fault(g, now);
  *due = asked && step.answer == BREAKER_PROBE;
  return held(g, t, &scope, now.wall_ms);
}

struct guard_answer guard_look(struct guard *g, const struct guard_ticket *t,
                               struct now now)
{
  bool due;
  return look(g, t, now, &due);
}

/* ---- the probe ---- */

/* Not 0, and no more bits than a JSON number keeps. */
static uint64_t new_holder(void)
{
  return sys_random() >> 12 | 1;
}

/* Where nothing can be stored nobody can be the only one: all go on.  But who
 * merely came too late for the lock sees what another has stored. */
static struct guard_answer take_probe(struct guard *g, struct guard_ticket *t,
                                      struct now now)
{
  struct guard_change c = {
      .g = g, .ticket = t, .event = BREAKER_ASK, .who = new_holder()};
  bool stored = guard_change(&c, now);
  if (c.step.answer == BREAKER_REFUSE && (stored || !g->state->unwritable))
    return refused(&c.step);
  if (stored && c.step.answer == BREAKER_PROBE) {
    t->probe = c.who;
    t->renewed_mono_ms = now.mono_ms;
    t->renewed_moved = 0;
  }
  return (struct guard_answer){GUARD_GO, 0, false, 0};
}

struct guard_answer guard_enter(struct guard *g, struct guard_ticket *t,
                                struct now now)
{
  bool due;
  struct guard_answer a = look(g, t, now, &due);
  return due && a.word == GUARD_GO ? take_probe(g, t, now) : a;
}

void guard_sent(struct guard_ticket *t, bool first, struct now now)
{
  t->sent_wall_ms = now.wall_ms;
  t->known = false;
  if (!t->scope)
    return;
  t->scope->counters.requests += first;
  t->scope->counters.attempts++;
  t->scope->dirty = true;
}

void guard_renew(struct guard *g, struct guard_ticket *t, uint64_t moved,
                 struct now now)
{
  int64_t every = g->options.breaker.lease_ms / RENEW_PART;
  struct guard_change c = {
      .g = g, .ticket = t, .event = BREAKER_RENEW, .who = t->probe};
  if (!t->probe || moved == t->renewed_moved ||
      now.mono_ms - t->renewed_mono_ms < every)
    return;
  t->renewed_mono_ms = now.mono_ms;
  t->renewed_moved = moved;
  (void)guard_change(&c, now);
  /* One that ran out for want of bytes has been the same probe all along. */
  t->moved = false;
}

/* ---- telling ---- */

static void count_news(struct guard_scope *s, const struct guard_news *news)
{
  struct scope_counters *c = &s->counters;
  c->throttled += news->event == BREAKER_THROTTLED;
  c->bytes_sent += (int64_t)news->sent;
  c->bytes_received += (int64_t)news->received;
  s->dirty = true;
}

/* A success is news to the others when it ends a row of failures or a
 * hold-off. */
static bool changes_decision(const struct guard *g,
                             const struct guard_ticket *t,
                             const struct scope *scope)
{
  return (!g->options.no_breaker && !scope->breaker.open &&
          scope->breaker.failures) ||
         (!g->options.no_share && scope->hold.length_ms &&
          t->sent_wall_ms > scope->hold.at_ms) ||
         (g->options.budget.max && scope->budget.spent);
}

static bool must_write(const struct guard *g, const struct guard_ticket *t,
                       const struct guard_news *news, const struct scope *scope,
                       struct now now)
{
  if (t->probe || news->event == BREAKER_FAILURE || news->hold_ms >= 0 ||
      now.mono_ms - t->scope->written_mono_ms >= WRITE_EVERY_MS ||
      (g->options.budget.max && (news->failed || news->retried != VERDICT_OK)))
    return true;
  return news->event == BREAKER_SUCCESS && changes_decision(g, t, scope);
}

/* For the report: where the breaker is not asked, nothing is said of it. */
static void note_standing(const struct guard *g, struct guard_ticket *t,
                          const struct breaker *b, bool known, struct now now)
{
  t->known = known && !g->options.no_breaker;
  t->mode = breaker_mode_at(b, now.wall_ms);
  t->failures = b->failures;
}

/* Where nothing is stored, this run's own tokens count. */
static void note_budget(const struct guard *g, struct guard_ticket *t,
                        const struct guard_news *news, const struct budget *b,
                        struct now now)
{
  const struct budget_policy *p = &g->options.budget;
  t->tokens = p->max ? budget_left(b, p->max, now.wall_ms) : -1;
  t->suppressed =
      news->retried != VERDICT_OK && !budget_allows(p, b, now.wall_ms);
}

static void spend_own(struct guard *g, struct guard_ticket *t,
                      const struct guard_news *news, struct now now)
{
  if (g->options.budget.max)
    g->budget = budget_step(&g->options.budget, &g->budget, news->failed,
                            news->event == BREAKER_SUCCESS, now.wall_ms);
  note_budget(g, t, news, &g->budget, now);
}

static void write_news(struct guard *g, struct guard_ticket *t,
                       const struct guard_news *news, struct now now)
{
  struct guard_change c = {
      .g = g, .ticket = t, .event = news->event, .who = t->probe, .news = news};
  bool stored = guard_change(&c, now);
  note_standing(g, t, &c.after.breaker, stored, now);
  if (stored)
    note_budget(g, t, news, &c.after.budget, now);
  /* Its own pause is in its own wait already. */
  if (c.hold_at_ms)
    t->kept_hold_at_ms = c.hold_at_ms;
}

void guard_tell(struct guard *g, struct guard_ticket *t,
                const struct guard_news *news, struct now now)
{
  struct guard_scope *s = t->scope;
  struct scope scope;
  spend_own(g, t, news, now);
  if (!s)
    return;
  count_news(s, news);
  if (news->event == BREAKER_SUCCESS)
    s->success_sent_ms = t->sent_wall_ms;
  state_peek(g->state, buf_str(&s->name), &scope);
  if (must_write(g, t, news, &scope, now)) {
    write_news(g, t, news, now);
  } else {
    s->successes += news->event == BREAKER_SUCCESS;
    guard_count_retry(&s->counters, news, false);
    if (!g->state->off)
      note_budget(g, t, news, &scope.budget, now);
    note_standing(g, t, &scope.breaker, !g->state->off, now);
  }
  if (news->event == BREAKER_FAILURE)
    guard_tell_absent(g);
  t->probe = 0;
}

bool guard_reject(struct guard *g, struct guard_ticket *t, struct now now)
{
  struct guard_change c = {.g = g, .ticket = t, .event = BREAKER_NOTHING};
  if (!t->scope)
    return true;
  t->scope->counters.rejected++;
  return guard_change(&c, now) || !g->state->unwritable;
}

/* Each opening is a line; one warning is enough, and none to a person whose
 * transfer goes well in spite of it. */
static void warn_opening(struct guard *g, const struct guard_ticket *t,
                         struct now now)
{
  if (g->opening.len)
    return;
  report_note(g->report, now.wall_ms, "breaker_opened", NULL);
  if (buf_addf(&g->opening, "%s: the breaker has opened for %lld ms",
               buf_str(&t->scope->name), (long long)t->open_ms))
    buf_release(&g->opening);
}

void guard_tell_opening(struct guard *g)
{
  if (g->opening.len && !report_on_stderr(g->report))
    log_warning(g->report->log, "%s", buf_str(&g->opening));
}

void guard_announce(struct guard *g, struct guard_ticket *t, struct now now)
{
  if (!t->moved)
    return;
  t->moved = false;
  struct report_line l =
      report_begin(g->report, REPORT_EVENT_BREAKER, now.wall_ms);
  report_text(&l, REPORT_SCOPE, buf_str(&t->scope->name));
  report_text(&l, REPORT_FROM, breaker_mode_name(t->from));
  report_text(&l, REPORT_TO, breaker_mode_name(t->to));
  report_number(&l, REPORT_OPEN_MS, t->open_ms);
  report_end(&l);
  if (t->opened)
    warn_opening(g, t, now);
}

/* ---- the end ---- */

void guard_flush(struct guard *g, struct now now)
{
  for (struct guard_scope *s = g->scopes; s; s = s->next) {
    struct guard_ticket t = {.scope = s};
    struct guard_change c = {.g = g, .ticket = &t, .event = BREAKER_NOTHING};
    if (s->dirty)
      (void)guard_change(&c, now);
  }
}

void guard_release(struct guard *g)
{
  buf_release(&g->opening);
  while (g->scopes) {
    struct guard_scope *s = g->scopes;
    g->scopes = s->next;
    buf_release(&s->name);
    free(s);
  }
}
