/* SPDX-License-Identifier: MIT
 *
 * credload_oci - see credload_oci.h.  Source: providers.md 5.2.
 */
#include "io/credload_oci.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash_rsa.h"
#include "cloud/sign_jwt.h"
#include "io/credload_grant.h"
#include "io/credload_oci_file.h"
#include "io/credload_oci_principal.h"
#include "io/credload_profile.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- the private key ---- */

struct secrets {
  struct buf pem, pass, path;
};

static enum err read_pem(const struct credload_oci_file *s, struct secrets *k,
                         struct error *e)
{
  struct buf file = {0};
  enum err err =
      credload_oci_get(s, "key_content", "OCI_CLI_KEY_CONTENT", &k->pem, e);
  if (!err && !k->pem.len)
    err = credload_oci_get(s, "key_file", "OCI_CLI_KEY_FILE", &file, e);
  if (!err && !k->pem.len && !file.len)
    err = credload_oci_missing(s, "key_file", e);
  if (!err && file.len)
    err = credload_oci_expand(buf_str(&file), &k->path)
              ? no_memory(e)
              : credload_oci_slurp(buf_str(&k->path), &k->pem, e);
  if (!err && !file.len && buf_adds(&k->path, "key_content"))
    err = no_memory(e);
  buf_release(&file);
  return err;
}

static enum err open_key(const struct credload_oci_file *s, struct buf *out,
                         struct error *e)
{
  struct secrets k = {.pem.secret = true, .pass.secret = true};
  enum err err = read_pem(s, &k, e);
  if (!err)
    err = credload_oci_get(s, "pass_phrase", "OCI_CLI_PASSPHRASE", &k.pass, e);
  if (!err) {
    err = hash_rsa_open(buf_str(&k.pem), k.pem.len, buf_str(&k.pass), out, e);
    if (err == ERR_CREDENTIALS)
      (void)err_prefix(e, "%s: ", buf_str(&k.path));
  }
  buf_release(&k.pem);
  buf_release(&k.pass);
  buf_release(&k.path);
  return err;
}

/* ---- who it is of ---- */

/* It stands between quotes, in a header. */
static enum err check_text(const struct credload_oci_file *s, const char *name,
                           const struct buf *value, struct error *e)
{
  if (!strpbrk(buf_str(value), "\"\r\n"))
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS, "%s: [%s]: %s is no such value",
                 buf_str(&s->path), s->profile, name);
}

static enum err need(const struct credload_oci_file *s, const char *name,
                     const char *variable, struct buf *out, struct error *e)
{
  enum err err = credload_oci_get(s, name, variable, out, e);
  if (!err && !out->len)
    err = credload_oci_missing(s, name, e);
  return err ? err : check_text(s, name, out, e);
}

/* A fingerprint that is not of the key would be refused without a word. */
static enum err check_fingerprint(const struct credload_oci_file *s,
                                  const struct buf *key, struct buf *told,
                                  struct error *e)
{
  struct buf own = {0};
  enum err err =
      credload_oci_get(s, "fingerprint", "OCI_CLI_FINGERPRINT", told, e);
  if (!err)
    err = hash_rsa_fingerprint(key, &own, e);
  if (!err && told->len && !codec_equal_nocase(buf_str(told), buf_str(&own)))
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: [%s]: fingerprint is not that of the key, which is %s",
                  s->path.len ? buf_str(&s->path) : "OCI_CLI_FINGERPRINT",
                  s->profile, buf_str(&own));
  if (!err && buf_sets(told, buf_str(&own)))
    err = no_memory(e);
  buf_release(&own);
  return err;
}

static enum err name_key(const struct credload_oci_file *s, struct creds *c,
                         struct error *e)
{
  struct buf tenancy = {0}, user = {0}, fingerprint = {0};
  enum err err = need(s, "tenancy", "OCI_CLI_TENANCY", &tenancy, e);
  if (!err)
    err = need(s, "user", "OCI_CLI_USER", &user, e);
  if (!err)
    err = check_fingerprint(s, &c->secret, &fingerprint, e);
  if (!err && buf_addf(&c->key_id, "%s/%s/%s", buf_str(&tenancy),
                       buf_str(&user), buf_str(&fingerprint)))
    err = no_memory(e);
  buf_release(&tenancy);
  buf_release(&user);
  buf_release(&fingerprint);
  return err;
}

static enum err read_session(const struct credload_oci_file *s,
                             const struct buf *file, struct creds *c,
                             struct error *e)
{
  struct buf path = {0}, text = {.secret = true};
  enum err err = credload_oci_expand(buf_str(file), &path)
                     ? no_memory(e)
                     : credload_oci_slurp(buf_str(&path), &text, e);
  size_t len = strcspn(buf_str(&text), " \t\r\n\"");
  if (!err && (!len || strspn(buf_str(&text) + len, " \t\r\n") !=
                           strlen(buf_str(&text) + len)))
    err = err_set(e, ERR_CREDENTIALS, "%s: is no session's token",
                  buf_str(&path));
  if (!err &&
      (buf_add(&c->token, text.data, len) ||
       buf_addf(&c->key_id, "the session of %s", buf_str(&path)) ||
       buf_addf(&c->renew, "oci session refresh --profile %s", s->profile)))
    err = no_memory(e);
  buf_release(&path);
  buf_release(&text);
  return err;
}

static enum err name_session(const struct credload_oci_file *s,
                             const struct buf *kind, struct creds *c,
                             struct error *e)
{
  struct buf file = {0};
  enum err err = credload_oci_get(s, "security_token_file",
                                  "OCI_CLI_SECURITY_TOKEN_FILE", &file, e);
  if (!err && !file.len && strcmp(buf_str(kind), "security_token") == 0)
    err = credload_oci_missing(s, "security_token_file", e);
  if (!err && file.len && strcmp(buf_str(kind), "api_key") != 0)
    err = read_session(s, &file, c, e);
  buf_release(&file);
  return err;
}

static enum err fill(const struct credload_oci_file *s, const struct buf *kind,
                     struct creds *c, struct error *e)
{
  c->kind = CREDS_RSA;
  enum err err = open_key(s, &c->secret, e);
  if (!err)
    err = name_session(s, kind, c, e);
  if (!err && !c->token.len)
    err = name_key(s, c, e);
  if (!err && (s->there ? buf_addf(&c->source, "[%s] of %s", s->profile,
                                   buf_str(&s->path))
                        : buf_adds(&c->source, "the environment")))
    err = no_memory(e);
  return err;
}

/* ---- which of them ---- */

/* Those that a file or variable asks for and that are not there must not end as
 * a key of somebody else's.  Where nothing is said and no key is there, the
 * variables of a resource principal are said enough. */
static enum err find_kind(const struct credload_oci_file *s, struct buf *kind,
                          struct error *e)
{
  static const char *const kinds[] = {
      "api_key", "security_token", "instance_principal", "resource_principal"};
  enum err err =
      credload_oci_get(s, "authentication_type", "OCI_CLI_AUTH", kind, e);
  if (!err && !kind->len && !s->there && !s->only_profile &&
      !credload_env("OCI_CLI_KEY_FILE") &&
      !credload_env("OCI_CLI_KEY_CONTENT") &&
      credload_env("OCI_RESOURCE_PRINCIPAL_VERSION"))
    return buf_adds(kind, "resource_principal") ? no_memory(e) : ERR_OK;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !err; i++)
    if (!kind->len || strcmp(buf_str(kind), kinds[i]) == 0)
      return ERR_OK;
  if (err)
    return err;
  return err_set(e, ERR_CREDENTIALS,
                 "%s: authentication by %.40s is not there, but by api_key, "
                 "security_token, instance_principal and resource_principal",
                 credload_env("OCI_CLI_AUTH") || !s->there ? "OCI_CLI_AUTH"
                                                           : buf_str(&s->path),
                 buf_str(kind));
}

static enum err find_way(const struct credload_oci_file *s, struct way *w,
                         struct error *e)
{
  struct buf kind = {0};
  enum err err = credload_oci_check(s, e);
  if (!err)
    err = find_kind(s, &kind, e);
  const char *k = buf_str(&kind);
  if (!err && strcmp(k, "instance_principal") == 0)
    err = credload_oci_instance(w, e);
  else if (!err)
    err = strcmp(k, "resource_principal") == 0
              ? credload_oci_resource(&w->start, e)
              : fill(s, &kind, &w->start, e);
  if (!err)
    w->start_ends_ms = sign_jwt_ends_ms(buf_str(&w->start.token));
  buf_release(&kind);
  return err;
}

enum err credload_oci_ways(const struct credload_ask *ask, struct ways *out,
                           struct error *e)
{
  struct credload_oci_file s;
  struct error why = {0};
  struct way *w = ways_add(out);
  if (!w)
    return no_memory(e);
  w->named = true;
  enum err err = credload_oci_open(&s, ask, &why);
  if (!err)
    err = find_way(&s, w, &why);
  credload_oci_close(&s);
  return credload_settle(out, err, true, &why, e);
}

/* ---- settings ---- */

static enum err set_copy(char **out, const char *value, struct error *e)
{
  *out = value ? strdup(value) : NULL;
  return value && !*out ? no_memory(e) : ERR_OK;
}

static bool is_kind(const struct credload_oci_file *s, const char *name)
{
  struct buf kind = {0};
  struct error unknown = {0};
  bool is = !find_kind(s, &kind, &unknown) && strcmp(buf_str(&kind), name) == 0;
  buf_release(&kind);
  return is;
}

static enum err find_region(const struct credload_oci_file *s,
                            struct credload_settings *out, struct error *e)
{
  const char *cli = credload_env("OCI_CLI_REGION"),
             *sdk = credload_env("OCI_REGION");
  if (!s->only_profile && (cli || sdk)) {
    enum err err = set_copy(&out->region, cli ? cli : sdk, e);
    return err ? err
               : set_copy(&out->region_from,
                          cli ? "OCI_CLI_REGION" : "OCI_REGION", e);
  }
  const char *own = credload_env("OCI_RESOURCE_PRINCIPAL_REGION");
  if (own && is_kind(s, "resource_principal")) {
    enum err err = set_copy(&out->region, own, e);
    return err ? err
               : set_copy(&out->region_from, "OCI_RESOURCE_PRINCIPAL_REGION",
                          e);
  }
  enum err err = credload_oci_inherited(s, "region", &out->region, e);
  if (!err && !out->region && sdk)
    err = set_copy(&out->region, sdk, e);
  out->asks_region = !err && !out->region && is_kind(s, "instance_principal");
  return err ? err : set_copy(&out->region_from, buf_str(&s->path), e);
}

static enum err find_metadata(struct credload_settings *out, struct error *e)
{
  struct buf path = {0}, text = {0};
  bool there = false;
  const char *told = credload_env("OCI_REGION_METADATA");
  if (told)
    return set_copy(&out->region_metadata, told, e);
  if (!credload_env("HOME"))
    return ERR_OK;
  enum err err = credload_oci_expand("~/.oci/regions-config.json", &path)
                     ? no_memory(e)
                     : credload_oci_slurp_any(buf_str(&path), &text, &there, e);
  if (!err && there)
    err = set_copy(&out->region_metadata, buf_str(&text), e);
  buf_release(&path);
  buf_release(&text);
  return err;
}

enum err credload_oci_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
{
  struct credload_oci_file s;
  struct credload_settings found = {0};
  enum err err = credload_oci_open(&s, ask, e);
  if (!err)
    err = find_region(&s, &found, e);
  if (!err)
    err = set_copy(&found.endpoint, credload_env("OCI_CLI_ENDPOINT"), e);
  if (!err && found.endpoint)
    err = set_copy(&found.endpoint_from, "OCI_CLI_ENDPOINT", e);
  if (!err)
    err = find_metadata(&found, e);
  if (!err)
    err = set_copy(&found.default_realm, credload_env("OCI_DEFAULT_REALM"), e);
  credload_oci_close(&s);
  if (err)
    credload_settings_release(&found);
  else
    *out = found;
  return err;
}
