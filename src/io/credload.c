/* SPDX-License-Identifier: MIT
 *
 * credload - see credload.h.
 */
#include "io/credload.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "io/credload_aws.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- keys ---- */

enum err credload_aws_keys(struct creds *out, const char *id,
                           const char *secret, const char *token,
                           const char *source, struct error *e)
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

/* What pasted text or a file with CRs leaves behind a value, and no header may
 * hold; of a secret nobody says that it has no blank. */
static enum err check_text(const char *name, const char *value, char least,
                           struct error *e)
{
  for (const char *s = value ? value : ""; *s; s++)
    if ((unsigned char)*s < (unsigned char)least)
      return err_set(e, ERR_CREDENTIALS,
                     "%s holds a %s: is there one at its end?", name,
                     *s == ' ' ? "blank" : "line break or control character");
  return ERR_OK;
}

static enum err check_variables(struct error *e)
{
  static const struct {
    const char *name;
    char least;
  } all[] = {{"AWS_ACCESS_KEY_ID", '!'},
             {"AWS_SECRET_ACCESS_KEY", ' '},
             {"AWS_SESSION_TOKEN", '!'},
             {"AWS_SECURITY_TOKEN", '!'}};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && !err; i++)
    err = check_text(all[i].name, credload_env(all[i].name), all[i].least, e);
  return err;
}

enum err credload_aws_environment(struct creds *out, bool *found,
                                  struct error *e)
{
  const char *id = credload_env("AWS_ACCESS_KEY_ID");
  const char *secret = credload_env("AWS_SECRET_ACCESS_KEY");
  /* A lone secret is ignored, a lone id is a mistake to be told of. */
  if (!id)
    return ERR_OK;
  if (!secret)
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_ACCESS_KEY_ID is set but AWS_SECRET_ACCESS_KEY is not");
  *found = true;
  enum err err = check_variables(e);
  if (err)
    return err;
  return credload_aws_keys(
      out, id, secret, credload_env2("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"),
      "the environment", e);
}

static void wipe_free(char *s)
{
  if (s)
    buf_wipe(s, strlen(s));
  free(s);
}

enum err credload_aws_section(const struct profile_file *f, const char *section,
                              struct creds *out, bool *found, struct error *e)
{
  char *id = NULL, *secret = NULL, *token = NULL;
  struct buf source = {0};
  enum err err = credload_get(f, section, "aws_access_key_id", &id, e);
  if (!err)
    err = credload_get(f, section, "aws_secret_access_key", &secret, e);
  if (!err)
    err = credload_get(f, section, "aws_session_token", &token, e);
  if (!err && !token)
    err = credload_get(f, section, "aws_security_token", &token, e);
  if (!err && id && !secret)
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: [%s] has aws_access_key_id but no aws_secret_access_key",
                  buf_str(&f->path), section);
  if (!err && id) {
    *found = true;
    err = buf_addf(&source, "[%s] of %s", section, buf_str(&f->path))
              ? no_memory(e)
              : credload_aws_keys(out, id, secret, token, buf_str(&source), e);
  }
  buf_release(&source);
  free(id);
  wipe_free(secret);
  wipe_free(token);
  return err;
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
  enum err err = set_copy(value, credload_env2(first, second), e);
  return err || !*value
             ? err
             : set_copy(from, credload_env(first) ? first : second, e);
}

/* "services = X" names [services X], whose s3 member holds endpoint_url on a
 * line of its own below it. */
static enum err service_endpoint(const struct profile_file *f,
                                 const char *profile, char **out,
                                 struct error *e)
{
  char *services = NULL, *s3 = NULL;
  enum err err =
      credload_get_config(f, "profile", profile, "services", &services, e);
  if (!err && services)
    err = credload_get_config(f, "services", services, "s3", &s3, e);
  if (!err && s3)
    err = ini_get(s3, strlen(s3), "", "endpoint_url", out, e);
  free(services);
  free(s3);
  return err;
}

static enum err endpoint(const struct profile_file *f, const char *profile,
                         struct credload_settings *s, struct error *e)
{
  const char *ignore = credload_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (ignore && codec_equal_nocase(ignore, "true"))
    return ERR_OK;
  enum err err = from_variables("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
                                &s->endpoint, &s->endpoint_from, e);
  if (err || s->endpoint)
    return err;
  err = service_endpoint(f, profile, &s->endpoint, e);
  if (!err && !s->endpoint)
    err = credload_get_config(f, "profile", profile, "endpoint_url",
                              &s->endpoint, e);
  return err ? err : set_copy(&s->endpoint_from, buf_str(&f->path), e);
}

static enum err region(const struct profile_file *f, const char *profile,
                       struct credload_settings *s, struct error *e)
{
  enum err err = from_variables("AWS_REGION", "AWS_DEFAULT_REGION", &s->region,
                                &s->region_from, e);
  if (err || s->region)
    return err;
  err = credload_get_config(f, "profile", profile, "region", &s->region, e);
  return err ? err : set_copy(&s->region_from, buf_str(&f->path), e);
}

enum err credload_aws_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
{
  struct profile_file config = {0};
  struct credload_settings s = {0};
  const char *name = credload_profile_name(ask->profile);
  enum err err = credload_read_config(&config, e);
  if (!err)
    err = region(&config, name, &s, e);
  if (!err)
    err = endpoint(&config, name, &s, e);
  credload_file_release(&config);
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
