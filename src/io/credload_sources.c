/* SPDX-License-Identifier: MIT
 *
 * credload_sources - see credload_aws.h: what a profile has.
 */
#include <stdlib.h>
#include <string.h>

#include "io/credload_aws.h"

/* Roles by roles by roles: a circle is longer. */
enum { MOST_ROLES = 5 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err keys_of(const struct profile_file *f, const char *section,
                        struct way *w, bool *found, struct error *e)
{
  enum err err = credload_aws_section(f, section, &w->start, found, e);
  if (*found && !err) {
    buf_clear(&w->name);
    if (buf_adds(&w->name, buf_str(&w->start.source)))
      err = no_memory(e);
  }
  return err;
}

static enum err config_keys(const struct aws *a, const char *profile,
                            struct way *w, bool *found, struct error *e)
{
  struct buf section = {0};
  /* A damaged file is told of by the look itself. */
  (void)credload_section(&a->config, "profile", profile, &section);
  enum err err = keys_of(&a->config, buf_str(&section), w, found, e);
  buf_release(&section);
  return err;
}

static enum err environment_keys(struct way *w, struct error *e)
{
  bool found = false;
  enum err err = credload_aws_environment(&w->start, &found, e);
  return err || found ? err
                      : err_set(e, ERR_CREDENTIALS,
                                "credential_source is Environment, and "
                                "AWS_ACCESS_KEY_ID is not set");
}

static enum err from_source(const struct aws *a, const char *source,
                            struct way *w, struct error *e)
{
  bool found = false;
  enum err err;
  if (strcmp(source, "Environment") == 0)
    return environment_keys(w, e);
  if (strcmp(source, "EcsContainer") == 0)
    err = credload_aws_container(w, &found, e);
  else if (strcmp(source, "Ec2InstanceMetadata") == 0)
    err = credload_aws_instance(a, w, &found, e);
  else
    return err_set(e, ERR_CREDENTIALS,
                   "credential_source is Environment, EcsContainer or "
                   "Ec2InstanceMetadata, not '%.40s'",
                   source);
  return err || found
             ? err
             : err_set(e, ERR_CREDENTIALS,
                       "credential_source %s: there is none here", source);
}

/* All of PROFILE's sources, in their order. */
static enum err sources_of(const struct aws *a, const char *profile,
                           struct way *w, bool *found, int depth,
                           struct error *e)
{
  enum err err = credload_aws_roles(a, profile, w, found, depth, e);
  return err || *found ? err : credload_aws_rest(a, profile, w, found, e);
}

/* Has it keys of its own, whole or not? */
static enum err has_keys(const struct aws *a, const char *profile, bool *out,
                         struct error *e)
{
  char *id = NULL;
  enum err err = credload_aws_value(a, profile, "aws_access_key_id", &id, e);
  *out = id != NULL;
  free(id);
  return err;
}

/* As a source, a profile's keys go before its role (botocore); it may be its
 * own source by them alone. */
static enum err from_profile(const struct aws *a, const char *profile,
                             const char *source, struct way *w, int depth,
                             struct error *e)
{
  bool found = false, keys = false;
  if (depth >= MOST_ROLES)
    return err_set(e, ERR_CREDENTIALS,
                   "source_profile '%s' leads too far, or back", source);
  enum err err = has_keys(a, source, &keys, e);
  if (!err && keys)
    err = keys_of(&a->credentials, source, w, &found, e);
  if (!err && keys && !found)
    err = config_keys(a, source, w, &found, e);
  if (!err && !found && strcmp(profile, source) != 0)
    err = sources_of(a, source, w, &found, depth + 1, e);
  return err || found
             ? err
             : err_set(e, ERR_CREDENTIALS,
                       "source_profile '%s' has no credentials", source);
}

static enum err role_of(const struct aws *a, const char *profile, struct way *w,
                        int depth, struct error *e)
{
  char *source_profile = NULL, *source = NULL;
  enum err err =
      credload_aws_value(a, profile, "source_profile", &source_profile, e);
  if (!err)
    err = credload_aws_value(a, profile, "credential_source", &source, e);
  if (!err && !source_profile == !source)
    err = err_set(e, ERR_CREDENTIALS,
                  "profile '%s' has role_arn and needs either source_profile "
                  "or credential_source",
                  profile);
  if (!err)
    err = source ? from_source(a, source, w, e)
                 : from_profile(a, profile, source_profile, w, depth, e);
  if (!err)
    err = credload_aws_role(a, profile, w, e);
  free(source_profile);
  free(source);
  return err;
}

static enum err web_role_of(const struct aws *a, const char *profile,
                            const char *file, const char *role, struct way *w,
                            struct error *e)
{
  char *session = NULL;
  enum err err =
      credload_aws_value(a, profile, "role_session_name", &session, e);
  buf_clear(&w->name);
  if (!err && buf_addf(&w->name, "role %s of profile '%s'", role, profile))
    err = no_memory(e);
  if (!err)
    err = credload_aws_web_role(a, file, role, session, w, e);
  free(session);
  return err;
}

enum err credload_aws_roles(const struct aws *a, const char *profile,
                            struct way *w, bool *found, int depth,
                            struct error *e)
{
  char *role = NULL, *file = NULL;
  enum err err = credload_aws_value(a, profile, "role_arn", &role, e);
  if (!err)
    err = credload_aws_value(a, profile, "web_identity_token_file", &file, e);
  *found = !err && role;
  if (*found)
    err = file ? web_role_of(a, profile, file, role, w, e)
               : role_of(a, profile, w, depth, e);
  free(role);
  free(file);
  return err;
}

enum err credload_aws_rest(const struct aws *a, const char *profile,
                           struct way *w, bool *found, struct error *e)
{
  enum err err = credload_aws_sso(a, profile, w, found, e);
  if (!err && !*found)
    err = keys_of(&a->credentials, profile, w, found, e);
  if (!err && !*found)
    err = credload_aws_process(a, profile, w, found, e);
  if (!err && !*found)
    err = config_keys(a, profile, w, found, e);
  return err;
}
