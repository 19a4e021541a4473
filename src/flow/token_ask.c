/* SPDX-License-Identifier: MIT
 *
 * token_ask - see token_ask.h.
 */
#include "flow/token_ask.h"

#include <string.h>

#include "io/sys.h"

static const struct grant *grant_of(const struct token *t)
{
  return &t->ways.items[t->way].grants[t->step];
}

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct engine *en = j->engine;
  struct token *t = &en->token;
  const struct grant *g = grant_of(t);
  bool present = false;
  enum err err =
      prov_token_body(g, &t->hand, sys_now().wall_ms + en->clock_offset_ms,
                      &t->body, &present, e);
  args->grant = g;
  args->hand = &t->hand;
  args->target = NULL;
  args->body = (struct body){
      .present = present, .length = t->body.len, .data = buf_str(&t->body)};
  return err;
}

/* How long it lasts by our own clock: a server's date, where there is one,
 * says which moment its own clock means. */
static void note_life(struct token *t, const struct response *r, struct now now,
                      int64_t offset_ms)
{
  const char *date = kv_get(&r->headers, "date");
  int64_t s, server_ms = now.wall_ms + offset_ms;
  if (!t->life.ends_ms || t->life.ms)
    return;
  if (date && date_parse_http(date, now.wall_ms, &s))
    server_ms = s * 1000;
  t->life.ms = t->life.ends_ms - server_ms;
}

static void judge(struct job *j, const struct op_result *r)
{
  struct token *t = &j->engine->token;
  const struct response *re = &j->call.response;
  const struct grant *g = grant_of(t);
  if (re->status < 200 || re->status > 299 || r->code_class != CODE_NONE)
    return;
  if (prov_token_take(g, re, &t->hand, &t->life)) {
    note_life(t, re, sys_now(), j->engine->clock_offset_ms);
    return;
  }
  /* A refusal that calls itself a success. */
  (void)err_set(&j->error, ERR_CREDENTIALS, "%s%s%s", r->code,
                r->code[0] && r->message[0] ? ": " : "", r->message);
  j->refusal = (struct refusal){true, CODE_NONE, ERR_CREDENTIALS, NULL};
}

static const struct job_hooks hooks = {.prepare = prepare, .judge = judge};

static enum err set_place(struct token *t, const struct grant *g)
{
  site_release(&t->site);
  t->site = (struct site){.custom = true};
  t->site.base = (struct uri){.https = g->base.https, .port = g->base.port};
  t->site.base.host = strdup(prov_token_host(g, &t->hand));
  t->site.base.path = strdup(g->base.path);
  return t->site.base.host && t->site.base.path ? ERR_OK : ERR_INTERNAL;
}

enum err token_ask(struct engine *e, struct job *j)
{
  struct token *t = &e->token;
  const struct grant *g = grant_of(t);
  struct error why = {0};
  if (set_place(t, g) || (t->keep && t->keep(t->ctx, &t->hand, &why)))
    return ERR_INTERNAL;
  *j = (struct job){.op = OP_TOKEN,
                    .kind = JOB_SMALL,
                    .hooks = &hooks,
                    .sink_fd = -1,
                    .provider = &prov_token,
                    .site = &t->site,
                    .direct = g->metadata,
                    .heard = t->heard,
                    .limit_ms = g->timeout_ms,
                    .tries = g->tries ? g->tries : 1,
                    .engine = e};
  t->busy = true;
  return ERR_OK;
}
