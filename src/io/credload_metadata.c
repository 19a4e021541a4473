/* SPDX-License-Identifier: MIT
 *
 * credload_metadata - see credload_aws.h: the services that give keys to
 * containers and to instances.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "io/credload_aws.h"
#include "io/credload_grant.h"
#include "io/file.h"

enum { MAX_TOKEN = 65536, CONTAINER_MS = 2000, INSTANCE_MS = 1000, TRIES = 3 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

bool credload_aws_instance_is_off(void)
{
  const char *value = credload_env("AWS_EC2_METADATA_DISABLED");
  return value && codec_equal_nocase(value, "true");
}

/* ---- containers ---- */

/* Whoever may set the variable could otherwise have the token sent anywhere. */
static bool may_be_asked(const struct uri *u)
{
  static const char *const hosts[] = {"169.254.170.2", "169.254.170.23",
                                      "[fd00:ec2::23]"};
  if (u->https || uri_is_loopback(u))
    return true;
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    if (strcmp(u->host, hosts[i]) == 0)
      return true;
  return false;
}

static enum err container_token(struct way *w, struct error *e)
{
  const char *file = credload_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const char *text = credload_env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  struct buf *token = &w->start.token;
  struct error why = {0};
  if (!file)
    return text && buf_sets(token, text) ? no_memory(e) : ERR_OK;
  if (file_slurp(file, MAX_TOKEN, token, &why))
    return err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  while (token->len && strchr("\r\n", token->data[token->len - 1]))
    buf_cut(token, token->len - 1);
  return ERR_OK;
}

static enum err container_grant(const char *url, struct way *w, struct error *e)
{
  struct grant *g;
  enum err err = credload_grant(w, METHOD_GET, url, &g, e);
  if (err)
    return err;
  g->reply = GRANT_AWS_KEYS;
  g->proof = GRANT_HEADER;
  g->metadata = true;
  g->timeout_ms = CONTAINER_MS;
  g->tries = TRIES;
  g->token_as = strdup("Authorization");
  if (!g->token_as)
    return no_memory(e);
  if (!may_be_asked(&g->base))
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_CONTAINER_CREDENTIALS_FULL_URI: http is for this "
                   "machine and the container's own service, not for %s",
                   g->base.host);
  return ERR_OK;
}

enum err credload_aws_container(struct way *w, bool *found, struct error *e)
{
  const char *relative = credload_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const char *full = credload_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  struct buf url = {0};
  *found = relative || full;
  if (!*found)
    return ERR_OK;
  buf_clear(&w->name);
  enum err err = buf_adds(&w->name, "the container's credentials service");
  if (!err)
    err = relative ? buf_addf(&url, "http://169.254.170.2%s%s",
                              *relative == '/' ? "" : "/", relative)
                   : buf_adds(&url, full);
  err = err ? no_memory(e) : container_token(w, e);
  if (!err)
    err = container_grant(buf_str(&url), w, e);
  buf_release(&url);
  return err;
}

/* ---- instances ---- */

#define ENDPOINT      "AWS_EC2_METADATA_SERVICE_ENDPOINT"
#define ENDPOINT_MODE "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"

/* The settings, by variables or by the profile. */
struct instance {
  struct uri base;
  int64_t timeout_ms;
  uint64_t tries;
  bool v2_only;
};

static enum err check_place(const struct uri *base, struct error *e)
{
  if (base->https || credload_is_near(base))
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 ENDPOINT ": http is for this machine and its link, not for %s",
                 base->host);
}

static enum err instance_place(const struct aws *a, struct uri *out,
                               struct error *e)
{
  char *said = NULL, *mode = NULL;
  const char *url = "http://169.254.169.254";
  enum err err =
      credload_aws_said(a, ENDPOINT, "ec2_metadata_service_endpoint", &said, e);
  if (!err)
    err = credload_aws_said(a, ENDPOINT_MODE,
                            "ec2_metadata_service_endpoint_mode", &mode, e);
  if (mode && codec_equal_nocase(mode, "ipv6"))
    url = "http://[fd00:ec2::254]";
  if (!err && uri_parse(said ? said : url, out, e))
    err = err_set(e, ERR_CREDENTIALS, ENDPOINT " is no URL");
  free(said);
  free(mode);
  return err ? err : check_place(out, e);
}

static enum err number(const struct aws *a, const char *variable,
                       const char *key, uint64_t most, uint64_t *out,
                       struct error *e)
{
  char *text;
  uint64_t n;
  enum err err = credload_aws_said(a, variable, key, &text, e);
  if (!err && text && codec_u64(text, 1, most, &n))
    *out = n;
  free(text);
  return err;
}

static enum err read_instance(const struct aws *a, struct instance *out,
                              struct error *e)
{
  uint64_t timeout_s = INSTANCE_MS / 1000;
  out->tries = TRIES;
  enum err err = instance_place(a, &out->base, e);
  if (!err)
    err = number(a, "AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout",
                 60, &timeout_s, e);
  if (!err)
    err = number(a, "AWS_METADATA_SERVICE_NUM_ATTEMPTS",
                 "metadata_service_num_attempts", 10, &out->tries, e);
  if (!err)
    err = credload_aws_is_true(a, "AWS_EC2_METADATA_V1_DISABLED",
                               "ec2_metadata_v1_disabled", &out->v2_only, e);
  out->timeout_ms = (int64_t)timeout_s * 1000;
  return err;
}

static enum err instance_grant(const struct instance *i, struct way *w,
                               const char *path, struct grant **out,
                               struct error *e)
{
  struct grant *g = way_add(w);
  struct buf whole = {0};
  *out = g;
  if (!g)
    return no_memory(e);
  g->metadata = true;
  g->timeout_ms = i->timeout_ms;
  g->tries = i->tries;
  g->proof = GRANT_HEADER;
  g->token_as = strdup("x-aws-ec2-metadata-token");
  g->base = (struct uri){.https = i->base.https, .port = i->base.port};
  g->base.host = strdup(i->base.host);
  enum err err = !g->token_as || !g->base.host ||
                         buf_addf(&whole, "%s%s", i->base.path, path)
                     ? no_memory(e)
                     : ERR_OK;
  if (!err)
    g->base.path = buf_take(&whole);
  buf_release(&whole);
  return err;
}

/* Version 2: a session, the role's name, its keys; version 1 is the same
 * without the session. */
static enum err add_grants(const struct instance *i, struct way *w,
                           struct error *e)
{
  static const char roles[] = "/latest/meta-data/iam/security-credentials";
  struct grant *g;
  enum err err = instance_grant(i, w, "/latest/api/token", &g, e);
  if (!err) {
    g->method = METHOD_PUT;
    g->reply = GRANT_TEXT_TOKEN;
    g->optional = !i->v2_only;
    err =
        kv_add(&g->headers, "x-aws-ec2-metadata-token-ttl-seconds", "21600", e);
  }
  if (!err)
    err = instance_grant(i, w, "/latest/meta-data/iam/security-credentials/",
                         &g, e);
  if (!err) {
    g->reply = GRANT_TEXT_NAME;
    err = instance_grant(i, w, roles, &g, e);
  }
  if (!err) {
    g->reply = GRANT_AWS_KEYS;
    g->add_name = true;
  }
  return err;
}

enum err credload_aws_instance(const struct aws *a, struct way *w, bool *found,
                               struct error *e)
{
  struct instance i = {.tries = 0};
  *found = !credload_aws_instance_is_off();
  if (!*found)
    return ERR_OK;
  buf_clear(&w->name);
  if (buf_adds(&w->name, "the instance metadata service"))
    return no_memory(e);
  enum err err = read_instance(a, &i, e);
  if (!err)
    err = add_grants(&i, w, e);
  uri_release(&i.base);
  return err;
}
