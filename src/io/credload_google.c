/* SPDX-License-Identifier: MIT
 *
 * credload_google - see credload_google.h.
 */
#include "io/credload_google.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash_rsa.h"
#include "base/json.h"
#include "io/credload_grant.h"
#include "io/credload_key.h"
#include "io/credload_profile.h"
#include "io/file.h"

#define TOKEN_URI "https://oauth2.googleapis.com/token"
#define SCOPE     "https://www.googleapis.com/auth/devstorage.read_write"
#define PLATFORM  "https://www.googleapis.com/auth/cloud-platform"

enum { MAX_FILE = 1 << 20, METADATA_MS = 1000, TRIES = 3 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err add_form(const struct key_file *f, struct grant *g,
                         const char *field, const char *name, struct error *e)
{
  struct buf value = {0};
  enum err err = credload_key_need(f, name, &value, e);
  if (!err)
    err = kv_add(&g->form, field, buf_str(&value), e);
  buf_release(&value);
  return err;
}

/* ---- one kind of file after the other ---- */

static enum err token_grant(const struct key_file *f, const char *name,
                            struct way *w, struct grant **out, struct error *e)
{
  struct buf url = {0};
  if (!credload_key_member(f, name, &url) && buf_sets(&url, TOKEN_URI))
    return no_memory(e);
  enum err err = credload_grant(w, METHOD_POST, buf_str(&url), out, e);
  buf_release(&url);
  if (!err)
    (*out)->reply = GRANT_OAUTH;
  return err;
}

static enum err open_key(const struct key_file *f, struct way *w,
                         struct error *e)
{
  struct buf pem = {.secret = true};
  struct error why = {0};
  enum err err = credload_key_need(f, "private_key", &pem, e);
  if (!err) {
    err = hash_rsa_open(buf_str(&pem), pem.len, NULL, &w->start.secret, &why);
    if (err)
      err = err_set(e, err, "%s", why.msg);
  }
  buf_release(&pem);
  return err;
}

static enum err service_account(const struct key_file *f, struct way *w,
                                struct error *e)
{
  struct buf email = {0}, uri = {0}, kid = {0};
  struct grant *g;
  enum err err = credload_key_need(f, "client_email", &email, e);
  if (!err)
    err = open_key(f, w, e);
  if (!err)
    err = token_grant(f, "token_uri", w, &g, e);
  if (!err && !credload_key_member(f, "token_uri", &uri) &&
      buf_sets(&uri, TOKEN_URI))
    err = no_memory(e);
  if (!err) {
    g->proof = GRANT_JWT;
    if (credload_key_member(f, "private_key_id", &kid))
      g->key_name = buf_take(&kid);
    err = kv_add(&g->form, "grant_type",
                 "urn:ietf:params:oauth:grant-type:jwt-bearer", e);
  }
  if (!err)
    err = kv_add(&g->claims, "iss", buf_str(&email), e);
  if (!err)
    err = kv_add(&g->claims, "scope", *f->within ? PLATFORM : SCOPE, e);
  if (!err)
    err = kv_add(&g->claims, "aud", buf_str(&uri), e);
  buf_release(&email);
  buf_release(&uri);
  buf_release(&kid);
  return err;
}

static enum err authorized_user(const struct key_file *f, struct way *w,
                                struct error *e)
{
  struct grant *g;
  enum err err = credload_key_need(f, "refresh_token", &w->start.token, e);
  if (!err)
    err = credload_key_need(f, "client_secret", &w->start.secret, e);
  if (!err)
    err = token_grant(f, "token_uri", w, &g, e);
  if (err)
    return err;
  g->proof = GRANT_FORM;
  g->token_as = strdup("refresh_token");
  g->secret_as = strdup("client_secret");
  if (!g->token_as || !g->secret_as)
    return no_memory(e);
  err = kv_add(&g->form, "grant_type", "refresh_token", e);
  return err ? err : add_form(f, g, "client_id", "client_id", e);
}

/* ---- identities from elsewhere ---- */

/* A workforce's user is nobody's in particular: who pays is to be said. */
static enum err add_user_project(const struct key_file *f, struct grant *g,
                                 struct error *e)
{
  struct buf project = {0}, json = {0};
  if (!credload_key_member(f, "workforce_pool_user_project", &project))
    return ERR_OK;
  enum err err = buf_adds(&json, "{\"userProject\":") ||
                         json_quote(&json, buf_str(&project)) ||
                         buf_addc(&json, '}')
                     ? no_memory(e)
                     : kv_add(&g->form, "options", buf_str(&json), e);
  buf_release(&project);
  buf_release(&json);
  return err;
}

static enum err external_account(const struct key_file *f, struct way *w,
                                 struct error *e)
{
  static const char kind[] = "urn:ietf:params:oauth:";
  struct grant *g = NULL;
  struct buf url = {0};
  enum err err = credload_key_subject(f, w, e);
  if (!err)
    err = credload_key_need(f, "token_url", &url, e);
  if (!err)
    err = token_grant(f, "token_url", w, &g, e);
  buf_release(&url);
  if (err)
    return err;
  g->proof = GRANT_FORM;
  g->token_as = strdup("subject_token");
  if (!g->token_as)
    return no_memory(e);
  err = kv_addf(&g->form, e, "grant_type", "%sgrant-type:token-exchange", kind);
  if (!err)
    err = kv_addf(&g->form, e, "requested_token_type",
                  "%stoken-type:access_token", kind);
  if (!err)
    err = kv_add(&g->form, "scope", PLATFORM, e);
  if (!err)
    err = add_form(f, g, "audience", "audience", e);
  if (!err)
    err = add_form(f, g, "subject_token_type", "subject_token_type", e);
  if (!err)
    err = add_user_project(f, g, e);
  return err ? err : credload_key_impersonate(f, SCOPE, w, e);
}

static enum err impersonated(const struct key_file *f, struct way *w,
                             struct error *e)
{
  const struct key_file source = {f->text, f->path, "source_credentials/"};
  struct buf type = {0}, url = {0};
  enum err err = credload_key_need(&source, "type", &type, e);
  if (!err)
    err = credload_key_need(f, "service_account_impersonation_url", &url, e);
  if (!err && strcmp(buf_str(&type), "service_account") == 0)
    err = service_account(&source, w, e);
  else if (!err && strcmp(buf_str(&type), "authorized_user") == 0)
    err = authorized_user(&source, w, e);
  else if (!err && strcmp(buf_str(&type), "external_account") == 0)
    err = external_account(&source, w, e);
  else if (!err)
    err = err_set(e, ERR_CREDENTIALS, "%s: source_credentials of type '%.40s'",
                  f->path, buf_str(&type));
  buf_release(&type);
  buf_release(&url);
  return err ? err : credload_key_impersonate(f, SCOPE, w, e);
}

static enum err by_type(const struct key_file *f, struct way *w,
                        struct error *e)
{
  static const struct {
    const char *type;
    enum err (*make)(const struct key_file *, struct way *, struct error *);
  } types[] = {{"service_account", service_account},
               {"authorized_user", authorized_user},
               {"external_account", external_account},
               {"impersonated_service_account", impersonated}};
  struct buf type = {0};
  enum err err = credload_key_need(f, "type", &type, e);
  for (size_t i = 0; i < sizeof types / sizeof *types && !err; i++)
    if (strcmp(types[i].type, buf_str(&type)) == 0) {
      buf_release(&type);
      return types[i].make(f, w, e);
    }
  if (!err)
    err = err_set(e, ERR_CREDENTIALS,
                  "credentials of type '%.40s' are not known here",
                  buf_str(&type));
  buf_release(&type);
  return err;
}

/* ---- where ---- */

static enum err quota_project(const struct key_file *f, struct way *w,
                              struct error *e)
{
  const char *said = credload_env("GOOGLE_CLOUD_QUOTA_PROJECT");
  if (said)
    return buf_sets(&w->start.project, said) ? no_memory(e) : ERR_OK;
  (void)credload_key_member(f, "quota_project_id", &w->start.project);
  return ERR_OK;
}

/* Its tokens are for hosts of its own. */
static enum err check_universe(const struct key_file *f, struct error *e)
{
  struct buf name = {0};
  bool other = credload_key_member(f, "universe_domain", &name) &&
               strcmp(buf_str(&name), "googleapis.com") != 0;
  enum err err =
      other
          ? err_set(e, ERR_CREDENTIALS,
                    "%s: is of the universe %.80s, and only googleapis.com is "
                    "known here",
                    f->path, buf_str(&name))
          : ERR_OK;
  buf_release(&name);
  return err;
}

static enum err find_file(struct way *w, const char *path, bool *found,
                          struct error *e)
{
  struct buf text = {.secret = true};
  struct error why = {0};
  const struct key_file f = {&text, path, ""};
  enum err err = file_slurp(path, MAX_FILE, &text, &why);
  *found = err != ERR_NOT_FOUND || w->named;
  if (err && *found)
    err = err_set(e, ERR_CREDENTIALS, "%s%s",
                  w->named ? "GOOGLE_APPLICATION_CREDENTIALS: " : "", why.msg);
  else if (err)
    err = ERR_OK;
  else if (!json_is_object(buf_str(&text), text.len))
    err = err_set(e, ERR_CREDENTIALS, "%s: is no JSON object", path);
  else if (buf_addf(&w->name, "%s", path))
    err = no_memory(e);
  else
    err = check_universe(&f, e);
  if (!err && *found)
    err = by_type(&f, w, e);
  if (!err && *found)
    err = quota_project(&f, w, e);
  buf_release(&text);
  return err;
}

static enum err find_usual_file(struct way *w, bool *found, struct error *e)
{
  const char *said = credload_env("GOOGLE_APPLICATION_CREDENTIALS");
  const char *folder = credload_env("CLOUDSDK_CONFIG");
  const char *home = credload_env("HOME");
  struct buf path = {0};
  w->named = said != NULL;
  *found = false;
  enum err err = ERR_OK;
  if (said)
    err = buf_adds(&path, said);
  else if (folder || home)
    err = buf_addf(&path, "%s%s/application_default_credentials.json",
                   folder ? folder : home, folder ? "" : "/.config/gcloud");
  if (err)
    return no_memory(e);
  if (path.len)
    err = find_file(w, buf_str(&path), found, e);
  buf_release(&path);
  return err;
}

static enum err find_metadata(struct way *w, bool *found, struct error *e)
{
  const char *mode = credload_env("METADATA_SERVER_DETECTION");
  const char *off = credload_env("NO_GCE_CHECK");
  const char *host = credload_env2("GCE_METADATA_HOST", "GCE_METADATA_IP");
  struct buf url = {0};
  struct grant *g;
  *found = !(mode && strcmp(mode, "none") == 0) &&
           !(off && codec_equal_nocase(off, "true"));
  if (!*found)
    return ERR_OK;
  if (buf_adds(&w->name, "the metadata service") ||
      buf_addf(&url,
               "http://%s/computeMetadata/v1/instance/service-accounts/default/"
               "token",
               host ? host : "169.254.169.254"))
    return no_memory(e);
  enum err err = credload_grant(w, METHOD_GET, buf_str(&url), &g, e);
  buf_release(&url);
  if (err)
    return err;
  if (!credload_is_near(&g->base) &&
      strcmp(g->base.host, "metadata.google.internal") != 0)
    return err_set(e, ERR_CREDENTIALS,
                   "GCE_METADATA_HOST: http is for this machine and its link, "
                   "not for %s",
                   g->base.host);
  g->metadata = true;
  g->timeout_ms = METADATA_MS;
  g->tries = TRIES;
  g->reply = GRANT_OAUTH;
  g->reply_header = strdup("Metadata-Flavor: Google");
  return g->reply_header ? kv_add(&g->headers, "Metadata-Flavor", "Google", e)
                         : no_memory(e);
}

enum err credload_google_ways(const struct credload_ask *ask, struct ways *out,
                              struct error *e)
{
  static enum err (*const finders[])(struct way *, bool *, struct error *) = {
      find_usual_file, find_metadata};
  enum err err = ERR_OK;
  (void)ask;
  for (size_t i = 0; i < 2 && !err; i++) {
    struct error why = {0};
    bool found = false;
    struct way *w = ways_add(out);
    if (!w)
      return no_memory(e);
    err = finders[i](w, &found, &why);
    bool named = w->named && (found || err);
    err = credload_settle(out, err, found, &why, e);
    if (named)
      return err;
  }
  if (!err && buf_adds(&out->looked,
                       "GOOGLE_APPLICATION_CREDENTIALS, gcloud's "
                       "application_default_credentials.json, the metadata "
                       "service"))
    err = no_memory(e);
  return err;
}
