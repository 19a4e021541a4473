/* SPDX-License-Identifier: MIT
 *
 * cli - see cli.h.  Whatever happens, the `result` line is the last.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "cli/cli_secrets.h"
#include "cli/completion.h"
#include "cli/config.h"
#include "cli/files.h"
#include "cli/help.h"
#include "cli/place.h"
#include "cli/place_ask.h"
#include "cloud/sas.h"
#include "flow/explain.h"
#include "flow/get.h"
#include "flow/namespace.h"
#include "flow/put.h"
#include "flow/token.h"
#include "io/identity.h"
#include "io/sys.h"

/* All that one process needs, in the order it is set up. */
struct run {
  enum opt_programs program;
  struct log log;
  struct opt opt;
  struct report report;
  struct config config;
  struct state state;
  struct progress progress;
  struct engine engine;
  struct http *http;
  struct summary summary;
  unsigned closed_fds;
  bool asks_region; /* before the first request */
  bool files_told;  /* each file has told its own failure */
};

/* ---- setting up ---- */

static enum err keep_secrets(void *ctx, const struct creds *c, struct error *e)
{
  struct run *r = ctx;
  struct buf sig = {.secret = true}, plain = {.secret = true};
  enum err err = log_secret(&r->log, buf_str(&c->secret));
  if (!err)
    err = log_secret(&r->log, buf_str(&c->token));
  if (!err && c->kind == CREDS_SAS)
    err = sas_signature(buf_str(&c->token), &sig, &plain);
  if (!err)
    err = log_secret(&r->log, buf_str(&sig));
  if (!err)
    err = log_secret(&r->log, buf_str(&plain));
  buf_release(&sig);
  buf_release(&plain);
  return err ? err_set(e, ERR_INTERNAL, "out of memory") : ERR_OK;
}

static enum err find_ways(void *ctx, struct ways *out, struct error *e)
{
  struct run *r = ctx;
  const struct config *c = &r->config;
  const struct credload_ask ask = {.profile = c->profile,
                                   .target = &c->target,
                                   .region = opt_text(&r->opt, OPT_REGION),
                                   .deadline_mono_ms = c->deadline_mono_ms};
  return identity_find(c->provider->name, &ask, out, e);
}

static enum err keep_secret(void *ctx, const char *secret)
{
  struct run *r = ctx;
  return log_secret(&r->log, secret);
}

static enum err load_credentials(struct run *r, struct error *e)
{
  creds_init(&r->engine.creds);
  creds_init(&r->engine.token.hand);
  sys_guard_secrets();
  return r->config.sign ? token_prepare(&r->engine, e) : ERR_OK;
}

static void make_engine(struct run *r, struct now start)
{
  const struct config *c = &r->config;
  struct engine *e = &r->engine;
  e->target = &c->target;
  e->options = &c->object;
  e->hashes = c->object.has_checksum ? HASH_BIT(c->object.checksum) : 0;
  e->report = &r->report;
  e->policy = c->policy;
  e->policy_name = c->policy_name;
  e->more = &c->more;
  e->less = &c->less;
  e->timeouts = c->timeouts;
  e->start_mono_ms = start.mono_ms;
  e->deadline_mono_ms = c->deadline_mono_ms;
  e->breaker_wait_ms = c->breaker_wait_ms;
  e->sign = c->sign;
  e->progress = &r->progress;
  e->explain = c->explain ? &r->log : NULL;
  e->token = (struct token){.find = find_ways,
                            .keep = keep_secrets,
                            .ctx = r,
                            .no_cache = c->no_token_cache};
  e->keep_secret = keep_secret;
}

/* A dry run sends nothing, so it neither asks nor tells. */
static enum err share(struct run *r, struct error *e)
{
  const struct config *c = &r->config;
  enum err err = ERR_OK;
  r->engine.guard =
      (struct guard){.report = &r->report,
                     .options = c->guard,
                     .start_mono_ms = r->engine.start_mono_ms,
                     .deadline_mono_ms = r->engine.deadline_mono_ms};
  if (c->no_state || c->dry_run)
    return ERR_OK;
  err = state_open(&r->state, c->state_file, e);
  r->engine.guard.state = err ? NULL : &r->state;
  return err;
}

/* What the caller closed is no empty object. */
static enum err check_stdin(const struct run *r, struct error *e)
{
  const struct config *c = &r->config;
  if (c->abort_upload || c->put.path || c->put.command ||
      !(r->closed_fds & 1u << STDIN_FILENO))
    return ERR_OK;
  return err_set(e, ERR_LOCAL, "standard input is closed");
}

/* An object for a descriptor that the caller closed would be lost in silence
 * (security.md 7). */
static enum err check_std(const struct run *r, struct error *e)
{
  const struct config *c = &r->config;
  if (r->program == OPT_PUT)
    return check_stdin(r, e);
  if (c->file || c->head || c->dry_run ||
      !(r->closed_fds & 1u << STDOUT_FILENO))
    return ERR_OK;
  return err_set(e, ERR_LOCAL, "standard output is closed");
}

static enum err set_up(struct run *r, struct now start, struct error *e)
{
  enum err err = config_make(&r->config, &r->opt, start, e);
  if (err)
    return err;
  r->engine.provider = r->config.provider;
  r->config.http.trace = r->config.verbose ? &r->log : NULL;
  make_engine(r, start);
  err = cli_keep_secrets(&r->log, &r->config, e);
  if (!err)
    err = place_find(&r->opt, r->engine.provider, &r->config.target,
                     &r->asks_region, &r->engine.site, e);
  if (!err)
    err = load_credentials(r, e);
  if (!err)
    err = check_std(r, e);
  if (!err)
    err = share(r, e);
  if (!err)
    err = http_new(&r->config.http, &r->http, e);
  r->engine.http = r->http;
  return err;
}

/* ---- the work ---- */

static void warn_insecure(struct run *r, struct now now)
{
  if (r->config.http.insecure)
    report_warning(&r->report, now.wall_ms, "insecure", NULL,
                   "the server's certificate is not checked (--insecure)");
}

/* Where JSON lines go nothing else is drawn, unless it is asked for. */
static bool wants_progress(const struct run *r)
{
  const struct opt *o = &r->opt;
  if (opt_flag(o, OPT_NO_PROGRESS) || r->log.silent)
    return false;
  return opt_flag(o, OPT_PROGRESS) || !report_on_stderr(&r->report);
}

/* ---- the end ---- */

/* Where an object goes to standard output the report does not. */
static int report_fd(const struct run *r)
{
  const char *output = opt_text(&r->opt, OPT_OUTPUT);
  bool to_file =
      r->opt.n_operands == 2 || opt_flag(&r->opt, OPT_REMOTE_NAME) || output;
  bool dash =
      (r->opt.n_operands == 2 && strcmp(r->opt.operands[1], "-") == 0) ||
      (output && strcmp(output, "-") == 0);
  if (r->program == OPT_PUT || opt_flag(&r->opt, OPT_HEAD) ||
      (to_file && !dash))
    return STDOUT_FILENO;
  return STDERR_FILENO;
}

static bool is_quiet(const struct summary *s)
{
  return err_is_success(s->end) ||
         (s->why && strcmp(s->why, "stdout_closed") == 0);
}

static int signal_of_end(void)
{
  return sys_interrupted() ? sys_interrupted() : SIGPIPE;
}

/* T: the object, if a request was made for it. */
static void say_failure(const struct run *r, const struct summary *s,
                        const struct target *t)
{
  struct buf place = {0};
  if (is_quiet(s) || report_on_stderr(&r->report))
    return;
  if (t && !target_place(&place, t) && !buf_addf(&place, "/%s: ", t->key) &&
      s->throttled && s->end == ERR_THROTTLED)
    log_error(&r->log, "%scome back in %lld s (%s)", buf_str(&place),
              (long long)s->throttled_s, s->error.msg);
  else
    log_error(&r->log, "%s%s", buf_str(&place), s->error.msg);
  buf_release(&place);
}

static const struct target *asked_for(const struct engine *e,
                                      const struct summary *s)
{
  return e->attempts || s->end == ERR_BREAKER_OPEN || s->throttled ? e->target
                                                                   : NULL;
}

static void tell_file(void *ctx, const struct summary *s,
                      const struct engine *e)
{
  struct run *r = ctx;
  r->files_told = true;
  log_clear(&r->log);
  summary_tell(s, e, &r->report, err_exit_status(s->end, signal_of_end()),
               sys_now());
  say_failure(r, s, asked_for(e, s));
}

static void work(struct run *r)
{
  const struct config *c = &r->config;
  struct get_wish wish = {.output = c->file,
                          .create_dirs = c->create_dirs,
                          .head = c->head,
                          .resume = opt_flag(&r->opt, OPT_CONTINUE),
                          .dry_run = c->dry_run,
                          .range = c->range,
                          .ranges = c->ranges};
  warn_insecure(r, sys_now());
  progress_begin(&r->progress, wants_progress(r));
  r->log.clear = progress_clear;
  r->log.clear_ctx = &r->progress;
  if (r->asks_region && place_ask(&r->engine, &r->opt, c->dry_run, &r->summary))
    return;
  explain_run(&r->engine, sys_now());
  if (c->provider->asks_account && !c->target.account &&
      namespace_ask(&r->engine, &r->config.target, c->dry_run, &r->summary))
    return;
  if (c->abort_upload)
    put_abort(&r->engine, c->abort_upload, c->dry_run, &r->summary);
  else if (c->n_files)
    files_put(&r->engine, c, tell_file, r, &r->summary);
  else if (r->program == OPT_PUT)
    put_object(&r->engine, &c->put, &r->summary);
  else
    get_object(&r->engine, &wish, &r->summary);
}

static int finish(struct run *r)
{
  int status = err_exit_status(r->summary.end, signal_of_end());
  log_clear(&r->log);
  guard_flush(&r->engine.guard, sys_now());
  if (r->config.n_files)
    r->engine.target = NULL;
  summary_tell(&r->summary, &r->engine, &r->report, status, sys_now());
  if (!is_quiet(&r->summary))
    guard_tell_opening(&r->engine.guard);
  if (!r->files_told)
    say_failure(r, &r->summary, asked_for(&r->engine, &r->summary));
  report_close(&r->report);
  return status;
}

static void release(struct run *r)
{
  summary_release(&r->summary);
  http_free(r->http);
  engine_release(&r->engine);
  state_close(&r->state);
  config_release(&r->config);
  opt_release(&r->opt);
  log_release(&r->log);
}

/* Of two that are given the one with the last word counts. */
static bool wants_text(const struct opt *o)
{
  const struct opt_value *text = &o->values[OPT_TEXT];
  const struct opt_value *json = &o->values[OPT_JSON];
  return opt_flag(o, OPT_TEXT) &&
         !(opt_flag(o, OPT_JSON) && json->rank >= text->rank);
}

static enum err begin(struct run *r, int argc, char **argv, struct error *e)
{
  enum err err = sys_open_std(&r->closed_fds, e);
  sys_outlive_file_limit();
  if (!err)
    err = opt_parse(&r->opt, r->program, argc, argv, e);
  if (!err && argc < 2)
    err = err_set(e, ERR_USAGE, "%s (try --help)", help_usage(r->program));
  r->log.silent = opt_flag(&r->opt, OPT_SILENT);
  if (!err)
    err = place_hide_secrets(&r->opt, argc, argv, &r->log, e);
  struct error report_error = {0};
  enum err report_err =
      report_open(&r->report, opt_text(&r->opt, OPT_REPORT), report_fd(r),
                  &r->log, sys_random(), &report_error);
  r->report.plain = wants_text(&r->opt);
  if (!err && report_err)
    err = err_set(e, report_err, "%s: %s", opt_source(&r->opt, OPT_REPORT),
                  report_error.msg);
  return err;
}

static int run(struct run *r, int argc, char **argv)
{
  struct now start = sys_now();
  struct error *e = &r->summary.error;
  r->engine.start_mono_ms = start.mono_ms;
  enum err err = begin(r, argc, argv, e);
  int told = err ? -1 : help_answer(&r->opt, http_library, &r->log);
  if (!err && told < 0)
    told = completion_answer(&r->opt, &r->log);
  if (told >= 0)
    return told;
  /* For the result of a usage error too: its reader may have gone. */
  if (err)
    (void)!sys_catch_signals(NULL);
  else
    err = sys_catch_signals(e);
  if (!err)
    err = set_up(r, start, e);
  if (err)
    r->summary.end = err;
  else
    work(r);
  return finish(r);
}

int cli_main(enum opt_programs program, int argc, char **argv)
{
  struct run r = {.program = program};
  r.log.program = help_program(program);
  int status = run(&r, argc, argv);
  int signum = r.summary.end == ERR_INTERRUPTED ? sys_interrupted() : 0;
  release(&r);
  /* The shell's loop must see that a signal ended us. */
  if (signum)
    sys_reraise(signum);
  return status;
}
