/* SPDX-License-Identifier: MIT
 *
 * credload_entra - see credload_entra.h.
 */
#include "io/credload_entra.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "io/credload_grant.h"
#include "io/credload_profile.h"

#define RESOURCE "https://storage.azure.com"

/* The service of a machine may be away for a minute while it is renewed. */
enum { METADATA_MS = 1000, TRIES = 8 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* Part of a path: a UUID or a domain. */
static bool is_tenant(const char *s)
{
  return strlen(s) <= 253 && uri_is_hostname(s);
}

/* Bytes of a URL without slashes at its end. */
static int bare_len(const char *url)
{
  size_t len = strlen(url);
  while (len && url[len - 1] == '/')
    len--;
  return (int)len;
}

static enum err entra_grant(struct way *w, struct grant **out, struct error *e)
{
  const char *host = credload_env("AZURE_AUTHORITY_HOST");
  const char *tenant = credload_env("AZURE_TENANT_ID");
  const char *client = credload_env("AZURE_CLIENT_ID");
  struct buf url = {0};
  if (!tenant || !client)
    return err_set(e, ERR_CREDENTIALS, "%s is not set",
                   tenant ? "AZURE_CLIENT_ID" : "AZURE_TENANT_ID");
  if (!is_tenant(tenant))
    return err_set(e, ERR_CREDENTIALS, "AZURE_TENANT_ID is no tenant's name");
  if (!host)
    host = "https://login.microsoftonline.com";
  enum err err = buf_addf(&url, "%s%.*s/%s/oauth2/v2.0/token",
                          strstr(host, "://") ? "" : "https://", bare_len(host),
                          host, tenant)
                     ? no_memory(e)
                     : credload_grant(w, METHOD_POST, buf_str(&url), out, e);
  buf_release(&url);
  if (err)
    return err;
  (*out)->proof = GRANT_FORM;
  (*out)->reply = GRANT_OAUTH;
  err = kv_add(&(*out)->form, "grant_type", "client_credentials", e);
  if (!err)
    err = kv_add(&(*out)->form, "client_id", client, e);
  return err ? err : kv_add(&(*out)->form, "scope", RESOURCE "/.default", e);
}

static enum err find_secret(struct way *w, bool *found, struct error *e)
{
  const char *secret = credload_env("AZURE_CLIENT_SECRET");
  struct grant *g;
  *found = secret != NULL;
  if (!secret)
    return ERR_OK;
  if (buf_adds(&w->name, "AZURE_CLIENT_SECRET") ||
      buf_sets(&w->start.secret, secret))
    return no_memory(e);
  enum err err = entra_grant(w, &g, e);
  if (err)
    return err;
  g->secret_as = strdup("client_secret");
  return g->secret_as ? ERR_OK : no_memory(e);
}

static enum err find_workload(struct way *w, bool *found, struct error *e)
{
  const char *file = credload_env("AZURE_FEDERATED_TOKEN_FILE");
  struct grant *g;
  *found = file != NULL;
  if (!file)
    return ERR_OK;
  if (buf_adds(&w->name, "the workload identity of AZURE_FEDERATED_TOKEN_FILE"))
    return no_memory(e);
  enum err err = credload_token_file(file, &w->start.token, e);
  if (!err)
    err = entra_grant(w, &g, e);
  if (err)
    return err;
  g->token_as = strdup("client_assertion");
  if (!g->token_as)
    return no_memory(e);
  return kv_add(&g->form, "client_assertion_type",
                "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", e);
}

/* ---- managed identities ---- */

static enum err managed(struct way *w, const char *url, const char *variable,
                        const char *version, struct grant **out,
                        struct error *e)
{
  const char *client = credload_env("AZURE_CLIENT_ID");
  enum err err = credload_grant(w, METHOD_GET, url, out, e);
  struct grant *g = *out;
  if (err)
    return err;
  if (!g->base.https && !credload_is_near(&g->base))
    return err_set(e, ERR_CREDENTIALS,
                   "%s: http is for this machine and its link, not for %s",
                   variable, g->base.host);
  g->reply = GRANT_OAUTH;
  g->metadata = true;
  g->timeout_ms = METADATA_MS;
  g->tries = TRIES;
  err = kv_add(&g->query, "api-version", version, e);
  if (!err)
    err = kv_add(&g->query, "resource", RESOURCE, e);
  return err || !client ? err : kv_add(&g->query, "client_id", client, e);
}

static enum err find_app_service(struct way *w, bool *found, struct error *e)
{
  const char *url = credload_env("IDENTITY_ENDPOINT");
  const char *header = credload_env("IDENTITY_HEADER");
  struct grant *g;
  *found = url && header;
  if (!*found)
    return ERR_OK;
  if (buf_adds(&w->name, "the managed identity of IDENTITY_ENDPOINT") ||
      buf_sets(&w->start.token, header))
    return no_memory(e);
  enum err err = managed(w, url, "IDENTITY_ENDPOINT", "2019-08-01", &g, e);
  if (err)
    return err;
  g->proof = GRANT_HEADER;
  g->token_as = strdup("X-IDENTITY-HEADER");
  return g->token_as ? ERR_OK : no_memory(e);
}

static enum err find_machine(struct way *w, bool *found, struct error *e)
{
  const char *host = credload_env("AZURE_POD_IDENTITY_AUTHORITY_HOST");
  struct buf url = {0};
  struct grant *g;
  *found = true;
  if (!host)
    host = "http://169.254.169.254";
  if (buf_adds(&w->name, "the machine's managed identity") ||
      buf_addf(&url, "%.*s/metadata/identity/oauth2/token", bare_len(host),
               host))
    return no_memory(e);
  enum err err = managed(w, buf_str(&url), "AZURE_POD_IDENTITY_AUTHORITY_HOST",
                         "2018-02-01", &g, e);
  buf_release(&url);
  if (err)
    return err;
  g->retry_not_found = true;
  return kv_add(&g->headers, "Metadata", "true", e);
}

/* ---- all of them, in order ---- */

static const struct source {
  const char *name; /* as AZURE_TOKEN_CREDENTIALS has it */
  enum err (*find)(struct way *w, bool *found, struct error *e);
} sources[] = {
    {"EnvironmentCredential", find_secret},
    {"WorkloadIdentityCredential", find_workload},
    {"ManagedIdentityCredential", find_app_service},
    {"ManagedIdentityCredential", find_machine},
};

static bool is_wanted(const struct source *s)
{
  const char *only = credload_env("AZURE_TOKEN_CREDENTIALS");
  return !only || codec_equal_nocase(only, "prod") ||
         codec_equal_nocase(only, s->name);
}

static bool is_off(void)
{
  const char *mode = credload_env("AZURE_STORAGE_AUTH_MODE");
  return mode && strcmp(mode, "key") == 0;
}

/* Asked for by a name that we do not know: no other is used in its place. */
static enum err check_wish(struct error *e)
{
  const char *only = credload_env("AZURE_TOKEN_CREDENTIALS");
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    if (is_wanted(&sources[i]))
      return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 "AZURE_TOKEN_CREDENTIALS: '%.40s' is not one of prod, "
                 "EnvironmentCredential, WorkloadIdentityCredential, "
                 "ManagedIdentityCredential",
                 only);
}

enum err credload_entra_ways(const struct credload_ask *ask, struct ways *out,
                             struct error *e)
{
  enum err err = check_wish(e);
  bool instance = false;
  (void)ask;
  if (err)
    return err;
  for (size_t i = 0; i < sizeof sources / sizeof *sources && !is_off(); i++) {
    struct error why = {0};
    bool found = false;
    struct way *w = is_wanted(&sources[i]) && !instance ? ways_add(out) : NULL;
    if (!w && is_wanted(&sources[i]) && !instance)
      return no_memory(e);
    if (!w)
      continue;
    err = sources[i].find(w, &found, &why);
    err = credload_settle(out, err, found, &why, e);
    if (err)
      return err;
    /* Where there is App Service there is no machine of ours. */
    instance = found && sources[i].find == find_app_service;
  }
  return buf_adds(&out->looked,
                  "AZURE_CLIENT_SECRET, AZURE_FEDERATED_TOKEN_FILE, "
                  "IDENTITY_ENDPOINT, the machine's managed identity")
             ? no_memory(e)
             : ERR_OK;
}
