/* SPDX-License-Identifier: MIT
 *
 * client - one invocation: a PUT by the programs' engine, as an ankput with
 * such a command line would make it; and the two rules of others that none of
 * our options says.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/place.h"
#include "io/sys.h"
#include "sim.h"

/* Of the AWS SDKs' standard mode. */
enum { RETRY_COST = 5, TIMEOUT_COST = 10, NO_RETRY_GAIN = 1 };

/* ---- the rows' command lines ---- */

static void must(enum err err, const struct error *e)
{
  if (!err)
    return;
  fprintf(stderr, "ank-sim: %s\n", e->msg);
  exit(2);
}

static void configure(struct world *w, struct opt *o)
{
  char *argv[40] = {
      "ankput", "--no-sign",           "--region", "us-east-1", "--deadline",
      "5m",     "--upload-timeout-ms", "10000"};
  struct error e = {0};
  int n = 0;
  while (argv[n])
    n++;
  for (const char *const *a = w->policy->args; *a; a++)
    argv[n++] = (char *)*a;
  argv[n++] = "-";
  argv[n++] = "s3://bucket/object";
  must(opt_parse(o, OPT_PUT, n, argv, &e), &e);
  must(config_make(&w->config, o, (struct now){0, 0}, &e), &e);
  must(place_find(o, w->config.provider, &w->config.target, NULL, &w->site, &e),
       &e);
}

/* ---- one invocation ---- */

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  (void)j;
  (void)e;
  args->body = (struct body){.present = true};
  return ERR_OK;
}

static const struct job_hooks hooks = {.prepare = prepare};

/* As cli/cli makes one. */
static void make_engine(struct invocation *i, struct now now)
{
  static struct log silent = {.silent = true};
  static struct report no_report = {.fd = -1, .log = &silent};
  const struct config *c = &sim->config;
  i->engine = (struct engine){
      .provider = c->provider,
      .target = &c->target,
      .options = &c->object,
      .report = &no_report,
      .policy = c->policy,
      .policy_name = c->policy_name,
      .more = &c->more,
      .less = &c->less,
      .timeouts = c->timeouts,
      .start_mono_ms = now.mono_ms,
      .deadline_mono_ms = now.mono_ms + c->deadline_mono_ms,
      .breaker_wait_ms = c->breaker_wait_ms,
      .site = sim->site, /* borrowed: it is not released with the engine */
  };
  i->engine.guard =
      (struct guard){.report = &no_report,
                     .options = c->guard,
                     .state = c->no_state ? NULL : &i->machine->state,
                     .start_mono_ms = now.mono_ms,
                     .deadline_mono_ms = i->engine.deadline_mono_ms};
}

static void earn(struct invocation *i)
{
  int64_t *tokens = &i->machine->tokens;
  *tokens += i->cost ? i->cost : NO_RETRY_GAIN;
  if (*tokens > SIM_TOKENS)
    *tokens = SIM_TOKENS;
}

static void invoke(struct invocation *i)
{
  struct error e = {0};
  i->begun_ms = i->wake_ms = sim->now_ms;
  make_engine(i, sys_now());
  must(http_new(&sim->config.http, &i->engine.http, &e), &e);
  i->job = (struct job){
      .op = OP_PUT, .kind = JOB_BULK, .hooks = &hooks, .sink_fd = -1};
  engine_run(&i->engine, &i->job, 1);
  guard_flush(&i->engine.guard, sys_now());
  if (i->job.end == ERR_OK)
    earn(i);
  count_end(i);
  job_release(&i->job);
  guard_release(&i->engine.guard);
  http_free(i->engine.http);
}

/* ---- the rules of others, over our step ---- */

struct retry_step __real_retry_next(const struct retry_policy *p,
                                    const struct retry_state *s,
                                    const struct retry_ask *ask,
                                    int64_t deadline_mono_ms, struct now now,
                                    uint64_t dice);
struct retry_step __wrap_retry_next(const struct retry_policy *p,
                                    const struct retry_state *s,
                                    const struct retry_ask *ask,
                                    int64_t deadline_mono_ms, struct now now,
                                    uint64_t dice);

/* A Retry-After takes the place of a shorter wait, and is not added to it. */
static void as_curl(const struct retry_ask *ask, struct retry_step *step)
{
  if (step->why == RETRY_GO && ask->retry_after_ms >= 0)
    step->wait_ms = ask->retry_after_ms > step->backoff_ms ? ask->retry_after_ms
                                                           : step->backoff_ms;
}

static void as_aws(const struct retry_ask *ask, struct retry_step *step)
{
  struct invocation *i = sim->current;
  int64_t cost = i->timed_out ? TIMEOUT_COST : RETRY_COST;
  if (step->why != RETRY_GO)
    return;
  if (i->machine->tokens < cost) {
    *step = retry_suppress(ask);
    return;
  }
  i->machine->tokens -= cost;
  i->cost = cost;
}

struct retry_step __wrap_retry_next(const struct retry_policy *p,
                                    const struct retry_state *s,
                                    const struct retry_ask *ask,
                                    int64_t deadline_mono_ms, struct now now,
                                    uint64_t dice)
{
  struct retry_step step =
      __real_retry_next(p, s, ask, deadline_mono_ms, now, dice);
  /* Another policy is that of a hold-off. */
  bool own = p == &sim->current->engine.policy;
  if (own && sim->policy->yardstick == SIM_CURL)
    as_curl(ask, &step);
  if (own && sim->policy->yardstick == SIM_AWS)
    as_aws(ask, &step);
  return step;
}

/* ---- a run ---- */

enum { MINUTE_MS = 60000, CRON_MS = 100 };

/* Who begins when is the same whatever the policy. */
static void plan(const struct sim_scenario *c)
{
  for (int64_t minute = 0; minute < c->minutes; minute++)
    for (int64_t i = 0; i < c->machines * c->each; i++) {
      uint64_t dice = sim_throw(&sim->luck);
      int64_t within = c->cron ? CRON_MS : MINUTE_MS - 1;
      sim_begin_at(minute * MINUTE_MS + backoff_uniform(dice, within),
                   &sim->machines[i % c->machines]);
    }
}

void sim_run(const struct sim_scenario *scenario,
             const struct sim_policy *policy, uint64_t seed,
             struct sim_count *out)
{
  struct opt o = {0};
  struct world w = {.scenario = scenario,
                    .policy = policy,
                    .dice = seed,
                    .luck = seed + 1,
                    .server = {.scenario = scenario},
                    .count = out};
  *out = (struct sim_count){0};
  sim = &w;
  configure(&w, &o);
  w.machines = calloc((size_t)scenario->machines, sizeof *w.machines);
  if (!w.machines)
    exit(3);
  for (int64_t i = 0; i < scenario->machines; i++)
    w.machines[i].tokens = SIM_TOKENS;
  plan(scenario);
  sim_go(invoke);
  free(w.machines);
  site_release(&w.site);
  config_release(&w.config);
  opt_release(&o);
}
