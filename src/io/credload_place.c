/* SPDX-License-Identifier: MIT
 *
 * credload_place - see credload.h and credload_aws.h: what a profile says, and
 * where services are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "io/credload_aws.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err set_copy(char **out, const char *value, struct error *e)
{
  *out = value ? strdup(value) : NULL;
  return value && !*out ? no_memory(e) : ERR_OK;
}

/* ---- what a profile says ---- */

/* FROM, which may be NULL: the file, the caller's to free. */
static enum err value_from(const struct aws *a, const char *profile,
                           const char *key, char **out, char **from,
                           struct error *e)
{
  const struct profile_file *f = &a->credentials;
  enum err err = credload_get(f, profile, key, out, e);
  if (!err && !*out) {
    f = &a->config;
    err = credload_get_config(f, "profile", profile, key, out, e);
  }
  return err || !from || !*out ? err : set_copy(from, buf_str(&f->path), e);
}

enum err credload_aws_value(const struct aws *a, const char *profile,
                            const char *key, char **out, struct error *e)
{
  return value_from(a, profile, key, out, NULL, e);
}

enum err credload_aws_said(const struct aws *a, const char *variable,
                           const char *key, char **out, struct error *e)
{
  const char *said = credload_env(variable);
  *out = NULL;
  return said ? set_copy(out, said, e)
              : credload_aws_value(a, a->profile, key, out, e);
}

enum err credload_aws_is_true(const struct aws *a, const char *variable,
                              const char *key, bool *out, struct error *e)
{
  char *said;
  enum err err = credload_aws_said(a, variable, key, &said, e);
  *out = !err && said && codec_equal_nocase(said, "true");
  free(said);
  return err;
}

enum err credload_aws_kind(const struct aws *a, struct aws_host_kind *out,
                           struct error *e)
{
  enum err err = credload_aws_is_true(a, "AWS_USE_FIPS_ENDPOINT",
                                      "use_fips_endpoint", &out->fips, e);
  return err ? err
             : credload_aws_is_true(a, "AWS_USE_DUALSTACK_ENDPOINT",
                                    "use_dualstack_endpoint", &out->dualstack,
                                    e);
}

/* ---- where a service is ---- */

/* "services = X" names [services X], whose members hold endpoint_url on a line
 * of its own below them. */
static enum err of_service(const struct aws *a, const char *service, char **out,
                           char **from, struct error *e)
{
  char *services = NULL, *lines = NULL;
  enum err err = credload_aws_value(a, a->profile, "services", &services, e);
  if (!err && services)
    err = credload_get_config(&a->config, "services", services, service, &lines,
                              e);
  if (!err && lines)
    err = ini_get(lines, strlen(lines), "", "endpoint_url", out, e);
  if (!err && *out)
    err = set_copy(from, buf_str(&a->config.path), e);
  free(services);
  free(lines);
  return err;
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

static const char *variable_of(const char *service)
{
  return strcmp(service, "s3") == 0    ? "AWS_ENDPOINT_URL_S3"
         : strcmp(service, "sts") == 0 ? "AWS_ENDPOINT_URL_STS"
                                       : "AWS_ENDPOINT_URL_SSO";
}

static enum err find_endpoint(const struct aws *a, const char *service,
                              char **out, char **from, struct error *e)
{
  bool ignored;
  *out = *from = NULL;
  enum err err =
      credload_aws_is_true(a, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                           "ignore_configured_endpoint_urls", &ignored, e);
  if (err || ignored)
    return err;
  err = from_variables(variable_of(service), "AWS_ENDPOINT_URL", out, from, e);
  if (!err && !*out)
    err = of_service(a, service, out, from, e);
  return err || *out ? err
                     : value_from(a, a->profile, "endpoint_url", out, from, e);
}

enum err credload_aws_place(const struct aws *a, const char *service,
                            const char *host, struct uri *out, struct error *e)
{
  char *said, *from;
  struct buf url = {0};
  enum err err = find_endpoint(a, service, &said, &from, e);
  if (!err &&
      (said ? buf_adds(&url, said) : buf_addf(&url, "https://%s", host)))
    err = no_memory(e);
  if (!err && uri_parse(buf_str(&url), out, e)) {
    (void)err_prefix(e, "the endpoint of %s: ", service);
    err = ERR_CREDENTIALS;
  }
  free(said);
  free(from);
  buf_release(&url);
  return err;
}

/* ---- settings ---- */

static enum err find_region(const struct aws *a, struct credload_settings *s,
                            struct error *e)
{
  enum err err = from_variables("AWS_REGION", "AWS_DEFAULT_REGION", &s->region,
                                &s->region_from, e);
  return err || s->region ? err
                          : value_from(a, a->profile, "region", &s->region,
                                       &s->region_from, e);
}

/* Settings may stand in either file.  What is wrong with the one for keys
 * matters when keys are looked for, and only then. */
static enum err read_files(struct aws *a, struct error *e)
{
  struct profile_file *f = &a->credentials;
  struct error why = {0};
  bool found;
  if (credload_read_credentials(f, &why) ||
      ini_has(buf_str(&f->text), f->text.len, "", &found, &why))
    f->there = false;
  return credload_read_config(&a->config, e);
}

enum err credload_aws_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
{
  struct aws a = {.ask = ask, .profile = credload_profile_name(ask->profile)};
  struct credload_settings s = {0};
  enum err err = read_files(&a, e);
  if (!err)
    err = find_region(&a, &s, e);
  if (!err)
    err = find_endpoint(&a, "s3", &s.endpoint, &s.endpoint_from, e);
  if (!err)
    err = credload_aws_kind(&a, &s.kind, e);
  credload_file_release(&a.credentials);
  credload_file_release(&a.config);
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
