/* SPDX-License-Identifier: MIT
 *
 * breaker - see breaker.h.
 */
#include "cli/breaker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "cli/breaker_show.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/place.h"
#include "cloud/registry.h"
#include "cloud/weburl.h"
#include "flow/guard.h"
#include "io/http.h"
#include "io/sys.h"

/* A breaker that nobody remembers tripping should not outlast a year. */
#define LONGEST_TRIP_MS (INT64_C(366) * 86400 * 1000)

struct run {
  struct log log;
  struct opt opt;
  struct state state;
  struct buf out; /* for standard output, written once */
  bool json;
  bool changed; /* the file: told when standard output fails */
  unsigned closed_fds;
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- operands ---- */

/* The name under which transfers to URL keep what they know. */
static enum err scope_of(const struct run *r, const char *url, struct buf *name,
                         struct error *e)
{
  struct target target = {0};
  struct site site = {0};
  const struct provider *provider = NULL;
  enum err err = place_target(&r->opt, url, &target, e);
  if (!err)
    err = registry_find(&target, &provider, e);
  if (!err)
    err = place_find(&r->opt, provider, &target, NULL, &site, e);
  if (!err && guard_scope_name(name, &site, &target))
    err = no_memory(e);
  site_release(&site);
  target_release(&target);
  return err;
}

static enum err trip_length(const char *text, int64_t *ms, struct error *e)
{
  if (!codec_duration_ms(text, ms))
    return err_set(e, ERR_USAGE,
                   "trip: '%.80s' is not a duration like 90s, 15m or 2h", text);
  if (*ms == 0 || *ms > LONGEST_TRIP_MS)
    return err_set(e, ERR_USAGE,
                   "trip: '%.80s' is not more than 0 and at most 366d", text);
  return ERR_OK;
}

/* ---- the file ---- */

static const char *place_name(const struct run *r)
{
  return r->state.path ? r->state.path : "state";
}

static void tell_damage(struct run *r)
{
  if (r->state.warning_due)
    log_warning(&r->log, "%s: %s", place_name(r), r->state.text);
  r->state.warning_due = false;
}

struct list {
  struct breaker_entry *entries;
  size_t n;
  const char *only; /* NULL = all */
  bool no_memory;
};

static void collect(void *ctx, const char *name, const struct scope *scope)
{
  struct list *l = ctx;
  if (l->no_memory || (l->only && strcmp(name, l->only) != 0))
    return;
  if (l->only && l->n) {
    l->entries[0].scope = *scope;
    return;
  }
  struct breaker_entry *more =
      realloc(l->entries, (l->n + 1) * sizeof *l->entries);
  l->no_memory = !more;
  if (!more)
    return;
  l->entries = more;
  more[l->n] = (struct breaker_entry){.scope = *scope};
  if (buf_sets(&more[l->n].name, name))
    l->no_memory = true;
  l->n++;
}

static void list_release(struct list *l)
{
  for (size_t i = 0; i < l->n; i++)
    buf_release(&l->entries[i].name);
  free(l->entries);
  *l = (struct list){0};
}

/* What can be read of the file; damage is told. */
static enum err read_list(struct run *r, struct list *l, struct error *e)
{
  if (!state_each(&r->state, collect, l))
    return err_set(e, ERR_LOCAL, "%s: %s", place_name(r), r->state.text);
  if (l->no_memory)
    return no_memory(e);
  tell_damage(r);
  return ERR_OK;
}

static enum err unknown_scope(const char *url, const char *scope,
                              struct error *e)
{
  if (weburl_is(url)) /* which may hold a signature */
    return err_set(e, ERR_NOT_FOUND, "nothing is known of %s", scope);
  return err_set(e, ERR_NOT_FOUND, "%.80s: nothing is known of %s", url, scope);
}

static enum err not_stored(const struct run *r, struct error *e)
{
  return err_set(e, ERR_LOCAL, "%s: %s", place_name(r), r->state.unstored);
}

/* ---- list, show ---- */

static enum err show_list(struct run *r, const struct list *l, struct error *e)
{
  int64_t wall_ms = sys_now().wall_ms;
  enum err err = r->json
                     ? breaker_show_json(&r->out, l->entries, l->n, wall_ms)
                     : breaker_show_table(&r->out, l->entries, l->n, wall_ms);
  return err ? no_memory(e) : ERR_OK;
}

static enum err list(struct run *r, char **operands, struct error *e)
{
  struct list l = {0};
  (void)operands;
  enum err err = read_list(r, &l, e);
  if (!err)
    err = show_list(r, &l, e);
  list_release(&l);
  return err;
}

static enum err show(struct run *r, char **operands, struct error *e)
{
  struct buf name = {0};
  struct list l = {0};
  enum err err = scope_of(r, operands[0], &name, e);
  l.only = buf_str(&name);
  if (!err)
    err = read_list(r, &l, e);
  if (!err)
    err = l.n ? show_list(r, &l, e)
              : unknown_scope(operands[0], buf_str(&name), e);
  list_release(&l);
  buf_release(&name);
  return err;
}

static enum err metrics(struct run *r, char **operands, struct error *e)
{
  struct list l = {0};
  (void)operands;
  if (r->json)
    return err_set(e, ERR_USAGE, "%s: metrics has no JSON",
                   opt_source(&r->opt, OPT_JSON));
  enum err err = read_list(r, &l, e);
  if (!err && breaker_show_metrics(&r->out, l.entries, l.n, sys_now().wall_ms))
    err = no_memory(e);
  list_release(&l);
  return err;
}

/* ---- reset, trip ---- */

static void change(void *ctx, struct scope *scope, int64_t wall_ms)
{
  struct breaker_change *c = ctx;
  struct breaker_input in = {.event = c->event, .length_ms = c->length_ms};
  struct breaker_step step =
      breaker_step(&breaker_default, &scope->breaker, &in, wall_ms);
  c->scopes++;
  c->from = step.from;
  c->to = step.to;
  c->were_open += step.from != BREAKER_CLOSED;
  scope->breaker = step.next;
  scope->counters.opened += step.opened;
  if (c->event != BREAKER_RESET)
    return;
  c->hold_left_ms = span_left_ms(&scope->hold, wall_ms);
  c->were_held += c->hold_left_ms > 0;
  scope->hold = (struct span_ms){0, 0};
  scope->budget.spent = 0;
  memset(scope->marks, 0, sizeof scope->marks);
}

static enum err tell_change(struct run *r, const struct breaker_change *c,
                            struct error *e)
{
  return breaker_show_change(&r->out, c, r->json) ? no_memory(e) : ERR_OK;
}

static enum err change_one(struct run *r, const char *scope,
                           struct breaker_change *c, struct error *e)
{
  c->scope = scope;
  if (!state_step(&r->state, scope, change, c))
    return not_stored(r, e);
  r->changed = true;
  tell_damage(r);
  return tell_change(r, c, e);
}

/* Where there is no file none is made. */
static enum err reset_all(struct run *r, struct error *e)
{
  struct breaker_change c = {.event = BREAKER_RESET};
  struct list l = {0};
  enum err err = read_list(r, &l, e);
  bool any = l.n || r->state.warned;
  list_release(&l);
  if (err)
    return err;
  if (any && !state_step_all(&r->state, change, &c))
    return not_stored(r, e);
  r->changed = any;
  return tell_change(r, &c, e);
}

static enum err reset_one(struct run *r, const char *url, struct error *e)
{
  struct breaker_change c = {.event = BREAKER_RESET};
  struct buf name = {0};
  struct list l = {0};
  enum err err = scope_of(r, url, &name, e);
  l.only = buf_str(&name);
  if (!err)
    err = read_list(r, &l, e);
  if (!err)
    err = l.n ? change_one(r, buf_str(&name), &c, e)
              : unknown_scope(url, buf_str(&name), e);
  list_release(&l);
  buf_release(&name);
  return err;
}

static enum err reset(struct run *r, char **operands, struct error *e)
{
  return operands[0] ? reset_one(r, operands[0], e) : reset_all(r, e);
}

static enum err trip(struct run *r, char **operands, struct error *e)
{
  struct breaker_change c = {.event = BREAKER_TRIP};
  struct buf name = {0};
  enum err err = trip_length(operands[1], &c.length_ms, e);
  if (!err)
    err = scope_of(r, operands[0], &name, e);
  if (!err)
    err = change_one(r, buf_str(&name), &c, e);
  buf_release(&name);
  return err;
}

/* ---- the command ---- */

struct command {
  const char *name;
  int least, most; /* operands behind it */
  const char *form;
  /* The operands end with a NULL, as argv does. */
  enum err (*run)(struct run *, char **operands, struct error *);
};

static const struct command commands[] = {
#define COMMAND(name, least, most, form, help) {#name, least, most, form, name},
#include "cli/commands.def"
#undef COMMAND
};

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

static enum err work(struct run *r, struct error *e)
{
  int n = r->opt.n_operands;
  char **words = r->opt.operands;
  const struct command *c = n ? find_command(words[0]) : &commands[0];
  if (!c)
    return err_set(e, ERR_USAGE,
                   "'%.80s' is no command; there are list, show URL, "
                   "reset [URL], trip URL DUR and metrics",
                   words[0]);
  if (n && n - 1 < c->least)
    return err_set(e, ERR_USAGE, "%s: an operand is missing: %s", c->name,
                   c->form);
  if (n && n - 1 > c->most)
    return err_set(e, ERR_USAGE, "%s: '%.80s' is one operand too many: %s",
                   c->name, words[c->most + 1], c->form);
  enum err err = state_open(&r->state, opt_text(&r->opt, OPT_STATE_FILE), e);
  return err ? err : c->run(r, n ? words + 1 : words, e);
}

/* ---- the end ---- */

/* A reader that has gone is no failure to tell anybody of. */
static enum err failed_output(const struct run *r, const char *why, bool gone,
                              struct error *e)
{
  return err_set(e, gone ? ERR_INTERRUPTED : ERR_LOCAL, "standard output: %s%s",
                 why, r->changed ? " (the change is stored)" : "");
}

static enum err write_out(const struct run *r, struct error *e)
{
  size_t done = 0;
  if (r->out.len && r->closed_fds & 1u << STDOUT_FILENO)
    return failed_output(r, "is closed", false, e);
  while (done < r->out.len) {
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    ssize_t n = write(STDOUT_FILENO, r->out.data + done, r->out.len - done);
    if (n >= 0)
      done += (size_t)n;
    else if (errno == EAGAIN)
      (void)poll(&p, 1, -1);
    else if (errno != EINTR)
      return failed_output(r, strerror(errno), errno == EPIPE, e);
  }
  return ERR_OK;
}

static enum err run(struct run *r, int argc, char **argv, int *told,
                    struct error *e)
{
  enum err err = sys_open_std(&r->closed_fds, e);
  sys_outlive_file_limit();
  if (!err)
    err = opt_parse(&r->opt, OPT_STATE, argc, argv, e);
  *told = err ? -1 : help_answer(&r->opt, http_library, &r->log);
  if (!err && *told < 0)
    *told = completion_answer(&r->opt, &r->log);
  if (err || *told >= 0)
    return err;
  r->json = opt_flag(&r->opt, OPT_JSON);
  err = place_hide_secrets(&r->opt, argc, argv, &r->log, e);
  if (err)
    return err;
  err = work(r, e);
  return err ? err : write_out(r, e);
}

int breaker_main(int argc, char **argv)
{
  struct run r = {.log.program = help_program(OPT_STATE)};
  struct error e = {0};
  int told = -1;
  enum err err = run(&r, argc, argv, &told, &e);
  if (err && err != ERR_INTERRUPTED)
    log_error(&r.log, "%s", e.msg);
  buf_release(&r.out);
  state_close(&r.state);
  opt_release(&r.opt);
  log_release(&r.log);
  return told >= 0 ? told : err_exit_status(err, SIGPIPE);
}
