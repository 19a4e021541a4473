/* SPDX-License-Identifier: MIT
 *
 * credload_ways - see credload.h: the order in which AWS's sources are looked
 * at (providers.md 2.3), and where its services are.
 */
#include <stdlib.h>
#include <string.h>

#include "io/credload_aws.h"
#include "io/credload_grant.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- all of them, in order ---- */

typedef enum err finder(struct aws *a, struct way *w, bool *found,
                        struct error *e);

static enum err find_environment(struct aws *a, struct way *w, bool *found,
                                 struct error *e)
{
  if (a->ask->profile)
    return ERR_OK;
  enum err err = credload_aws_environment(&w->start, found, e);
  /* Half a key is a mistake to be told of, whatever else there is. */
  w->named = true;
  return !err && buf_adds(&w->name, "the environment") ? no_memory(e) : err;
}

static bool is_known(const struct aws *a)
{
  struct buf section = {0};
  bool known = credload_has_section(&a->credentials, a->profile) ||
               credload_section(&a->config, "profile", a->profile, &section);
  buf_release(&section);
  return known;
}

static bool is_named(const struct aws *a)
{
  return a->ask->profile || credload_env2("AWS_DEFAULT_PROFILE", "AWS_PROFILE");
}

static const char *path_of(const struct profile_file *f, const char *otherwise)
{
  return f->path.len ? buf_str(&f->path) : otherwise;
}

#define NO_CREDENTIALS_FILE "~/.aws/credentials (HOME is unset)"
#define NO_CONFIG_FILE      "~/.aws/config (HOME is unset)"

static enum err find_profile(struct aws *a, struct way *w, bool *found,
                             struct error *e)
{
  enum err err = credload_aws_rest(a, a->profile, w, found, e);
  w->named = is_named(a);
  if (err || *found || !w->named || is_known(a))
    return err;
  return err_set(e, ERR_CREDENTIALS, "profile '%s' is neither in %s nor in %s",
                 a->profile, path_of(&a->credentials, NO_CREDENTIALS_FILE),
                 path_of(&a->config, NO_CONFIG_FILE));
}

static enum err find_web(struct aws *a, struct way *w, bool *found,
                         struct error *e)
{
  return a->ask->profile ? ERR_OK : credload_aws_web(a, w, found, e);
}

static enum err find_container(struct aws *a, struct way *w, bool *found,
                               struct error *e)
{
  (void)a;
  return credload_aws_container(w, found, e);
}

static enum err find_instance(struct aws *a, struct way *w, bool *found,
                              struct error *e)
{
  return credload_aws_instance(a, w, found, e);
}

static enum err find_credentials_file(struct aws *a, struct way *w, bool *found,
                                      struct error *e)
{
  (void)w;
  *found = false;
  return credload_read_credentials(&a->credentials, e);
}

static enum err find_config_file(struct aws *a, struct way *w, bool *found,
                                 struct error *e)
{
  (void)w;
  *found = false;
  return credload_read_config(&a->config, e);
}

/* The environment's web identity goes before the profile's own. */
static enum err own_web_waits(const struct aws *a, bool *out, struct error *e)
{
  char *file = NULL;
  *out = false;
  if (a->ask->profile || !credload_env("AWS_WEB_IDENTITY_TOKEN_FILE"))
    return ERR_OK;
  enum err err =
      credload_aws_value(a, a->profile, "web_identity_token_file", &file, e);
  *out = file != NULL;
  free(file);
  return err;
}

/* A profile's role goes before the web identity of the environment, which goes
 * before what else the profile has (providers.md 2.3). */
static enum err find_role(struct aws *a, struct way *w, bool *found,
                          struct error *e)
{
  bool waits;
  w->named = is_named(a);
  enum err err = own_web_waits(a, &waits, e);
  return err || waits ? err : credload_aws_roles(a, a->profile, w, found, 0, e);
}

static enum err find_own_web(struct aws *a, struct way *w, bool *found,
                             struct error *e)
{
  bool waits;
  w->named = is_named(a);
  enum err err = own_web_waits(a, &waits, e);
  return err || !waits ? err
                       : credload_aws_roles(a, a->profile, w, found, 0, e);
}

static enum err find(struct aws *a, finder *fn, struct ways *out,
                     struct error *e)
{
  struct error why = {0};
  bool found = false;
  struct way *w = ways_add(out);
  if (!w)
    return no_memory(e);
  enum err err = fn(a, w, &found, &why);
  if (!err && found && w->n == 0 &&
      buf_sets(&w->start.source, buf_str(&w->name)))
    return no_memory(e);
  return credload_settle(out, err, found, &why, e);
}

/* Nothing behind it will be looked at. */
static bool is_enough(const struct ways *w)
{
  const struct way *last = w->n ? &w->items[w->n - 1] : NULL;
  return last && (last->named || (last->n == 0 && last->error.code == ERR_OK));
}

static enum err say_looked(const struct aws *a, struct ways *out,
                           struct error *e)
{
  return buf_addf(&out->looked,
                  "%sprofile '%s' in %s and %s, "
                  "AWS_CONTAINER_CREDENTIALS_FULL_URI, the instance metadata "
                  "service%s",
                  a->ask->profile ? "" : "AWS_ACCESS_KEY_ID, ", a->profile,
                  path_of(&a->credentials, NO_CREDENTIALS_FILE),
                  path_of(&a->config, NO_CONFIG_FILE),
                  credload_aws_instance_is_off() ? " (switched off)" : "")
             ? no_memory(e)
             : ERR_OK;
}

enum err credload_aws_ways(const struct credload_ask *ask, struct ways *out,
                           struct error *e)
{
  static finder *const finders[] = {
      find_environment, find_credentials_file, find_config_file, find_role,
      find_web,         find_own_web,          find_profile,     find_container,
      find_instance};
  struct aws a = {.ask = ask, .profile = credload_profile_name(ask->profile)};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof finders / sizeof *finders && !err; i++) {
    err = find(&a, finders[i], out, e);
    if (is_enough(out))
      break;
  }
  if (!err)
    err = say_looked(&a, out, e);
  credload_file_release(&a.credentials);
  credload_file_release(&a.config);
  return err;
}
