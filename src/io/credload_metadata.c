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

static bool is_true(const char *variable)
{
  const char *value = credload_env(variable);
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

static enum err instance_place(struct uri *out, struct error *e)
{
  const char *said = credload_env("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  const char *mode = credload_env("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
  if (!said)
    return uri_parse(mode && codec_equal_nocase(mode, "ipv6")
                         ? "http://[fd00:ec2::254]"
                         : "http://169.254.169.254",
                     out, e);
  enum err err = uri_parse(said, out, e);
  if (err)
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL");
  if (!out->https && !credload_is_near(out))
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_EC2_METADATA_SERVICE_ENDPOINT: http is for this "
                   "machine and its link, not for %s",
                   out->host);
  return ERR_OK;
}

static int64_t number(const char *variable, int64_t otherwise, uint64_t most)
{
  const char *text = credload_env(variable);
  uint64_t n;
  return text && codec_u64(text, 1, most, &n) ? (int64_t)n : otherwise;
}

static enum err instance_grant(struct way *w, const char *path,
                               struct grant **out, struct error *e)
{
  struct grant *g = way_add(w);
  struct buf whole = {0};
  *out = g;
  if (!g)
    return no_memory(e);
  g->metadata = true;
  g->timeout_ms =
      number("AWS_METADATA_SERVICE_TIMEOUT", INSTANCE_MS / 1000, 60) * 1000;
  g->tries = (uint64_t)number("AWS_METADATA_SERVICE_NUM_ATTEMPTS", TRIES, 10);
  g->proof = GRANT_HEADER;
  g->token_as = strdup("x-aws-ec2-metadata-token");
  enum err err = g->token_as ? instance_place(&g->base, e) : no_memory(e);
  if (!err && buf_addf(&whole, "%s%s", g->base.path, path))
    err = no_memory(e);
  if (!err) {
    free(g->base.path);
    g->base.path = buf_take(&whole);
  }
  buf_release(&whole);
  return err;
}

/* Version 2: a session, the role's name, its keys; version 1 is the same
 * without the session. */
enum err credload_aws_instance(struct way *w, bool *found, struct error *e)
{
  static const char roles[] = "/latest/meta-data/iam/security-credentials";
  struct grant *g;
  *found = !is_true("AWS_EC2_METADATA_DISABLED");
  if (!*found)
    return ERR_OK;
  buf_clear(&w->name);
  if (buf_adds(&w->name, "the instance metadata service"))
    return no_memory(e);
  enum err err = instance_grant(w, "/latest/api/token", &g, e);
  if (!err) {
    g->method = METHOD_PUT;
    g->reply = GRANT_TEXT_TOKEN;
    g->optional = !is_true("AWS_EC2_METADATA_V1_DISABLED");
    err =
        kv_add(&g->headers, "x-aws-ec2-metadata-token-ttl-seconds", "21600", e);
  }
  if (!err)
    err =
        instance_grant(w, "/latest/meta-data/iam/security-credentials/", &g, e);
  if (!err) {
    g->reply = GRANT_TEXT_NAME;
    err = instance_grant(w, roles, &g, e);
  }
  if (!err) {
    g->reply = GRANT_AWS_KEYS;
    g->add_name = true;
  }
  return err;
}
