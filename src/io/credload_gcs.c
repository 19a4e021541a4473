/* SPDX-License-Identifier: MIT
 *
 * credload_gcs - see credload_gcs.h.
 */
#include "io/credload_gcs.h"

#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "io/credload_profile.h"
#include "io/file.h"

enum { MAX_BOTO = 1 << 20, MAX_TOKEN = 64 << 10 };

#define TOKEN_FILE "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE"
#define EMULATOR   "STORAGE_EMULATOR_HOST"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err keep(struct creds *out, enum creds_kind kind, const char *id,
                     const char *secret, const char *token, const char *source,
                     struct error *e)
{
  return creds_set(out, kind, id, secret, token, source) ? no_memory(e)
                                                         : ERR_OK;
}

/* ---- tokens ---- */

/* Blanks around it are an editor's; what is left becomes part of a header. */
static enum err keep_token(struct creds *out, const char *text,
                           const char *source, struct error *e)
{
  size_t from = strspn(text, " \t\r\n"), len = strlen(text + from);
  struct buf token = {.secret = true};
  while (len && strchr(" \t\r\n", text[from + len - 1]))
    len--;
  enum err err = ERR_OK;
  for (size_t i = 0; i < len && !err; i++)
    if (text[from + i] <= ' ' || text[from + i] == 0x7F)
      err = err_set(e, ERR_CREDENTIALS, "%s: is no token", source);
  if (!err && !len)
    err = err_set(e, ERR_CREDENTIALS, "%s: holds no token", source);
  if (!err && buf_add(&token, text + from, len))
    err = no_memory(e);
  if (!err)
    err = keep(out, CREDS_BEARER, NULL, NULL, buf_str(&token), source, e);
  buf_release(&token);
  return err;
}

static enum err token_of_file(struct creds *out, const char *path,
                              struct error *e)
{
  struct buf text = {.secret = true};
  struct error why = {0};
  enum err err = file_slurp(path, MAX_TOKEN, &text, &why);
  err = err ? err_set(e, ERR_CREDENTIALS, TOKEN_FILE ": %s", why.msg)
            : keep_token(out, buf_str(&text), path, e);
  buf_release(&text);
  return err;
}

static enum err from_tokens(struct creds *out, bool *found, struct error *e)
{
  const char *gcloud = credload_env("CLOUDSDK_AUTH_ACCESS_TOKEN");
  const char *file = credload_env(TOKEN_FILE);
  const char *other = credload_env("GOOGLE_OAUTH_ACCESS_TOKEN");
  *found = gcloud || file || other;
  if (gcloud)
    return keep_token(out, gcloud, "CLOUDSDK_AUTH_ACCESS_TOKEN", e);
  if (file)
    return token_of_file(out, file, e);
  return other ? keep_token(out, other, "GOOGLE_OAUTH_ACCESS_TOKEN", e)
               : ERR_OK;
}

/* ---- HMAC keys ---- */

/* A lone secret is ignored, a lone id is a mistake to be told of. */
static enum err from_variables(struct creds *out, bool *found, struct error *e)
{
  const char *id = credload_env("GS_ACCESS_KEY_ID");
  const char *secret = credload_env("GS_SECRET_ACCESS_KEY");
  if (!id)
    return ERR_OK;
  if (!secret)
    return err_set(e, ERR_CREDENTIALS,
                   "GS_ACCESS_KEY_ID is set but GS_SECRET_ACCESS_KEY is not");
  *found = true;
  return keep(out, CREDS_KEYS, id, secret, NULL, "the environment", e);
}

/* The usual one is nobody's wish where a key file is named. */
static enum err boto_path(struct buf *out, struct error *e)
{
  const char *path = credload_env("BOTO_CONFIG"), *home = credload_env("HOME");
  enum err err = ERR_OK;
  if (path)
    err = buf_adds(out, path);
  else if (home && !credload_env("GOOGLE_APPLICATION_CREDENTIALS"))
    err = buf_addf(out, "%s/.boto", home);
  return err ? no_memory(e) : ERR_OK;
}

static enum err boto_value(const struct buf *text, const char *path,
                           const char *name, char **out, struct error *e)
{
  struct error why = {0};
  enum err err =
      ini_get(buf_str(text), text->len, "Credentials", name, out, &why);
  return err ? err_set(e, err == ERR_INTERNAL ? err : ERR_CREDENTIALS, "%s: %s",
                       path, why.msg)
             : ERR_OK;
}

static enum err boto_keys(const struct buf *text, const char *path,
                          struct creds *out, bool *found, struct error *e)
{
  char *id = NULL, *secret = NULL;
  enum err err = boto_value(text, path, "gs_access_key_id", &id, e);
  if (!err)
    err = boto_value(text, path, "gs_secret_access_key", &secret, e);
  if (!err && id && !secret)
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: [Credentials] has gs_access_key_id but no "
                  "gs_secret_access_key",
                  path);
  *found = !err && id && *id;
  if (*found)
    err = keep(out, CREDS_KEYS, id, secret, NULL, path, e);
  free(id);
  buf_wipe_free(secret);
  return err;
}

static enum err from_boto(struct creds *out, bool *found, struct error *e)
{
  struct buf path = {0}, text = {.secret = true};
  struct error why = {0};
  enum err err = boto_path(&path, e);
  if (!err && path.len) {
    enum err read = file_slurp(buf_str(&path), MAX_BOTO, &text, &why);
    /* A file that was named must be there; the usual one need not be. */
    if (!read)
      err = boto_keys(&text, buf_str(&path), out, found, e);
    else if (read != ERR_NOT_FOUND || credload_env("BOTO_CONFIG"))
      err = err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  }
  buf_release(&path);
  buf_release(&text);
  return err;
}

/* The first that can be used; one that is broken does not hide the others, and
 * is told of when there are none.  Half a key is a mistake, whatever else there
 * is. */
enum err credload_gcs(const struct credload_ask *ask, struct creds *out,
                      struct error *e)
{
  static enum err (*const sources[])(struct creds *, bool *, struct error *) = {
      from_tokens, from_variables, from_boto};
  struct error first = {0};
  (void)ask;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    struct error why = {0};
    bool found = false;
    enum err err = sources[i](out, &found, &why);
    if (!err && found)
      return ERR_OK;
    if (err && (!first.code || err == ERR_INTERNAL))
      first = why;
    if (err && sources[i] == from_variables)
      break;
  }
  if (first.code)
    return err_set(e, first.code, "%s", first.msg);
  return err_set(e, ERR_CREDENTIALS,
                 "no credentials: looked at CLOUDSDK_AUTH_ACCESS_TOKEN, "
                 "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE, GOOGLE_OAUTH_ACCESS_TOKEN, "
                 "GS_ACCESS_KEY_ID and gs_access_key_id in ~/.boto");
}

/* ---- settings ---- */

enum err credload_gcs_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
{
  const char *host = credload_env(EMULATOR);
  struct buf url = {0};
  (void)ask;
  *out = (struct credload_settings){0};
  if (!host)
    return ERR_OK;
  if (!buf_addf(&url, "%s%s", strstr(host, "://") ? "" : "http://", host)) {
    out->endpoint = buf_take(&url);
    out->endpoint_from = strdup(EMULATOR);
  }
  buf_release(&url);
  if (out->endpoint && out->endpoint_from)
    return ERR_OK;
  credload_settings_release(out);
  return no_memory(e);
}
