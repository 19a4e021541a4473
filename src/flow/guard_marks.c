/* SPDX-License-Identifier: MIT
 *
 * guard_marks - a part of flow/guard: reads that spent their retries, by object
 * (policy.md 7, restic).
 */
#include <string.h>

#include "base/hash.h"
#include "flow/guard_change.h"

enum { MARK_MS = 3600 * 1000, CLOCK_SLACK_MS = 1000 };

struct marking {
  uint64_t object;
  bool ok;
};

static int64_t left_ms(const struct scope_mark *m, int64_t wall_ms)
{
  int64_t age = wall_ms - m->at_ms;
  return !m->at_ms || age < -CLOCK_SLACK_MS || age >= MARK_MS ? 0
                                                              : MARK_MS - age;
}

/* A hash, so that no names of objects gather in the file.  False: out of
 * memory. */
static bool object_of(const struct guard_object *o, uint64_t *out)
{
  struct buf name = {0};
  unsigned char digest[32];
  bool ok = !buf_adds(&name, o->key) && !buf_addc(&name, '\0') &&
            !buf_adds(&name, o->version ? o->version : "") &&
            !hash_sha256(name.data, name.len, digest);
  buf_release(&name);
  *out = 0;
  for (size_t i = 0; i < sizeof *out && ok; i++)
    *out = *out << 8 | digest[i];
  return ok;
}

static int64_t find(const struct scope *s, uint64_t object, int64_t wall_ms)
{
  for (int i = 0; i < SCOPE_MAX_MARKS && s->marks[i].at_ms; i++)
    if (s->marks[i].object == object)
      return left_ms(&s->marks[i], wall_ms);
  return 0;
}

int64_t guard_mark_left(struct guard *g, const struct guard_ticket *t,
                        const struct guard_object *o, struct now now)
{
  struct scope scope;
  uint64_t object;
  if (!g->options.read_marks || !t->scope || !object_of(o, &object))
    return 0;
  state_peek(g->state, buf_str(&t->scope->name), &scope);
  return find(&scope, object, now.wall_ms);
}

/* Those that still hold stay, this one goes behind them or away; of too many
 * the oldest goes. */
static void apply(void *ctx, struct scope *s, int64_t wall_ms)
{
  const struct marking *m = ctx;
  int n = 0;
  for (int i = 0; i < SCOPE_MAX_MARKS; i++)
    if (left_ms(&s->marks[i], wall_ms) && s->marks[i].object != m->object)
      s->marks[n++] = s->marks[i];
  if (n == SCOPE_MAX_MARKS && !m->ok) {
    n--;
    memmove(s->marks, s->marks + 1, (size_t)n * sizeof *s->marks);
  }
  if (!m->ok)
    s->marks[n++] = (struct scope_mark){m->object, wall_ms};
  for (int i = n; i < SCOPE_MAX_MARKS; i++)
    s->marks[i] = (struct scope_mark){0, 0};
}

void guard_mark(struct guard *g, const struct guard_ticket *t,
                const struct guard_object *o, bool ok, struct now now)
{
  struct marking m = {.ok = ok};
  if (!g->options.read_marks || !t->scope || !object_of(o, &m.object))
    return;
  if (ok && !guard_mark_left(g, t, o, now))
    return;
  (void)state_step(g->state, buf_str(&t->scope->name), apply, &m);
  guard_tell_fault(g, now);
}
