/* SPDX-License-Identifier: MIT
 *
 * credload_key - see credload_key.h.
 */
#include "io/credload_key.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "io/credload_grant.h"

enum { METADATA_MS = 1000, TRIES = 3 };

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

/* Headers that it wants are few and known by name. */
static enum err subject_headers(const struct key_file *f, struct grant *g,
                                struct error *e)
{
  static const char *const names[] = {"Metadata", "Authorization",
                                      "Metadata-Flavor", "X-Subject", "Accept"};
  struct buf value = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names && !err; i++) {
    char path[96];
    snprintf(path, sizeof path, "credential_source/headers/%s", names[i]);
    if (credload_key_member(f, path, &value))
      err = kv_add(&g->headers, names[i], buf_str(&value), e);
  }
  buf_release(&value);
  return err;
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
  return err ? err : subject_headers(f, g, e);
}

enum err credload_key_subject(const struct key_file *f, struct way *w,
                              struct error *e)
{
  struct buf place = {0};
  enum err err;
  if (credload_key_member(f, "credential_source/file", &place))
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
