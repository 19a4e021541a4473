/* SPDX-License-Identifier: MIT
 *
 * credload_key - see credload_key.h.
 */
#include "io/credload_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "io/credload_grant.h"

enum { METADATA_MS = 1000, TRIES = 3, LIFE_S = 3600, MOST_LIFE_S = 43200 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

bool credload_key_member(const struct key_file *f, const char *name,
                         struct buf *out)
{
  char path[128];
  snprintf(path, sizeof path, "%s%s", f->within, name);
  return json_get(buf_str(f->text), f->text->len, path, out) && out->len;
}

enum err credload_key_need(const struct key_file *f, const char *name,
                           struct buf *out, struct error *e)
{
  return credload_key_member(f, name, out)
             ? ERR_OK
             : err_set(e, ERR_CREDENTIALS, "lacks %s%s", f->within, name);
}

enum err credload_key_each(const struct key_file *f, const char *name,
                           json_member_fn *fn, void *ctx, struct error *e)
{
  char path[128];
  snprintf(path, sizeof path, "%s%s", f->within, name);
  return json_each(buf_str(f->text), f->text->len, path, fn, ctx, e);
}

static bool is_json(const struct key_file *f)
{
  struct buf type = {0};
  bool json = credload_key_member(f, "credential_source/format/type", &type) &&
              strcmp(buf_str(&type), "json") == 0;
  buf_release(&type);
  return json;
}

static enum err subject_file(const struct key_file *f, const char *path,
                             struct way *w, struct error *e)
{
  struct buf text = {.secret = true}, field = {0};
  enum err err = credload_token_file(path, &text, e);
  if (!err && !is_json(f))
    err = buf_sets(&w->start.token, buf_str(&text)) ? no_memory(e) : ERR_OK;
  else if (!err)
    err = credload_key_need(
        f, "credential_source/format/subject_token_field_name", &field, e);
  if (!err && field.len &&
      !json_get(buf_str(&text), text.len, buf_str(&field), &w->start.token))
    err = err_set(e, ERR_CREDENTIALS, "%s lacks %s", path, buf_str(&field));
  buf_release(&text);
  buf_release(&field);
  return err;
}

static enum err add_header(void *ctx, const char *name, const char *value,
                           struct error *e)
{
  return kv_add(ctx, name, value, e);
}

static enum err subject_url(const struct key_file *f, const char *url,
                            struct way *w, struct error *e)
{
  struct buf field = {0};
  struct grant *g;
  enum err err = credload_grant(w, METHOD_GET, url, &g, e);
  if (err)
    return err;
  g->metadata = !g->base.https && credload_is_near(&g->base);
  g->timeout_ms = METADATA_MS;
  g->tries = TRIES;
  g->reply = is_json(f) ? GRANT_JSON_TOKEN : GRANT_TEXT_TOKEN;
  if (g->reply == GRANT_JSON_TOKEN)
    err = credload_key_need(
        f, "credential_source/format/subject_token_field_name", &field, e);
  if (!err && field.len)
    g->reply_member = buf_take(&field);
  buf_release(&field);
  return err ? err
             : credload_key_each(f, "credential_source/headers", add_header,
                                 &g->headers, e);
}

enum err credload_key_subject(const struct key_file *f, struct way *w,
                              struct error *e)
{
  struct buf place = {0};
  enum err err;
  /* AWS's has a url, too, which gives no token. */
  if (credload_key_member(f, "credential_source/environment_id", &place))
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: a credential_source of '%.40s' is not known here",
                  f->path, buf_str(&place));
  else if (credload_key_member(f, "credential_source/file", &place))
    err = subject_file(f, buf_str(&place), w, e);
  else if (credload_key_member(f, "credential_source/url", &place))
    err = subject_url(f, buf_str(&place), w, e);
  else
    err = err_set(e, ERR_CREDENTIALS,
                  "a credential_source has a file or a url; no other kind is "
                  "known here");
  buf_release(&place);
  return err;
}

/* ---- another identity ---- */

static enum err add_delegate(void *ctx, const char *name, const char *value,
                             struct error *e)
{
  struct buf *json = ctx;
  (void)name;
  return buf_adds(json, json->data[json->len - 1] == '[' ? "" : ",") ||
                 json_quote(json, value)
             ? no_memory(e)
             : ERR_OK;
}

/* What is asked for on behalf of a service account. */
static enum err add_wish(const struct key_file *f, const char *scope,
                         struct grant *g, struct error *e)
{
  struct buf json = {0}, lasts = {0};
  uint64_t s;
  bool said = credload_key_member(
      f, "service_account_impersonation/token_lifetime_seconds", &lasts);
  if (!said || !codec_u64(buf_str(&lasts), 1, MOST_LIFE_S, &s))
    s = LIFE_S;
  enum err err =
      buf_addf(&json, "{\"scope\":[\"%s\"],\"delegates\":[", scope)
          ? no_memory(e)
          : credload_key_each(f, "delegates", add_delegate, &json, e);
  if (!err && buf_addf(&json, "],\"lifetime\":\"%" PRIu64 "s\"}", s))
    err = no_memory(e);
  g->json = err ? NULL : buf_take(&json);
  buf_release(&json);
  buf_release(&lasts);
  return err || g->json ? err : no_memory(e);
}

enum err credload_key_impersonate(const struct key_file *f, const char *scope,
                                  struct way *w, struct error *e)
{
  struct buf url = {0};
  struct grant *g;
  if (!credload_key_member(f, "service_account_impersonation_url", &url))
    return ERR_OK;
  enum err err = credload_grant(w, METHOD_POST, buf_str(&url), &g, e);
  buf_release(&url);
  if (err)
    return err;
  g->proof = GRANT_BEARER;
  g->reply = GRANT_IMPERSONATED;
  return add_wish(f, scope, g, e);
}
