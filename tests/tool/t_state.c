/* SPDX-License-Identifier: MIT
 *
 * t_state - io/state as commands: "FILE bump NAME", "FILE bump-all", "FILE peek
 * NAME", "FILE names".  Each line opens the state anew, as each run of a program does.
 */
#include <inttypes.h>
#include <string.h>

#include "io/state.h"
#include "tool.h"

static void bump(void *ctx, struct scope *scope, int64_t wall_ms)
{
  struct buf *out = ctx;
  scope->counters.requests++;
  scope->success_at_ms = wall_ms;
  say(out, "%" PRId64, scope->counters.requests);
}

static void name_line(void *ctx, const char *name, const struct scope *scope)
{
  struct buf *out = ctx;
  say(out, "%s%s=%" PRId64, out->len ? " " : "", name,
      scope->counters.requests);
}

static void run(struct state *s, const char *verb, const char *name,
                struct buf *out)
{
  struct scope scope;
  if (strcmp(verb, "bump") == 0) {
    if (!state_step(s, name, bump, out))
      say(out, " not stored");
  } else if (strcmp(verb, "bump-all") == 0) {
    if (!state_step_all(s, bump, out))
      say(out, "not stored: %s", s->unstored);
  } else if (strcmp(verb, "peek") == 0) {
    state_peek(s, name, &scope);
    say(out, "%" PRId64, scope.counters.requests);
  } else if (strcmp(verb, "names") == 0) {
    if (!state_each(s, name_line, out))
      say(out, "unreadable");
  } else {
    bad_line();
  }
  if (s->warning_due)
    say(out, ", %s: %s", s->why, s->text);
}

static void state_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf path = {0}, verb = {0}, name = {0};
  struct state s;
  struct error e = {0};
  field(&rest, &path, false);
  field(&rest, &verb, false);
  field(&rest, &name, true);
  must(state_open(&s, path.len ? buf_str(&path) : NULL, &e));
  run(&s, buf_str(&verb), buf_str(&name), out);
  state_close(&s);
  buf_release(&path);
  buf_release(&verb);
  buf_release(&name);
}

const struct command state_commands[] = {{"state", state_line, true},
                                         {NULL, NULL, false}};
