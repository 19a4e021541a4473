/* SPDX-License-Identifier: MIT
 *
 * credload_azure - see credload_azure.h.
 */
#include "io/credload_azure.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "base/kv.h"
#include "base/uri.h"
#include "cloud/sas.h"
#include "io/credload_profile.h"
#include "io/file.h"

#define STRING "AZURE_STORAGE_CONNECTION_STRING"

enum { MAX_TOKEN = 64 << 10 };

/* The emulator's account, which Microsoft publishes. */
#define DEV_ACCOUNT "devstoreaccount1"
#define DEV_KEY                                                                \
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/" \
  "KBHBeksoGMGw=="
#define DEV_ENDPOINT "http://127.0.0.1:10000/" DEV_ACCOUNT

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- the connection string ---- */

/* Keys end in "==", so the first '=' of a part divides it. */
static enum err add_part(struct kv *to, const char *s, size_t len,
                         struct error *e)
{
  const char *eq = memchr(s, '=', len);
  if (!eq)
    return err_set(e, ERR_CREDENTIALS, STRING ": a part of it has no '='");
  size_t name_len = (size_t)(eq - s);
  struct error why = {0};
  enum err err = kv_addn(to, s, name_len, eq + 1, len - name_len - 1, &why);
  if (err == ERR_INTERNAL)
    return no_memory(e);
  return err ? err_set(e, ERR_CREDENTIALS, STRING ": a part of it is damaged")
             : ERR_OK;
}

static enum err parse_string(const char *s, struct kv *out, struct error *e)
{
  enum err err = ERR_OK;
  while (*s && !err) {
    s += strspn(s, "; \t\r\n\"'");
    size_t len = strcspn(s, ";"), end = len;
    while (end && strchr(" \t\r\n\"'", s[end - 1]))
      end--;
    if (end)
      err = add_part(out, s, end, e);
    s += len;
  }
  const char *dev = kv_get(out, "UseDevelopmentStorage");
  if (!err && dev && codec_equal_nocase(dev, "true") &&
      (kv_set(out, "AccountName", DEV_ACCOUNT, NULL) ||
       kv_set(out, "AccountKey", DEV_KEY, NULL) ||
       kv_set(out, "BlobEndpoint", DEV_ENDPOINT, NULL)))
    err = no_memory(e);
  return err;
}

static enum err read_string(struct kv *out, bool *there, struct error *e)
{
  const char *s = credload_env(STRING);
  *there = s != NULL;
  return s ? parse_string(s, out, e) : ERR_OK;
}

/* ---- credentials ---- */

struct found {
  enum creds_kind kind;
  const char *account, *secret; /* CREDS_KEYS */
  const char *token;            /* the others */
  const char *source;
};

/* One that could sign nothing must not hide a token. */
static enum err check_key(const struct found *f, struct error *e)
{
  struct buf raw = {.secret = true};
  enum err err = ERR_OK;
  if (buf_reserve(&raw, strlen(f->secret)))
    err = no_memory(e);
  else if (!hash_unbase64(&raw, f->secret, strlen(f->secret)) || !raw.len)
    err = err_set(e, ERR_CREDENTIALS,
                  "the key of account %.80s (%s) is not in base64",
                  f->account ? f->account : "", f->source);
  buf_release(&raw);
  return err;
}

static enum err keep(const struct found *f, struct creds *out, struct error *e)
{
  struct buf sas = {.secret = true};
  enum err err = f->kind == CREDS_SAS    ? sas_normal(f->token, &sas, e)
                 : f->kind == CREDS_KEYS ? check_key(f, e)
                                         : ERR_OK;
  if (err == ERR_CREDENTIALS && f->kind == CREDS_SAS)
    err = err_prefix(e, "%s: ", f->source);
  if (!err &&
      creds_set(out, f->kind, f->account, f->secret,
                f->kind == CREDS_SAS ? buf_str(&sas) : f->token, f->source))
    err = no_memory(e);
  buf_release(&sas);
  return err;
}

/* Whose a connection string is: said, or the first part of its BlobEndpoint's
 * host.  Empty: nobody's in particular. */
static enum err owner_of(const struct kv *string, struct buf *out,
                         struct error *e)
{
  const char *name = kv_get(string, "AccountName");
  const char *url = kv_get(string, "BlobEndpoint");
  const char *host = url ? strstr(url, "://") : NULL;
  size_t len = host ? strcspn(host + 3, "./:") : 0;
  enum err err = ERR_OK;
  if (name)
    err = buf_adds(out, name);
  else if (host && codec_starts_with(host + 3 + len, ".blob."))
    err = buf_add(out, host + 3, len);
  return err ? no_memory(e) : ERR_OK;
}

static bool is_of(const struct credload_ask *ask, const char *account)
{
  return !account || !*account || !ask->target || !ask->target->account ||
         strcmp(account, ask->target->account) == 0;
}

/* What belongs to one account is of no use for another. */
static enum err check_account(const struct credload_ask *ask,
                              const char *account, const char *from,
                              struct error *e)
{
  if (is_of(ask, account))
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 "%s is of account '%.80s', the URL names '%.80s'", from,
                 account, ask->target->account);
}

static enum err from_string(const struct credload_ask *ask,
                            const struct kv *string, struct creds *out,
                            struct error *e)
{
  const char *account = kv_get(string, "AccountName");
  const char *sas = kv_get(string, "SharedAccessSignature");
  const char *key = kv_get(string, "AccountKey");
  struct buf owner = {0};
  enum err err = owner_of(string, &owner, e);
  if (!err)
    err = check_account(ask, buf_str(&owner), STRING, e);
  buf_release(&owner);
  if (err)
    return err;
  if (sas && *sas)
    return keep(&(struct found){CREDS_SAS, account, NULL, sas, STRING}, out, e);
  if (!key || !*key || !account)
    return err_set(e, ERR_CREDENTIALS,
                   STRING " holds neither AccountName and AccountKey nor "
                          "SharedAccessSignature");
  return keep(&(struct found){CREDS_KEYS, account, key, NULL, STRING}, out, e);
}

static enum err from_variables(const struct credload_ask *ask, bool *found,
                               struct creds *out, struct error *e)
{
  const char *account = credload_env("AZURE_STORAGE_ACCOUNT");
  const char *sas = credload_env("AZURE_STORAGE_SAS_TOKEN");
  const char *key = credload_env("AZURE_STORAGE_KEY");
  if (!sas && !key)
    return ERR_OK;
  *found = true;
  enum err err = check_account(ask, account, "AZURE_STORAGE_ACCOUNT", e);
  if (err)
    return err;
  if (!account && ask->target)
    account = ask->target->account;
  struct found f = {CREDS_SAS, account, NULL, sas, "AZURE_STORAGE_SAS_TOKEN"};
  if (!sas)
    f = (struct found){CREDS_KEYS, account, key, NULL, "AZURE_STORAGE_KEY"};
  return keep(&f, out, e);
}

/* A line of its own, in a file or not; kv refuses what no header may hold. */
static enum err keep_token(const char *text, const char *source,
                           struct creds *out, struct error *e)
{
  struct buf token = {.secret = true};
  size_t from = strspn(text, " \t\r\n"), len = strlen(text);
  while (len > from && strchr(" \t\r\n", text[len - 1]))
    len--;
  enum err err =
      buf_add(&token, text + from, len - from) ? no_memory(e) : ERR_OK;
  if (!err && !token.len)
    err = err_set(e, ERR_CREDENTIALS, "%s holds no token", source);
  if (!err)
    err =
        keep(&(struct found){CREDS_BEARER, NULL, NULL, buf_str(&token), source},
             out, e);
  buf_release(&token);
  return err;
}

static enum err from_token_file(const char *path, struct creds *out,
                                struct error *e)
{
  struct buf text = {.secret = true}, source = {0};
  struct error why = {0};
  enum err err = file_slurp(path, MAX_TOKEN, &text, &why);
  if (err)
    err = err_set(e, ERR_CREDENTIALS, "ANK_AZURE_TOKEN_FILE: %s", why.msg);
  else if (buf_adds(&source, path))
    err = no_memory(e);
  else
    err = keep_token(buf_str(&text), buf_str(&source), out, e);
  buf_release(&text);
  buf_release(&source);
  return err;
}

static enum err from_token(bool *found, struct creds *out, struct error *e)
{
  const char *path = credload_env("ANK_AZURE_TOKEN_FILE");
  const char *token = credload_env("ANK_AZURE_TOKEN");
  *found = path || token;
  if (path)
    return from_token_file(path, out, e);
  return token ? keep_token(token, "ANK_AZURE_TOKEN", out, e) : ERR_OK;
}

static enum err check_mode(const char *mode, struct error *e)
{
  if (!mode || strcmp(mode, "login") == 0 || strcmp(mode, "key") == 0)
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 "AZURE_STORAGE_AUTH_MODE is 'login' or 'key', not '%.40s'",
                 mode);
}

static enum err from_connection(const struct credload_ask *ask, bool *found,
                                struct creds *out, struct error *e)
{
  struct kv string = {0};
  enum err err = read_string(&string, found, e);
  if (!err && *found)
    err = from_string(ask, &string, out, e);
  kv_release(&string);
  return err;
}

static enum err from_tokens(const struct credload_ask *ask, bool *found,
                            struct creds *out, struct error *e)
{
  (void)ask;
  return from_token(found, out, e);
}

/* The first that can be used; one that is broken does not hide the others, and
 * is told of when there are none. */
static enum err first_of(const struct credload_ask *ask, bool keys, bool tokens,
                         bool *found, struct creds *out, struct error *e)
{
  static enum err (*const sources[])(const struct credload_ask *, bool *,
                                     struct creds *, struct error *) = {
      from_connection, from_variables, from_tokens};
  struct error first = {0};
  for (int i = keys ? 0 : 2; i < (tokens ? 3 : 2); i++) {
    struct error why = {0};
    *found = false;
    enum err err = sources[i](ask, found, out, &why);
    if (err == ERR_INTERNAL)
      return err_set(e, err, "%s", why.msg);
    if (!err && *found)
      return ERR_OK;
    if (err && !first.code)
      first = why;
  }
  *found = false;
  return first.code ? err_set(e, first.code, "%s", first.msg) : ERR_OK;
}

enum err credload_azure(const struct credload_ask *ask, struct creds *out,
                        struct error *e)
{
  const char *mode = credload_env("AZURE_STORAGE_AUTH_MODE");
  bool found = false, login = mode && strcmp(mode, "login") == 0;
  enum err err = check_mode(mode, e);
  if (!err)
    err = first_of(ask, !login, !mode || login, &found, out, e);
  if (err || found)
    return err;
  return err_set(e, ERR_CREDENTIALS, "no credentials: looked at %s%s%s",
                 login ? ""
                       : STRING ", AZURE_STORAGE_SAS_TOKEN, "
                                "AZURE_STORAGE_KEY",
                 mode ? "" : ", ",
                 mode && !login ? "" : "ANK_AZURE_TOKEN_FILE, ANK_AZURE_TOKEN");
}

/* ---- settings ---- */

/* Names that become a host are looked at first (security.md 1). */
static enum err spell_endpoint(const struct kv *string, const char *account,
                               struct buf *out, struct error *e)
{
  const char *suffix = kv_get(string, "EndpointSuffix");
  const char *protocol = kv_get(string, "DefaultEndpointsProtocol");
  if (!account || (!suffix && !protocol))
    return ERR_OK;
  suffix = suffix ? suffix : "core.windows.net";
  protocol = protocol ? protocol : "https";
  if (!uri_is_hostname(suffix) || !uri_is_hostname(account))
    return err_set(e, ERR_CREDENTIALS,
                   STRING ": AccountName and EndpointSuffix make no host name");
  bool https = codec_equal_nocase(protocol, "https");
  if (!https && !codec_equal_nocase(protocol, "http"))
    return err_set(e, ERR_CREDENTIALS,
                   STRING ": DefaultEndpointsProtocol is http or https");
  return buf_addf(out, "http%s://%s.blob.%s", https ? "s" : "", account, suffix)
             ? no_memory(e)
             : ERR_OK;
}

/* Another account's is no place for this one. */
static enum err find_endpoint(const struct credload_ask *ask, struct buf *out,
                              struct error *e)
{
  struct kv string = {0};
  struct buf owner = {0};
  bool there;
  enum err err = read_string(&string, &there, e);
  if (!err)
    err = owner_of(&string, &owner, e);
  bool ours = is_of(ask, buf_str(&owner));
  const char *given = kv_get(&string, "BlobEndpoint");
  const char *account = kv_get(&string, "AccountName");
  if (!account && ask->target)
    account = ask->target->account;
  if (!err && ours && given)
    err = buf_adds(out, given) ? no_memory(e) : ERR_OK;
  else if (!err && ours)
    err = spell_endpoint(&string, account, out, e);
  buf_release(&owner);
  kv_release(&string);
  return err;
}

enum err credload_azure_settings(const struct credload_ask *ask,
                                 struct credload_settings *out, struct error *e)
{
  struct credload_settings s = {0};
  struct buf endpoint = {0};
  enum err err = find_endpoint(ask, &endpoint, e);
  if (!err && endpoint.len) {
    s.endpoint = buf_take(&endpoint);
    s.endpoint_from = strdup(STRING);
    if (!s.endpoint || !s.endpoint_from)
      err = no_memory(e);
  }
  buf_release(&endpoint);
  if (err)
    credload_settings_release(&s);
  else
    *out = s;
  return err;
}
