/* SPDX-License-Identifier: MIT
 *
 * prov_token - see prov_token.h: what is asked.
 */
#include "cloud/prov_token.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/json.h"
#include "cloud/prov_token_oci.h"
#include "cloud/prov_token_read.h"
#include "cloud/sign_jwt.h"

/* The longest that Google takes. */
enum { JWT_S = 3600 };

static const struct sign_v4_dialect sts = {
    .algorithm = "AWS4-HMAC-SHA256",
    .key_prefix = "AWS4",
    .terminator = "aws4_request",
    .service = "sts",
    .date = "x-amz-date",
    .token = "x-amz-security-token",
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- the body ---- */

/* As HTML forms have it but for the blank, whose %20 every reader takes. */
static enum err add_field(struct buf *out, const char *name, const char *value)
{
  enum err err = out->len ? buf_addc(out, '&') : ERR_OK;
  if (!err)
    err = codec_percent(out, name, strlen(name), false);
  if (!err)
    err = buf_addc(out, '=');
  return err ? err : codec_percent(out, value, strlen(value), false);
}

static enum err add_fields(struct buf *out, const struct kv *form)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < form->n && !err; i++)
    err = add_field(out, form->pairs[i].name, form->pairs[i].value);
  return err;
}

static enum err add_secrets(const struct grant *g, const struct creds *hand,
                            struct buf *out)
{
  enum err err = ERR_OK;
  if (g->token_as && hand->token.len)
    err = add_field(out, g->token_as, buf_str(&hand->token));
  if (!err && g->secret_as && hand->secret.len)
    err = add_field(out, g->secret_as, buf_str(&hand->secret));
  return err;
}

/* What is claimed, for an hour from WALL_MS. */
static enum err add_claims(const struct kv *claims, int64_t wall_ms,
                           struct buf *out)
{
  enum err err = buf_addc(out, '{');
  for (size_t i = 0; i < claims->n && !err; i++) {
    err = json_quote(out, claims->pairs[i].name);
    if (!err)
      err = buf_addc(out, ':');
    if (!err)
      err = json_quote(out, claims->pairs[i].value);
    if (!err)
      err = buf_addc(out, ',');
  }
  int64_t s = wall_ms / 1000;
  return err ? err
             : buf_addf(out, "\"exp\":%" PRId64 ",\"iat\":%" PRId64 "}",
                        s + JWT_S, s);
}

static enum err add_head(const struct grant *g, struct buf *out)
{
  enum err err = buf_adds(out, "{\"alg\":\"RS256\",\"typ\":\"JWT\"");
  if (!err && g->key_name)
    err = buf_adds(out, ",\"kid\":");
  if (!err && g->key_name)
    err = json_quote(out, g->key_name);
  return err ? err : buf_addc(out, '}');
}

static enum err add_assertion(const struct grant *g, const struct creds *hand,
                              int64_t wall_ms, struct buf *out, struct error *e)
{
  struct buf head = {0}, claims = {0}, jwt = {.secret = true};
  enum err err = add_head(g, &head);
  if (!err)
    err = add_claims(&g->claims, wall_ms, &claims);
  err =
      err ? no_memory(e)
          : sign_jwt(buf_str(&head), buf_str(&claims), &hand->secret, &jwt, e);
  if (!err && add_field(out, "assertion", buf_str(&jwt)))
    err = no_memory(e);
  buf_release(&head);
  buf_release(&claims);
  buf_release(&jwt);
  return err;
}

enum err prov_token_body(const struct grant *g, const struct creds *hand,
                         int64_t wall_ms, struct buf *out, bool *present,
                         struct error *e)
{
  buf_clear(out);
  out->secret = true;
  *present = g->method == METHOD_POST;
  enum err err = g->json ? buf_adds(out, g->json) : add_fields(out, &g->form);
  if (!err && g->proof == GRANT_FORM)
    err = add_secrets(g, hand, out);
  if (err)
    return no_memory(e);
  if (g->proof == GRANT_X509)
    return prov_token_oci_body(g, hand, out, e);
  return g->proof == GRANT_JWT ? add_assertion(g, hand, wall_ms, out, e)
                               : ERR_OK;
}

/* ---- the request ---- */

const char *prov_token_host(const struct grant *g, const struct creds *hand)
{
  return g->host_in_hand ? buf_str(&hand->key_id) : g->base.host;
}

static enum err add_path(const struct op_args *a, struct buf *out)
{
  const struct grant *g = a->grant;
  enum err err = buf_adds(out, g->base.path);
  if (!err && g->add_name) {
    err = buf_addc(out, '/');
    if (!err)
      err = codec_percent(out, buf_str(&a->hand->key_id), a->hand->key_id.len,
                          false);
  }
  return !err && !out->len ? buf_addc(out, '/') : err;
}

static enum err add_proof(const struct op_args *a, struct request *r,
                          struct error *e)
{
  const struct grant *g = a->grant;
  const struct buf *token = &a->hand->token;
  if (!token->len)
    return ERR_OK;
  if (g->proof == GRANT_HEADER)
    return kv_add(&r->headers, g->token_as, buf_str(token), e);
  if (g->proof == GRANT_BEARER)
    return kv_addf(&r->headers, e, "Authorization", "Bearer %s",
                   buf_str(token));
  return ERR_OK;
}

/* A secret never travels in clear text but within this machine or its link. */
static enum err check_place(const struct grant *g, struct error *e)
{
  if (g->base.https || g->metadata || uri_is_loopback(&g->base))
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 "http://%s: credentials are fetched by https, or from this "
                 "machine",
                 g->base.host);
}

static enum err build_headers(const struct op_args *a, struct request *r,
                              struct error *e)
{
  const struct grant *g = a->grant;
  enum err err = kv_copy(&r->headers, &g->headers, e);
  if (!err)
    err = kv_set(&r->headers, "Accept",
                 g->reply == GRANT_STS_KEYS ? "text/xml, application/xml"
                                            : "application/json, */*",
                 e);
  if (!err && a->body.present)
    err = kv_set(&r->headers, "Content-Type",
                 g->json || g->proof == GRANT_X509
                     ? "application/json"
                     : "application/x-www-form-urlencoded",
                 e);
  return err ? err : add_proof(a, r, e);
}

static enum err token_build(const struct op_args *a, struct request *r,
                            struct error *e)
{
  const struct grant *g = a->grant;
  struct buf host = {0}, path = {0};
  enum err err = check_place(g, e);
  if (err)
    return err;
  r->method = g->method;
  r->https = g->base.https;
  r->body = a->body;
  if ((g->host_in_hand ? buf_adds(&host, prov_token_host(g, a->hand))
                       : uri_authority(&host, &g->base)) ||
      add_path(a, &path))
    err = no_memory(e);
  if (!err)
    err = kv_copy(&r->query, &g->query, e);
  if (!err)
    err = build_headers(a, r, e);
  if (!err) {
    r->host = buf_take(&host);
    r->path = buf_take(&path);
  }
  buf_release(&host);
  buf_release(&path);
  return err;
}

static enum err token_sign(struct request *r, const struct op_args *a,
                           const struct creds *c, int64_t wall_ms,
                           struct sign_trace *trace, struct error *e)
{
  char digest[65];
  (void)c;
  if (a->grant->proof == GRANT_X509)
    return prov_token_oci_sign(r, a->hand, wall_ms, e);
  if (a->grant->proof != GRANT_SIGV4)
    return ERR_OK;
  if (hash_sha256_hex(a->body.data, (size_t)a->body.length, digest))
    return no_memory(e);
  return sign_v4(&sts, r, a->hand, a->grant->region, digest, wall_ms, trace, e);
}

const struct provider prov_token = {
    .name = "token",
    .scheme = "",
    .build = token_build,
    .sign = token_sign,
    .read = prov_token_read,
};
