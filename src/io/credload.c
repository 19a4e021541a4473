/* SPDX-License-Identifier: MIT
 *
 * credload - see credload.h.
 */
#include "io/credload.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "io/file.h"

enum { MAX_FILE = 1 << 20 };

/* One profile file, read whole. */
struct profile_file {
  struct buf path, text;
  bool there;
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* Empty is unset, as everywhere in the environment. */
static const char *env(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static const char *env2(const char *first, const char *second)
{
  const char *value = env(first);
  return value ? value : env(second);
}

static const char *profile_name(const char *flag)
{
  if (flag)
    return flag;
  const char *name = env2("AWS_DEFAULT_PROFILE", "AWS_PROFILE");
  return name ? name : "default";
}

/* ---- the files ---- */

/* No look-up in the password database: HOME is what cron and systemd set. */
static enum err file_path(struct buf *out, const char *variable,
                          const char *below_home)
{
  const char *path = env(variable), *home = env("HOME");
  if (path && codec_starts_with(path, "~/") && home)
    return buf_addf(out, "%s%s", home, path + 1);
  if (path)
    return buf_adds(out, path);
  return home ? buf_addf(out, "%s/%s", home, below_home) : ERR_OK;
}

static enum err read_file(struct profile_file *f, const char *variable,
                          const char *below_home, struct error *e)
{
  struct error why = {0};
  f->text.secret = true;
  if (file_path(&f->path, variable, below_home))
    return no_memory(e);
  if (!f->path.len)
    return ERR_OK;
  enum err err = file_slurp(buf_str(&f->path), MAX_FILE, &f->text, &why);
  f->there = !err;
  /* A file that was named must be there; the usual one need not be. */
  if (err == ERR_NOT_FOUND && !env(variable))
    return ERR_OK;
  return err ? err_set(e, ERR_CREDENTIALS, "%s", why.msg) : ERR_OK;
}

static enum err read_credentials(struct profile_file *f, struct error *e)
{
  return read_file(f, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", e);
}

static enum err read_config(struct profile_file *f, struct error *e)
{
  return read_file(f, "AWS_CONFIG_FILE", ".aws/config", e);
}

static void release_file(struct profile_file *f)
{
  buf_release(&f->path);
  buf_release(&f->text);
}

static enum err get(const struct profile_file *f, const char *section,
                    const char *name, char **out, struct error *e)
{
  struct error why = {0};
  *out = NULL;
  if (!f->there)
    return ERR_OK;
  enum err err =
      ini_get(buf_str(&f->text), f->text.len, section, name, out, &why);
  if (err)
    return err_set(e, err == ERR_INTERNAL ? err : ERR_CREDENTIALS, "%s: %s",
                   buf_str(&f->path), why.msg);
  return ERR_OK;
}

/* In the config file every profile but the default one says so in its name. */
static enum err section_name(struct buf *out, const char *kind,
                             const char *name)
{
  if (strcmp(kind, "profile") == 0 && strcmp(name, "default") == 0)
    return buf_adds(out, name);
  return buf_addf(out, "%s %s", kind, name);
}

static enum err get_config(const struct profile_file *f, const char *kind,
                           const char *name, const char *key, char **out,
                           struct error *e)
{
  struct buf section = {0};
  enum err err = section_name(&section, kind, name);
  err = err ? no_memory(e) : get(f, buf_str(&section), key, out, e);
  buf_release(&section);
  return err;
}

struct seek {
  const char *section;
  bool found;
};

static enum err seek_section(void *ctx, const char *section, const char *name,
                             const char *value, int line, struct error *e)
{
  struct seek *seek = ctx;
  (void)name;
  (void)value;
  (void)line;
  (void)e;
  if (strcmp(section, seek->section) == 0)
    seek->found = true;
  return ERR_OK;
}

static bool has_section(const struct profile_file *f, const char *section)
{
  struct seek seek = {.section = section};
  if (!f->there ||
      ini_parse(buf_str(&f->text), f->text.len, seek_section, &seek, NULL))
    return false;
  return seek.found;
}

/* ---- keys ---- */

static enum err keep(struct creds *out, const char *id, const char *secret,
                     const char *token, const char *source, struct error *e)
{
  struct creds c;
  creds_init(&c);
  c.kind = CREDS_KEYS;
  if (buf_sets(&c.key_id, id) || buf_sets(&c.secret, secret) ||
      buf_sets(&c.token, token ? token : "") || buf_sets(&c.source, source)) {
    creds_release(&c);
    return no_memory(e);
  }
  creds_release(out);
  *out = c;
  return ERR_OK;
}

static enum err from_environment(struct creds *out, bool *found,
                                 struct error *e)
{
  const char *id = env("AWS_ACCESS_KEY_ID");
  const char *secret = env("AWS_SECRET_ACCESS_KEY");
  /* A lone secret is ignored, a lone id is a mistake to be told of. */
  if (!id)
    return ERR_OK;
  if (!secret)
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_ACCESS_KEY_ID is set but AWS_SECRET_ACCESS_KEY is not");
  *found = true;
  return keep(out, id, secret, env2("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"),
              "the environment", e);
}

static void wipe_free(char *s)
{
  if (s)
    buf_wipe(s, strlen(s));
  free(s);
}

static enum err from_section(const struct profile_file *f, const char *section,
                             struct creds *out, bool *found, struct error *e)
{
  char *id = NULL, *secret = NULL, *token = NULL;
  struct buf source = {0};
  enum err err = get(f, section, "aws_access_key_id", &id, e);
  if (!err)
    err = get(f, section, "aws_secret_access_key", &secret, e);
  if (!err)
    err = get(f, section, "aws_session_token", &token, e);
  if (!err && !token)
    err = get(f, section, "aws_security_token", &token, e);
  if (!err && id && !secret)
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: [%s] has aws_access_key_id but no aws_secret_access_key",
                  buf_str(&f->path), section);
  if (!err && id) {
    *found = true;
    err = buf_addf(&source, "[%s] of %s", section, buf_str(&f->path))
              ? no_memory(e)
              : keep(out, id, secret, token, buf_str(&source), e);
  }
  buf_release(&source);
  free(id);
  wipe_free(secret);
  wipe_free(token);
  return err;
}

static enum err none_found(const char *flag, const char *profile, bool known,
                           const struct profile_file *credentials,
                           const struct profile_file *config, struct error *e)
{
  const char *a = credentials->path.len ? buf_str(&credentials->path)
                                        : "~/.aws/credentials (HOME is unset)";
  const char *b = config->path.len ? buf_str(&config->path)
                                   : "~/.aws/config (HOME is unset)";
  if (!known && strcmp(profile, "default") != 0)
    return err_set(e, ERR_CREDENTIALS,
                   "profile '%s' is neither in %s nor in %s", profile, a, b);
  return err_set(e, ERR_CREDENTIALS,
                 "no credentials: looked at %sprofile '%s' in %s and %s",
                 flag ? "" : "AWS_ACCESS_KEY_ID, ", profile, a, b);
}

static enum err from_files(const char *flag, struct creds *out, struct error *e)
{
  struct profile_file credentials = {0}, config = {0};
  struct buf section = {0};
  const char *profile = profile_name(flag);
  bool found = false;
  enum err err = read_credentials(&credentials, e);
  if (!err)
    err = read_config(&config, e);
  if (!err && section_name(&section, "profile", profile))
    err = no_memory(e);
  if (!err)
    err = from_section(&credentials, profile, out, &found, e);
  if (!err && !found)
    err = from_section(&config, buf_str(&section), out, &found, e);
  if (!err && !found) {
    bool known = has_section(&credentials, profile) ||
                 has_section(&config, buf_str(&section));
    err = none_found(flag, profile, known, &credentials, &config, e);
  }
  buf_release(&section);
  release_file(&credentials);
  release_file(&config);
  return err;
}

enum err credload_aws(const struct credload_ask *ask, struct creds *out,
                      struct error *e)
{
  bool found = false;
  enum err err = ask->profile ? ERR_OK : from_environment(out, &found, e);
  return err || found ? err : from_files(ask->profile, out, e);
}

/* ---- settings ---- */

static enum err set_copy(char **out, const char *value, struct error *e)
{
  *out = value ? strdup(value) : NULL;
  return value && !*out ? no_memory(e) : ERR_OK;
}

/* The first of two variables that is set, and its name. */
static enum err from_variables(const char *first, const char *second,
                               char **value, char **from, struct error *e)
{
  enum err err = set_copy(value, env2(first, second), e);
  return err || !*value ? err : set_copy(from, env(first) ? first : second, e);
}

/* "services = X" names [services X], whose s3 member holds endpoint_url on a
 * line of its own below it. */
static enum err service_endpoint(const struct profile_file *f,
                                 const char *profile, char **out,
                                 struct error *e)
{
  char *services = NULL, *s3 = NULL;
  enum err err = get_config(f, "profile", profile, "services", &services, e);
  if (!err && services)
    err = get_config(f, "services", services, "s3", &s3, e);
  if (!err && s3)
    err = ini_get(s3, strlen(s3), "", "endpoint_url", out, e);
  free(services);
  free(s3);
  return err;
}

static enum err endpoint(const struct profile_file *f, const char *profile,
                         struct credload_settings *s, struct error *e)
{
  const char *ignore = env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (ignore && codec_equal_nocase(ignore, "true"))
    return ERR_OK;
  enum err err = from_variables("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
                                &s->endpoint, &s->endpoint_from, e);
  if (err || s->endpoint)
    return err;
  err = service_endpoint(f, profile, &s->endpoint, e);
  if (!err && !s->endpoint)
    err = get_config(f, "profile", profile, "endpoint_url", &s->endpoint, e);
  return err ? err : set_copy(&s->endpoint_from, buf_str(&f->path), e);
}

static enum err region(const struct profile_file *f, const char *profile,
                       struct credload_settings *s, struct error *e)
{
  enum err err = from_variables("AWS_REGION", "AWS_DEFAULT_REGION", &s->region,
                                &s->region_from, e);
  if (err || s->region)
    return err;
  err = get_config(f, "profile", profile, "region", &s->region, e);
  return err ? err : set_copy(&s->region_from, buf_str(&f->path), e);
}

enum err credload_aws_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
{
  struct profile_file config = {0};
  struct credload_settings s = {0};
  const char *name = profile_name(ask->profile);
  enum err err = read_config(&config, e);
  if (!err)
    err = region(&config, name, &s, e);
  if (!err)
    err = endpoint(&config, name, &s, e);
  release_file(&config);
  if (err)
    credload_settings_release(&s);
  else
    *out = s;
  return err;
}

void credload_settings_release(struct credload_settings *s)
{
  free(s->region);
  free(s->region_from);
  free(s->endpoint);
  free(s->endpoint_from);
  free(s->region_metadata);
  free(s->default_realm);
  *s = (struct credload_settings){0};
}
