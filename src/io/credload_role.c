/* SPDX-License-Identifier: MIT
 *
 * credload_role - see credload_aws.h: roles, by STS and by the SSO portal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/json.h"
#include "cloud/aws_host.h"
#include "io/credload_aws.h"
#include "io/file.h"
#include "io/sys.h"

enum { MAX_TOKEN = 65536 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static char *copy(const char *s)
{
  return s ? strdup(s) : NULL;
}

/* ---- STS ---- */

/* The region whose STS is asked. */
static enum err region_of(const struct aws *a, const char *profile, char **out,
                          struct error *e)
{
  const char *said = a->ask->region;
  enum err err = ERR_OK;
  if (!said)
    said = credload_env2("AWS_REGION", "AWS_DEFAULT_REGION");
  *out = copy(said);
  if (!said)
    err = credload_aws_value(a, profile, "region", out, e);
  if (!err && said && !*out)
    err = no_memory(e);
  if (!err && *out && !aws_host_is_region(*out))
    err = err_set(e, ERR_CREDENTIALS, "'%.80s' is not a region name", *out);
  return err;
}

/* Without any region it is the one for the whole partition. */
static enum err sts_host(const struct aws *a, const char *region,
                         struct buf *out, struct error *e)
{
  struct aws_host_kind kind = {false, false};
  enum err err = credload_aws_kind(a, &kind, e);
  if (err)
    return err;
  return (region ? aws_host_sts(region, kind, out)
                 : buf_adds(out, "sts.amazonaws.com"))
             ? no_memory(e)
             : ERR_OK;
}

static enum err sts_grant(const struct aws *a, const char *profile,
                          struct way *w, struct grant **out, struct error *e)
{
  struct buf host = {0};
  struct grant *g = way_add(w);
  enum err err = g ? region_of(a, profile, &g->region, e) : no_memory(e);
  if (!err)
    err = sts_host(a, g->region, &host, e);
  if (!err && !g->region) {
    g->region = strdup("us-east-1");
    err = g->region ? ERR_OK : no_memory(e);
  }
  if (!err) {
    g->method = METHOD_POST;
    g->reply = GRANT_STS_KEYS;
    *out = g;
    err = credload_aws_place(a, "sts", buf_str(&host), &g->base, e);
  }
  buf_release(&host);
  return err ? err : kv_add(&g->form, "Version", "2011-06-15", e);
}

static enum err add_action(struct grant *g, const char *action,
                           const char *role, const char *session,
                           struct error *e)
{
  enum err err = kv_add(&g->form, "Action", action, e);
  if (!err)
    err = kv_add(&g->form, "RoleArn", role, e);
  return err ? err
             : kv_add(&g->form, "RoleSessionName", session ? session : "ank",
                      e);
}

static enum err add_setting(const struct aws *a, const char *profile,
                            const char *key, const char *field, struct grant *g,
                            struct error *e)
{
  char *value = NULL;
  enum err err = credload_aws_value(a, profile, key, &value, e);
  if (!err && value)
    err = kv_add(&g->form, field, value, e);
  free(value);
  return err;
}

static enum err name_role(struct way *w, const char *role, const char *profile)
{
  buf_clear(&w->name);
  return profile ? buf_addf(&w->name, "role %s of profile '%s'", role, profile)
                 : buf_addf(&w->name, "role %s by AWS_WEB_IDENTITY_TOKEN_FILE",
                            role);
}

/* Nobody is there to type a code. */
static enum err refuse_mfa(const struct aws *a, const char *profile,
                           struct error *e)
{
  char *serial = NULL;
  enum err err = credload_aws_value(a, profile, "mfa_serial", &serial, e);
  if (!err && serial)
    err = err_set(e, ERR_CREDENTIALS,
                  "profile '%s' has mfa_serial, and nothing is asked of a "
                  "person: use a session that has been begun",
                  profile);
  free(serial);
  return err;
}

enum err credload_aws_role(const struct aws *a, const char *profile,
                           struct way *w, struct error *e)
{
  char *role = NULL, *session = NULL;
  struct grant *g = NULL;
  enum err err = refuse_mfa(a, profile, e);
  if (!err)
    err = credload_aws_value(a, profile, "role_arn", &role, e);
  if (!err)
    err = credload_aws_value(a, profile, "role_session_name", &session, e);
  if (!err)
    err = sts_grant(a, profile, w, &g, e);
  if (!err)
    err = add_action(g, "AssumeRole", role, session, e);
  if (!err)
    err = add_setting(a, profile, "external_id", "ExternalId", g, e);
  if (!err)
    err = add_setting(a, profile, "duration_seconds", "DurationSeconds", g, e);
  if (!err && name_role(w, role, profile))
    err = no_memory(e);
  if (!err)
    g->proof = GRANT_SIGV4;
  free(role);
  free(session);
  return err;
}

/* Read anew each time: whoever put it there replaces it. */
static enum err read_token(const char *file, struct buf *out, struct error *e)
{
  struct error why = {0};
  enum err err = file_slurp(file, MAX_TOKEN, out, &why);
  if (err)
    return err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  buf_cut(out, strcspn(buf_str(out), "\r\n"));
  return out->len ? ERR_OK
                  : err_set(e, ERR_CREDENTIALS, "%s: holds no token", file);
}

enum err credload_aws_web_role(const struct aws *a, const char *file,
                               const char *role, const char *session,
                               struct way *w, struct error *e)
{
  struct grant *g = NULL;
  enum err err = read_token(file, &w->start.token, e);
  if (!err)
    err = sts_grant(a, a->profile, w, &g, e);
  if (!err)
    err = add_action(g, "AssumeRoleWithWebIdentity", role, session, e);
  if (err)
    return err;
  g->proof = GRANT_FORM;
  g->token_as = strdup("WebIdentityToken");
  return g->token_as ? ERR_OK : no_memory(e);
}

enum err credload_aws_web(const struct aws *a, struct way *w, bool *found,
                          struct error *e)
{
  const char *file = credload_env("AWS_WEB_IDENTITY_TOKEN_FILE");
  const char *role = credload_env("AWS_ROLE_ARN");
  *found = file != NULL;
  if (!file)
    return ERR_OK;
  if (!role)
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_WEB_IDENTITY_TOKEN_FILE is set but AWS_ROLE_ARN is "
                   "not");
  if (name_role(w, role, NULL))
    return no_memory(e);
  return credload_aws_web_role(a, file, role,
                               credload_env("AWS_ROLE_SESSION_NAME"), w, e);
}

/* ---- SSO ---- */

/* What a profile says of its session. */
struct sso {
  char *session, *url, *region, *account, *role;
};

static void sso_release(struct sso *s)
{
  free(s->session);
  free(s->url);
  free(s->region);
  free(s->account);
  free(s->role);
}

static enum err read_session(const struct aws *a, struct sso *s,
                             struct error *e)
{
  static const char kind[] = "sso-session";
  free(s->url);
  free(s->region);
  s->url = s->region = NULL;
  enum err err = credload_get_config(&a->config, kind, s->session,
                                     "sso_start_url", &s->url, e);
  return err ? err
             : credload_get_config(&a->config, kind, s->session, "sso_region",
                                   &s->region, e);
}

static enum err read_sso(const struct aws *a, const char *profile,
                         struct sso *s, struct error *e)
{
  const struct {
    const char *key;
    char **to;
  } settings[] = {{"sso_session", &s->session},
                  {"sso_start_url", &s->url},
                  {"sso_region", &s->region},
                  {"sso_account_id", &s->account},
                  {"sso_role_name", &s->role}};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof settings / sizeof *settings && !err; i++)
    err = credload_aws_value(a, profile, settings[i].key, settings[i].to, e);
  if (!err && s->session)
    err = read_session(a, s, e);
  return err;
}

/* The file that the login wrote is named by the session, or by its URL. */
static enum err sso_file(const struct sso *s, struct buf *out, struct error *e)
{
  const char *key = s->session ? s->session : s->url;
  struct hash h = {0};
  unsigned char sum[HASH_MAX_LEN];
  const char *home = credload_env("HOME");
  enum err err = hash_start(&h, HASH_SHA1);
  if (!err)
    err = hash_update(&h, key, strlen(key));
  if (!err)
    err = hash_final(&h, sum);
  hash_release(&h);
  if (!err)
    err = buf_addf(out, "%s/.aws/sso/cache/", home ? home : "");
  if (!err)
    err = codec_hex(out, sum, hash_len(HASH_SHA1));
  if (!err)
    err = buf_adds(out, ".json");
  return err ? no_memory(e) : ERR_OK;
}

static enum err log_in(const char *profile, const char *why, struct error *e)
{
  return err_set(e, ERR_CREDENTIALS,
                 "the session %s: run 'aws sso login --profile %s'", why,
                 profile);
}

/* Old ones end in "UTC" instead of "Z". */
static bool has_ended(const struct buf *text)
{
  char iso[64];
  int64_t ms;
  snprintf(iso, sizeof iso, "%s", buf_str(text));
  char *utc = strstr(iso, "UTC");
  if (utc)
    memcpy(utc, "Z", 2);
  return !date_parse_iso(iso, &ms) || ms <= sys_now().wall_ms;
}

static enum err read_login(const struct sso *s, const char *profile,
                           struct creds *out, struct error *e)
{
  struct buf path = {0}, text = {.secret = true}, ends = {0};
  enum err err = sso_file(s, &path, e);
  if (!err && file_slurp(buf_str(&path), MAX_TOKEN, &text, NULL))
    err = log_in(profile, "has not begun", e);
  if (!err && !json_get(buf_str(&text), text.len, "accessToken", &out->token))
    err = log_in(profile, "cannot be read", e);
  if (!err && (!json_get(buf_str(&text), text.len, "expiresAt", &ends) ||
               has_ended(&ends)))
    err = log_in(profile, "has expired", e);
  buf_release(&path);
  buf_release(&text);
  buf_release(&ends);
  return err;
}

static enum err sso_grant(const struct aws *a, const struct sso *s,
                          struct way *w, struct error *e)
{
  char host[128];
  struct grant *g = way_add(w);
  if (!g)
    return no_memory(e);
  snprintf(host, sizeof host, "portal.sso.%s.%s", s->region,
           aws_host_suffix(s->region));
  g->proof = GRANT_HEADER;
  g->token_as = strdup("x-amz-sso_bearer_token");
  g->reply = GRANT_SSO_KEYS;
  enum err err = g->token_as ? credload_aws_place(a, "sso", host, &g->base, e)
                             : no_memory(e);
  char *path = err ? NULL : malloc(strlen(g->base.path) + 32);
  if (!err && !path)
    err = no_memory(e);
  if (err)
    return err;
  snprintf(path, strlen(g->base.path) + 32, "%s/federation/credentials",
           g->base.path);
  free(g->base.path);
  g->base.path = path;
  err = kv_add(&g->query, "role_name", s->role, e);
  return err ? err : kv_add(&g->query, "account_id", s->account, e);
}

static enum err check_sso(const struct sso *s, const char *profile,
                          struct error *e)
{
  const char *lacks = !s->url       ? "sso_start_url"
                      : !s->region  ? "sso_region"
                      : !s->account ? "sso_account_id"
                      : !s->role    ? "sso_role_name"
                                    : NULL;
  if (lacks)
    return err_set(e, ERR_CREDENTIALS, "profile '%s' lacks %s", profile, lacks);
  return aws_host_is_region(s->region)
             ? ERR_OK
             : err_set(e, ERR_CREDENTIALS,
                       "profile '%s': sso_region is not a region name",
                       profile);
}

enum err credload_aws_sso(const struct aws *a, const char *profile,
                          struct way *w, bool *found, struct error *e)
{
  struct sso s = {0};
  enum err err = read_sso(a, profile, &s, e);
  /* A session alone serves other things than this role. */
  *found = !err && (s.session || s.url) && (s.account || s.role);
  if (*found) {
    buf_clear(&w->name);
    err = buf_addf(&w->name, "the SSO session of profile '%s'", profile)
              ? no_memory(e)
              : check_sso(&s, profile, e);
    if (!err)
      err = read_login(&s, profile, &w->start, e);
    if (!err)
      err = sso_grant(a, &s, w, e);
  }
  sso_release(&s);
  return err;
}
