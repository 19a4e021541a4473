/* SPDX-License-Identifier: MIT
 *
 * namespace - see namespace.h.
 */
#include "flow/namespace.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/prov_token.h"
#include "flow/engine.h"

static enum err take(struct target *t, const struct job *j, struct summary *s)
{
  t->account = strdup(j->result.account);
  return t->account ? ERR_OK
                    : err_set(&s->error, ERR_INTERNAL, "out of memory");
}

enum err namespace_ask(struct engine *e, struct target *t, bool dry_run,
                       struct summary *s)
{
  struct job j = {.op = OP_NAMESPACE, .sink_fd = -1};
  if (dry_run)
    return s->end = err_set(&s->error, ERR_USAGE,
                            "--dry-run: the namespace is not in the URL, and "
                            "would have to be asked for");
  engine_run(e, &j, 1);
  s->end = j.end;
  if (j.end == ERR_OK)
    s->end = take(t, &j, s);
  else if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  job_release(&j);
  return s->end;
}

/* ---- the region ---- */

struct asked {
  const struct grant *grant;
  struct creds *told;
};

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  const struct asked *a = j->ctx;
  (void)e;
  args->grant = a->grant;
  args->hand = a->told;
  args->target = NULL;
  args->body = (struct body){.present = false};
  return ERR_OK;
}

static void judge(struct job *j, const struct op_result *r)
{
  const struct asked *a = j->ctx;
  const struct response *re = &j->call.response;
  struct token_life life;
  if (re->status < 200 || re->status > 299 || r->code_class != CODE_NONE ||
      prov_token_take(a->grant, re, a->told, &life))
    return;
  (void)err_set(&j->error, ERR_CREDENTIALS, "it tells no region");
  j->refusal = (struct refusal){true, CODE_NONE, ERR_CREDENTIALS, NULL};
}

static const struct job_hooks region_hooks = {.prepare = prepare,
                                              .judge = judge};

/* One that is not there, or does not know us, is no service of ours. */
static enum err end_of(const struct job *j)
{
  bool absent = j->end == ERR_UNAVAILABLE && !j->heard;
  return absent || j->end == ERR_DENIED || j->end == ERR_NOT_FOUND ||
                 j->end == ERR_REJECTED
             ? ERR_CREDENTIALS
             : j->end;
}

static enum err set_place(const struct grant *g, struct site *out)
{
  *out = (struct site){.custom = true};
  out->base = (struct uri){.https = g->base.https, .port = g->base.port};
  out->base.host = strdup(g->base.host);
  out->base.path = strdup(g->base.path);
  return out->base.host && out->base.path ? ERR_OK : ERR_INTERNAL;
}

static enum err ask_region(struct engine *e, const struct way *w,
                           struct creds *told, struct summary *s)
{
  struct asked asked = {&w->grants[0], told};
  struct site site;
  struct job j = {.op = OP_TOKEN,
                  .kind = JOB_SMALL,
                  .hooks = &region_hooks,
                  .ctx = &asked,
                  .sink_fd = -1,
                  .provider = &prov_token,
                  .site = &site,
                  .direct = true,
                  .limit_ms = w->grants[0].timeout_ms,
                  .tries = w->grants[0].tries};
  enum err err = set_place(&w->grants[0], &site);
  if (!err) {
    engine_run(e, &j, 1);
    s->end = end_of(&j);
    err = s->end && summary_of_job(s, &j) ? ERR_INTERNAL : end_of(&j);
  }
  s->end = err;
  job_release(&j);
  site_release(&site);
  return err;
}

enum err namespace_ask_region(struct engine *e, const struct way *w,
                              bool dry_run, struct creds *told,
                              struct summary *s)
{
  if (dry_run)
    return s->end = err_set(&s->error, ERR_USAGE,
                            "--dry-run: no region is given, and the instance's "
                            "would have to be asked for");
  if (ask_region(e, w, told, s)) {
    s->error.code = s->end;
    (void)err_prefix(&s->error,
                     "no region: give --region; %s: ", buf_str(&w->name));
  }
  return s->end;
}
