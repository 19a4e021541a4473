/* SPDX-License-Identifier: MIT
 *
 * prov_token_oci - see prov_token_oci.h.
 */
#include "cloud/prov_token_oci.h"

#include <string.h>

#include "base/codec.h"
#include "base/hash_rsa.h"
#include "base/hash_x509.h"
#include "base/json.h"
#include "cloud/sign_jwt.h"
#include "cloud/sign_oci.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static bool certificate(const struct creds *hand, unsigned nth,
                        struct buf *base64)
{
  return hash_x509_read(buf_str(&hand->token), hand->token.len, nth, base64,
                        NULL, NULL);
}

/* ---- the request ---- */

static enum err add_between(const struct creds *hand, struct buf *out)
{
  enum err err = ERR_OK;
  struct buf one = {0};
  for (unsigned i = 1; !err && certificate(hand, i, &one); i++) {
    err = buf_addf(out, "%s\"%s\"", i > 1 ? "," : "", buf_str(&one));
    buf_clear(&one);
  }
  buf_release(&one);
  return err;
}

enum err prov_token_oci_body(const struct grant *g, const struct creds *hand,
                             struct buf *out, struct error *e)
{
  struct buf own = {0}, public = {0};
  const struct buf key = {.data = g->session_key,
                          .len = strlen(g->session_key)};
  enum err err = hash_rsa_public(&key, &public, e);
  if (!err && !certificate(hand, 0, &own))
    err = err_set(e, ERR_CREDENTIALS,
                  "the metadata service's cert.pem is no certificate");
  if (!err &&
      (buf_addf(out, "{\"certificate\":\"%s\",\"publicKey\":\"%s\",",
                buf_str(&own), buf_str(&public)) ||
       buf_adds(out, "\"intermediateCertificates\":[") ||
       add_between(hand, out) || buf_adds(out, "],\"purpose\":\"DEFAULT\"}")))
    err = no_memory(e);
  buf_release(&own);
  buf_release(&public);
  return err;
}

/* The tenancy is among the subject's values, under one of two names. */
static bool add_tenancy(const char *subject, struct buf *out)
{
  static const char *const names[] = {"opc-tenant:", "opc-identity:"};
  for (const char *line = subject; *line; line += line[0] == '\n') {
    size_t len = strcspn(line, "\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      size_t skip = strlen(names[i]);
      if (codec_starts_with(line, names[i]) && len > skip &&
          !memchr(line, '"', len))
        return !buf_add(out, line + skip, len - skip);
    }
    line += len;
  }
  return false;
}

static bool name_key(const struct creds *hand, struct buf *out)
{
  struct buf sha1 = {0}, subject = {0};
  bool good = hash_x509_read(buf_str(&hand->token), hand->token.len, 0, NULL,
                             &sha1, &subject) &&
              add_tenancy(buf_str(&subject), out) &&
              !buf_addf(out, "/fed-x509/%s", buf_str(&sha1));
  buf_release(&sha1);
  buf_release(&subject);
  return good;
}

enum err prov_token_oci_sign(struct request *r, const struct creds *hand,
                             int64_t wall_ms, struct error *e)
{
  struct creds c;
  creds_init(&c);
  c.kind = CREDS_RSA;
  enum err err = ERR_OK;
  if (!name_key(hand, &c.key_id))
    err = err_set(e, ERR_CREDENTIALS,
                  "the instance's certificate names no tenancy");
  if (!err && buf_adds(&c.secret, buf_str(&hand->secret)))
    err = no_memory(e);
  if (!err)
    err = sign_oci(r, SIGN_OCI_BODY, &c, wall_ms, NULL, e);
  creds_release(&c);
  return err;
}

/* ---- the answers ---- */

static bool member(const struct response *r, const char *name, struct buf *out)
{
  return json_get(buf_str(&r->body), r->body.len, name, out) && out->len;
}

/* Regions that no table has yet are known to their own instances. */
static bool take_place(const struct response *r, struct buf *host)
{
  struct buf region = {0}, domain = {0};
  buf_clear(host);
  bool good =
      member(r, "regionIdentifier", &region) &&
      member(r, "realmDomainComponent", &domain) &&
      !buf_addf(host, "auth.%s.%s", buf_str(&region), buf_str(&domain)) &&
      uri_is_hostname(buf_str(host));
  buf_release(&region);
  buf_release(&domain);
  return good;
}

static bool take_region(const struct response *r, struct creds *hand)
{
  struct buf domain = {0};
  bool good = member(r, "regionIdentifier", &hand->key_id) &&
              member(r, "realmDomainComponent", &domain) &&
              uri_is_hostname(buf_str(&hand->key_id)) &&
              !buf_sets(&hand->token, buf_str(&r->body));
  buf_release(&domain);
  return good;
}

static bool take_certificate(const struct response *r, struct buf *all)
{
  return hash_x509_read(buf_str(&r->body), r->body.len, 0, NULL, NULL, NULL) &&
         !buf_add(all, r->body.data, r->body.len) && !buf_addc(all, '\n');
}

static bool take_key(const struct response *r, struct buf *key)
{
  return !hash_rsa_open(buf_str(&r->body), r->body.len, NULL, key, NULL);
}

/* From here on the session's own key signs. */
static bool take_token(const struct grant *g, const struct response *r,
                       struct creds *c, struct token_life *life)
{
  struct buf token = {.secret = true};
  bool good = member(r, "token", &token) && token.len > 0;
  for (size_t i = 0; i < token.len && good; i++)
    good = token.data[i] > ' ' && token.data[i] < 0x7F && token.data[i] != '"';
  good = good && !buf_sets(&c->token, buf_str(&token)) &&
         !buf_sets(&c->secret, g->session_key) &&
         !buf_sets(&c->key_id, "the instance principal");
  c->kind = CREDS_RSA;
  life->ends_ms = good ? sign_jwt_ends_ms(buf_str(&token)) : 0;
  buf_release(&token);
  return good;
}

bool prov_token_oci_take(const struct grant *g, const struct response *r,
                         struct creds *hand, struct token_life *life)
{
  switch ((int)g->reply) {
  case GRANT_OCI_PLACE:
    return take_place(r, &hand->key_id);
  case GRANT_OCI_REGION:
    return take_region(r, hand);
  case GRANT_OCI_CERTIFICATE:
    return take_certificate(r, &hand->token);
  case GRANT_OCI_KEY:
    return take_key(r, &hand->secret);
  default:
    return take_token(g, r, hand, life);
  }
}
