/* SPDX-License-Identifier: MIT
 *
 * token - see token.h.
 */
#include "flow/token.h"

#include <string.h>

#include "flow/token_ask.h"
#include "io/sys.h"
#include "io/tokens.h"

/* AWS's keys serve long requests; a bearer token is looked at once. */
enum {
  KEYS_MARGIN_MS = 600000,
  BEARER_MARGIN_MS = 300000,
  LEAST_MS = 1000,
  AGAIN_MS = 60000
};

static enum token_word fail(struct token *t, enum err end, const char *msg)
{
  t->end = err_set(&t->error, end, "%s", msg);
  t->why = NULL;
  t->throttled = false;
  return TOKEN_FAILED;
}

static struct way *way_of(struct token *t)
{
  return t->way < t->ways.n ? &t->ways.items[t->way] : NULL;
}

static const char *name_of(const struct way *w)
{
  return w->name.len ? buf_str(&w->name) : NULL;
}

/* ---- what is had ---- */

static int64_t margin_ms(const struct creds *c)
{
  return c->kind == CREDS_KEYS ? KEYS_MARGIN_MS : BEARER_MARGIN_MS;
}

/* Those that last shorter than their margin are used for half of their time. */
static void plan_refresh(struct engine *e, int64_t lasts_ms, struct now now)
{
  int64_t ms = lasts_ms - margin_ms(&e->creds);
  if (ms < lasts_ms / 2)
    ms = lasts_ms / 2;
  if (ms < LEAST_MS)
    ms = LEAST_MS;
  e->token.refresh_mono_ms = lasts_ms > 0 ? now.mono_ms + ms : 0;
}

static void explain(const struct engine *e)
{
  if (e->explain)
    log_line(e->explain, "identity: %s%sfrom %s", buf_str(&e->creds.key_id),
             e->creds.key_id.len ? ", " : "a token ",
             buf_str(&e->creds.source));
}

/* Takes C over.  LASTS_MS: 0 = not known. */
static enum token_word have(struct engine *e, struct creds *c, int64_t lasts_ms,
                            struct now now)
{
  struct token *t = &e->token;
  struct error why = {0};
  bool same = creds_present(&e->creds) && creds_equal(&e->creds, c);
  if (t->keep && t->keep(t->ctx, c, &why)) {
    creds_release(c);
    return fail(t, why.code, why.msg);
  }
  bool first = !creds_present(&e->creds);
  creds_release(&e->creds);
  e->creds = *c;
  creds_init(c);
  plan_refresh(e, lasts_ms, now);
  t->refused = false;
  if (same)
    return TOKEN_SAME;
  e->creds_gen++;
  if (!first || t->taken)
    explain(e);
  return TOKEN_HAVE;
}

static enum token_word have_start(struct engine *e, const struct way *w)
{
  struct now now = sys_now();
  struct creds c;
  creds_init(&c);
  if (creds_copy(&c, &w->start))
    return fail(&e->token, ERR_INTERNAL, "out of memory");
  int64_t lasts = w->start_ends_ms ? w->start_ends_ms - now.wall_ms : 0;
  e->token.taken = false;
  return have(e, &c, lasts, now);
}

/* ---- what is kept ---- */

static bool have_kept(struct engine *e, const struct way *w)
{
  struct token *t = &e->token;
  struct now now = sys_now();
  struct creds c;
  char name[65];
  int64_t ends = 0;
  creds_init(&c);
  bool good = !t->no_cache && !t->refused && way_may_be_kept(w) &&
              !way_fingerprint(w, name) &&
              tokens_read(name, now.wall_ms, &c, &ends) &&
              ends - now.wall_ms > margin_ms(&c) &&
              !buf_addf(&c.source, "%s (kept)", name_of(w)) &&
              !buf_sets(&c.project, buf_str(&w->start.project));
  t->taken = true;
  good = good && have(e, &c, ends - now.wall_ms, now) != TOKEN_FAILED;
  creds_release(&c);
  return good;
}

static void keep_for_others(const struct engine *e, const struct way *w,
                            int64_t lasts_ms, struct now now)
{
  char name[65];
  if (!e->token.no_cache && lasts_ms > 0 && way_may_be_kept(w) &&
      !way_fingerprint(w, name))
    (void)tokens_write(name, &e->creds, now.wall_ms + lasts_ms, now.wall_ms);
}

/* ---- one way after the other ---- */

static enum token_word ask(struct engine *e, struct job *j)
{
  return token_ask(e, j) ? fail(&e->token, ERR_INTERNAL, "out of memory")
                         : TOKEN_ASK;
}

static enum err add_trouble(struct token *t, const struct way *w,
                            const char *msg)
{
  /* Two sources of one file have the same fault. */
  if (t->troubles.len && strstr(buf_str(&t->troubles), msg))
    return ERR_OK;
  enum err err = buf_adds(&t->troubles, t->troubles.len ? "; " : "");
  if (!err && name_of(w))
    err = buf_addf(&t->troubles, "%s: ", name_of(w));
  return err ? err : buf_adds(&t->troubles, msg);
}

/* Nothing was asked for and each source has a fault of its own: that is all
 * there is to be said. */
static bool all_broken(const struct token *t)
{
  for (size_t i = 0; i < t->ways.n; i++)
    if (t->ways.items[i].error.code == ERR_OK)
      return false;
  return t->ways.n > 0;
}

static enum token_word none_left(struct engine *e)
{
  struct token *t = &e->token;
  struct buf all = {0};
  /* One that may do later is worth another run. */
  enum err end = t->end == ERR_OK ? ERR_CREDENTIALS : t->end;
  bool broken = all_broken(t);
  enum err err = buf_adds(&all, broken ? "" : "no credentials: ");
  if (!err && t->ways.looked.len && !broken)
    err = buf_addf(&all, "looked at %s%s", buf_str(&t->ways.looked),
                   t->troubles.len ? "; " : "");
  if (!err)
    err = buf_adds(&all, buf_str(&t->troubles));
  enum token_word word =
      fail(t, err ? ERR_INTERNAL : end, err ? "out of memory" : buf_str(&all));
  buf_release(&all);
  return word;
}

/* Nothing that could sign: it would be looked for again and again. */
static void check_start(struct way *w)
{
  if (w->error.code == ERR_OK && w->n == 0 && !creds_present(&w->start))
    (void)err_set(&w->error, ERR_CREDENTIALS, "holds no credentials");
}

static enum token_word try_ways(struct engine *e, struct job *j)
{
  struct token *t = &e->token;
  for (struct way *w; (w = way_of(t)) != NULL; t->way++) {
    t->step = 0;
    t->heard = false;
    check_start(w);
    if (w->error.code == ERR_OK && w->n == 0)
      return have_start(e, w);
    if (w->error.code == ERR_OK && have_kept(e, w))
      return TOKEN_HAVE;
    if (w->error.code == ERR_OK)
      return creds_copy(&t->hand, &w->start)
                 ? fail(t, ERR_INTERNAL, "out of memory")
                 : ask(e, j);
    if (w->named && name_of(w))
      (void)err_prefix(&w->error, "%s: ", name_of(w));
    if (w->named)
      return fail(t, w->error.code, w->error.msg);
    if (add_trouble(t, w, w->error.msg))
      return fail(t, ERR_INTERNAL, "out of memory");
  }
  return none_left(e);
}

/* A helper that runs keeps us from looking at what moves. */
static enum err find(struct engine *e, struct error *err)
{
  struct token *t = &e->token;
  int64_t before = sys_now().mono_ms;
  ways_release(&t->ways);
  buf_clear(&t->troubles);
  t->way = t->step = 0;
  t->end = ERR_OK;
  enum err failed = t->find(t->ctx, &t->ways, err);
  t->found = !failed;
  e->away_ms += sys_now().mono_ms - before;
  return failed;
}

/* The first way that is no dead end goes on this machine alone. */
static bool is_at_hand(const struct token *t)
{
  for (size_t i = 0; i < t->ways.n; i++) {
    const struct way *w = &t->ways.items[i];
    if (w->error.code == ERR_OK)
      return w->n == 0;
    if (w->named)
      return true;
  }
  return true;
}

enum err token_prepare(struct engine *e, struct error *err)
{
  enum err failed = find(e, err);
  struct job none;
  if (failed || !is_at_hand(&e->token))
    return failed;
  e->token.found = false;
  return try_ways(e, &none) == TOKEN_FAILED
             ? err_set(err, e->token.end, "%s", e->token.error.msg)
             : ERR_OK;
}

bool token_is_due(const struct engine *e, struct now now)
{
  const struct token *t = &e->token;
  if (!e->sign || !t->find || e->deaf)
    return false;
  return !creds_present(&e->creds) ||
         (t->refresh_mono_ms && now.mono_ms >= t->refresh_mono_ms);
}

enum token_word token_reload(struct engine *e, struct error *err)
{
  struct token *t = &e->token;
  struct job none;
  if (!t->find)
    return TOKEN_FAILED;
  t->refused = true;
  if (t->busy || t->found)
    return TOKEN_ASK;
  if (find(e, err))
    return TOKEN_FAILED;
  if (!is_at_hand(t))
    return TOKEN_ASK;
  t->found = false;
  return try_ways(e, &none);
}

enum token_word token_begin(struct engine *e, struct job *j)
{
  struct token *t = &e->token;
  struct error why = {0};
  if (!t->found && find(e, &why))
    return fail(t, why.code, why.msg);
  t->found = false;
  enum token_word word = try_ways(e, j);
  if (word == TOKEN_FAILED)
    t->refresh_mono_ms = sys_now().mono_ms + AGAIN_MS;
  return word;
}

/* ---- the end of a request ---- */

static enum token_word arrived(struct engine *e)
{
  struct token *t = &e->token;
  const struct way *w = way_of(t);
  struct now now = sys_now();
  struct creds c = t->hand;
  creds_init(&t->hand);
  t->taken = true;
  if (buf_sets(&c.source, buf_str(&w->name))) {
    creds_release(&c);
    return fail(t, ERR_INTERNAL, "out of memory");
  }
  enum token_word word = have(e, &c, t->life.ms, now);
  if (word != TOKEN_FAILED)
    keep_for_others(e, w, t->life.ms, now);
  return word;
}

/* An instance whose service knows no sessions: refused, or, where a hop too
 * many swallows the answer, silence behind an open door. */
static bool may_do_without(const struct token *t, const struct job *j)
{
  const struct grant *g = &t->ways.items[t->way].grants[t->step];
  bool refused = j->status == 403 || j->status == 404 || j->status == 405;
  return g->optional && (refused || (!j->status && j->call.connected));
}

static enum err end_of(const struct job *j)
{
  switch ((int)j->end) {
  case ERR_DENIED:
  case ERR_NOT_FOUND:
  case ERR_REJECTED:
  case ERR_EXISTS:
  case ERR_NOT_MODIFIED:
    return ERR_CREDENTIALS;
  case ERR_UNAVAILABLE:
    return j->direct && !j->heard ? ERR_CREDENTIALS : ERR_UNAVAILABLE;
  default:
    return j->end;
  }
}

static bool ends_all(enum err end)
{
  return end == ERR_INTERNAL || end == ERR_DEADLINE || end == ERR_INTERRUPTED;
}

static enum token_word fail_as(struct token *t, const struct way *w,
                               const struct job *j, enum err end)
{
  struct error why = j->error;
  if (name_of(w) && !ends_all(end))
    (void)err_prefix(&why, "%s: ", name_of(w));
  enum token_word word = fail(t, end, why.msg);
  t->why = j->why;
  t->throttled = j->throttled;
  t->throttled_s = j->throttled_s;
  return word;
}

static enum token_word missed(struct engine *e, const struct job *j,
                              struct job *next)
{
  struct token *t = &e->token;
  const struct way *w = way_of(t);
  enum err end = end_of(j);
  if (w->named || ends_all(end))
    return fail_as(t, w, j, end);
  if (add_trouble(t, w, j->error.msg))
    return fail(t, ERR_INTERNAL, "out of memory");
  if (t->end == ERR_OK && end != ERR_CREDENTIALS)
    t->end = end;
  t->way++;
  return try_ways(e, next);
}

enum token_word token_go_on(struct engine *e, const struct job *j,
                            struct job *next)
{
  struct token *t = &e->token;
  enum token_word word;
  bool without = j->end != ERR_OK && may_do_without(t, j);
  t->busy = false;
  t->heard = t->heard || j->heard;
  if (j->end != ERR_OK && !without) {
    word = missed(e, j, next);
  } else {
    t->step++;
    word = t->step < way_of(t)->n ? ask(e, next) : arrived(e);
  }
  if (word == TOKEN_FAILED)
    t->refresh_mono_ms = sys_now().mono_ms + AGAIN_MS;
  return word;
}

void token_release(struct token *t)
{
  ways_release(&t->ways);
  creds_release(&t->hand);
  buf_release(&t->body);
  buf_release(&t->troubles);
  site_release(&t->site);
}
