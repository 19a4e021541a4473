/* SPDX-License-Identifier: MIT
 *
 * credload_oci_principal - see credload_oci_principal.h.  Source: providers.md
 * 5.2.
 */
#include "io/credload_oci_principal.h"

#include <string.h>

#include "base/hash_rsa.h"
#include "io/credload_grant.h"
#include "io/credload_oci_file.h"
#include "io/credload_profile.h"

enum { METADATA_MS = 2000, TRIES = 3 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- resource principals ---- */

/* A text, or the file that it is the absolute path of.  *PLACE: of the two,
 * what a message names. */
static enum err read_value(const char *variable, struct buf *out,
                           const char **place, struct error *e)
{
  const char *value = credload_env(variable);
  *place = value && *value == '/' ? value : variable;
  if (!value)
    return ERR_OK;
  if (*value == '/')
    return credload_oci_slurp(value, out, e);
  return buf_sets(out, value) ? no_memory(e) : ERR_OK;
}

static void cut_blanks(struct buf *b)
{
  while (b->len && strchr(" \t\r\n", b->data[b->len - 1]))
    buf_cut(b, b->len - 1);
}

static enum err read_token(struct buf *out, struct error *e)
{
  const char *place;
  enum err err = read_value("OCI_RESOURCE_PRINCIPAL_RPST", out, &place, e);
  cut_blanks(out);
  if (!err && !out->len)
    err = err_set(e, ERR_CREDENTIALS, "%s: holds no token", place);
  if (!err && out->data[strcspn(out->data, " \t\r\n\"")])
    err = err_set(e, ERR_CREDENTIALS, "%s: is no resource principal's token",
                  place);
  return err;
}

static enum err read_key(struct buf *out, struct error *e)
{
  struct buf pem = {.secret = true}, pass = {.secret = true};
  const char *place, *pass_place;
  enum err err = read_value("OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM_PASSPHRASE",
                            &pass, &pass_place, e);
  cut_blanks(&pass);
  if (!err)
    err = read_value("OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM", &pem, &place, e);
  if (!err) {
    err = hash_rsa_open(buf_str(&pem), pem.len, buf_str(&pass), out, e);
    if (err == ERR_CREDENTIALS)
      (void)err_prefix(e, "%s: ", place);
  }
  buf_release(&pem);
  buf_release(&pass);
  return err;
}

enum err credload_oci_resource(struct creds *out, struct error *e)
{
  const char *version = credload_env("OCI_RESOURCE_PRINCIPAL_VERSION");
  if (!version || strcmp(version, "2.2") != 0)
    return err_set(e, ERR_CREDENTIALS,
                   "OCI_RESOURCE_PRINCIPAL_VERSION: %.20s; of resource "
                   "principals there is version 2.2",
                   version ? version : "is not set");
  out->kind = CREDS_RSA;
  enum err err = read_token(&out->token, e);
  if (!err)
    err = read_key(&out->secret, e);
  if (!err && (buf_adds(&out->key_id, "the resource principal") ||
               buf_adds(&out->source, "OCI_RESOURCE_PRINCIPAL_RPST")))
    err = no_memory(e);
  return err;
}

/* ---- instance principals ---- */

static enum err add_metadata(struct way *w, const char *path,
                             enum grant_reply reply, struct error *e)
{
  const char *said = credload_env("OCI_METADATA_BASE_URL");
  struct buf url = {0};
  struct grant *g;
  enum err err = buf_addf(&url, "%s/%s",
                          said ? said : "http://169.254.169.254/opc/v2", path)
                     ? no_memory(e)
                     : credload_grant(w, METHOD_GET, buf_str(&url), &g, e);
  buf_release(&url);
  if (err)
    return err_prefix(e, "OCI_METADATA_BASE_URL: ");
  if (!credload_is_near(&g->base))
    return err_set(e, ERR_CREDENTIALS,
                   "OCI_METADATA_BASE_URL: an instance's key comes from this "
                   "machine and its link, not from %s",
                   g->base.host);
  g->metadata = true;
  g->timeout_ms = METADATA_MS;
  g->tries = TRIES;
  g->reply = reply;
  return kv_add(&g->headers, "Authorization", "Bearer Oracle", e);
}

static enum err add_federation(struct way *w, struct error *e)
{
  const char *said = credload_env("OCI_SDK_AUTH_CLIENT_REGION_URL");
  struct buf url = {0}, key = {.secret = true};
  struct grant *g;
  enum err err = ERR_OK;
  if (!said)
    err = add_metadata(w, "instance/regionInfo", GRANT_OCI_PLACE, e);
  if (!err && buf_addf(&url, "%s/v1/x509", said ? said : "https://auth"))
    err = no_memory(e);
  if (!err) {
    err = credload_grant(w, METHOD_POST, buf_str(&url), &g, e);
    if (err)
      err = err_prefix(e, "OCI_SDK_AUTH_CLIENT_REGION_URL: ");
  }
  if (!err)
    err = hash_rsa_make(&key, e);
  if (!err) {
    g->host_in_hand = !said;
    g->proof = GRANT_X509;
    g->reply = GRANT_OCI_TOKEN;
    g->session_key = buf_take(&key);
  }
  buf_release(&key);
  buf_release(&url);
  return err;
}

enum err credload_oci_instance(struct way *w, struct error *e)
{
  enum err err =
      buf_adds(&w->name, "the instance metadata service")
          ? no_memory(e)
          : add_metadata(w, "identity/cert.pem", GRANT_OCI_CERTIFICATE, e);
  if (!err)
    err =
        add_metadata(w, "identity/intermediate.pem", GRANT_OCI_CERTIFICATE, e);
  if (!err)
    err = add_metadata(w, "identity/key.pem", GRANT_OCI_KEY, e);
  return err ? err : add_federation(w, e);
}

enum err credload_oci_region(struct way *w, struct error *e)
{
  return buf_adds(&w->name, "the instance metadata service")
             ? no_memory(e)
             : add_metadata(w, "instance/regionInfo", GRANT_OCI_REGION, e);
}
