/* SPDX-License-Identifier: MIT
 *
 * weburl_signed - see weburl_signed.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "cloud/sas.h"
#include "cloud/weburl.h"
#include "cloud/weburl_signed.h"

/* ---- is it signed ---- */

static bool has(const char *query, const char *name)
{
  size_t want = strlen(name);
  for (const char *s = query; *s;) {
    size_t len = strcspn(s, "&");
    if (len > want && s[want] == '=' && codec_starts_nocase(s, len, name))
      return true;
    s += len + (s[len] == '&');
  }
  return false;
}

bool weburl_signs(const char *provider, const char *path, const char *query)
{
  if (strcmp(provider, "azure") == 0)
    return has(query, "sig");
  if (strcmp(provider, "oci") == 0)
    return codec_starts_with(path, "/p/");
  return has(query, "X-Amz-Signature") || has(query, "X-Goog-Signature") ||
         (has(query, "Signature") &&
          (has(query, "AWSAccessKeyId") || has(query, "GoogleAccessId")));
}

/* With a value or without. */
static bool names(const char *query, const char *name)
{
  size_t want = strlen(name);
  for (const char *s = query; *s;) {
    size_t len = strcspn(s, "&");
    if (strcspn(s, "=&") == want && codec_starts_nocase(s, len, name))
      return true;
    s += len + (s[len] == '&');
  }
  return false;
}

bool weburl_asks_otherwise(const char *provider, const char *query)
{
  static const char *const azure[] = {"comp", "restype", "blockid"};
  static const char *const others[] = {
      "uploadId", "partNumber", "uploads",    "acl",     "tagging", "retention",
      "restore",  "attributes", "legal-hold", "torrent", "select",  "compose"};
  bool is_azure = strcmp(provider, "azure") == 0;
  const char *const *list = is_azure ? azure : others;
  size_t n =
      is_azure ? sizeof azure / sizeof *azure : sizeof others / sizeof *others;
  for (size_t i = 0; i < n; i++)
    if (names(query, list[i]))
      return true;
  return false;
}

bool weburl_is_ascii(const char *s)
{
  while (*s > ' ' && *s <= '~')
    s++;
  return !*s;
}

bool weburl_is_encoded(const char *s)
{
  while ((s = strchr(s, '%')) != NULL) {
    if (codec_hex_digit(s[1]) < 0 || codec_hex_digit(s[2]) < 0)
      return false;
    s += 3;
  }
  return true;
}

/* ---- what is secret ---- */

/* Where the secrets of one URL stand; a length of 0 = there is none. */
struct secrets {
  const char *user; /* "USER:PASSWORD" in front of the host */
  size_t user_len;
  const char *path;
  const char *request; /* "/p/REQUEST/n/...", of Oracle's */
  size_t request_len;
  const char *query; /* from its '?' or '#' to the end */
};

/* Oracle's oci:// has a bucket in front of the '@'. */
static bool may_have_user(const char *url, const char *colon)
{
  return colon > url && !codec_starts_with(url, "oci://") &&
         !memchr(url, '/', (size_t)(colon - url));
}

/* In s3:// and its like what follows the bucket is the key's. */
static struct secrets secrets_of(const char *url)
{
  const char *colon = strstr(url, "://");
  const char *host = colon ? colon + 3 : url;
  struct secrets s = {.user = host, .path = host + strcspn(host, "/?#")};
  const char *at = s.path;
  while (at > host && *at != '@')
    at--;
  if (colon && *at == '@' && may_have_user(url, colon))
    s.user_len = (size_t)(at - host);
  s.request = s.query = s.path + strlen(s.path);
  if (!weburl_is(url))
    return s;
  s.query = s.path + strcspn(s.path, "?#");
  if (codec_starts_with(s.path, "/p/")) {
    s.request = s.path + 3;
    s.request_len = strcspn(s.request, "/?#");
  }
  return s;
}

enum err weburl_mask(struct buf *out, const char *url)
{
  struct secrets s = secrets_of(url);
  enum err err = buf_add(out, url, (size_t)(s.user - url));
  if (!err && s.user_len)
    err = buf_adds(out, "REDACTED");
  const char *rest = s.user + s.user_len;
  if (!err && s.request_len) {
    err = buf_add(out, rest, (size_t)(s.request - rest));
    if (!err)
      err = buf_adds(out, "REDACTED");
    rest = s.request + s.request_len;
  }
  return err ? err : buf_add(out, rest, (size_t)(s.query - rest));
}

bool weburl_has_secret(const char *url)
{
  struct secrets s = secrets_of(url);
  return s.user_len || s.request_len || *s.query;
}

static void blank(char *url, const char *from, size_t len)
{
  memset(url + (from - url), 'x', len);
}

void weburl_blank(char *url)
{
  struct secrets s = secrets_of(url);
  blank(url, s.user, s.user_len);
  blank(url, s.request, s.request_len);
  if (*s.query)
    blank(url, s.query + 1, strlen(s.query + 1));
}

/* ---- each secret ---- */

/* What a key's owner is known by is no secret alone, but it is nobody's
 * business either. */
static bool is_public(const char *name)
{
  static const char *const names[] = {"X-Amz-Algorithm",
                                      "X-Amz-Date",
                                      "X-Amz-Expires",
                                      "X-Goog-Algorithm",
                                      "X-Goog-Date",
                                      "X-Goog-Expires",
                                      "Expires",
                                      "X-Amz-SignedHeaders",
                                      "X-Goog-SignedHeaders",
                                      "x-id",
                                      "sv",
                                      "st",
                                      "se",
                                      "sr",
                                      "sp",
                                      "spr",
                                      "versionId",
                                      "generation",
                                      "comp",
                                      "restype",
                                      "si",
                                      "partNumber",
                                      "uploadId",
                                      "blockid"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (codec_equal_nocase(name, names[i]))
      return true;
  return codec_starts_with(name, "response-") || codec_starts_with(name, "rsc");
}

static enum err keep_text(const char *s, size_t len,
                          enum err (*keep)(void *, const char *), void *ctx)
{
  struct buf raw = {.secret = true}, plain = {.secret = true};
  enum err err = buf_add(&raw, s, len);
  if (!err)
    err = codec_unpercent(&plain, s, len);
  if (!err)
    err = keep(ctx, buf_str(&raw));
  if (!err)
    err = keep(ctx, buf_str(&plain));
  buf_release(&raw);
  buf_release(&plain);
  return err;
}

static enum err keep_pair(const char *s, size_t len,
                          enum err (*keep)(void *, const char *), void *ctx)
{
  struct buf name = {0};
  const char *eq = memchr(s, '=', len);
  size_t n = eq ? (size_t)(eq - s) : len;
  enum err err = codec_unpercent(&name, s, n);
  if (!err && n < len && !is_public(buf_str(&name)))
    err = keep_text(s + n + 1, len - n - 1, keep, ctx);
  buf_release(&name);
  return err;
}

/* The password alone, too. */
static enum err keep_user(const struct secrets *s,
                          enum err (*keep)(void *, const char *), void *ctx)
{
  const char *colon = memchr(s->user, ':', s->user_len);
  enum err err = keep_text(s->user, s->user_len, keep, ctx);
  if (err || !colon)
    return err;
  size_t before = (size_t)(colon + 1 - s->user);
  return keep_text(colon + 1, s->user_len - before, keep, ctx);
}

/* A SAS travels in its right form, which may be another than the URL's. */
static enum err keep_sas(const char *query,
                         enum err (*keep)(void *, const char *), void *ctx)
{
  struct buf right = {.secret = true}, sig = {.secret = true};
  struct buf plain = {.secret = true};
  enum err err = *query ? sas_normal(query + 1, &right, NULL) : ERR_OK;
  if (!err)
    err = sas_signature(buf_str(&right), &sig, &plain);
  else if (err == ERR_CREDENTIALS)
    err = ERR_OK;
  if (!err && sig.len)
    err = keep(ctx, buf_str(&sig));
  if (!err && sig.len)
    err = keep(ctx, buf_str(&plain));
  buf_release(&right);
  buf_release(&sig);
  buf_release(&plain);
  return err;
}

enum err weburl_secrets(const char *url, enum err (*keep)(void *, const char *),
                        void *ctx)
{
  struct secrets of = secrets_of(url);
  enum err err = ERR_OK;
  if (of.request_len)
    err = keep_text(of.request, of.request_len, keep, ctx);
  if (!err && of.user_len)
    err = keep_user(&of, keep, ctx);
  if (!err)
    err = keep_sas(of.query, keep, ctx);
  const char *s = of.query;
  while (*s && !err) {
    s++;
    size_t len = strcspn(s, "&#?");
    err = keep_pair(s, len, keep, ctx);
    s += len;
  }
  return err;
}

/* ---- its end ---- */

/* The decoded value of NAME; the caller releases it. */
static struct buf value_of(const char *query, const char *name)
{
  struct buf out = {0};
  size_t want = strlen(name);
  for (const char *s = query; s && *s;) {
    size_t len = strcspn(s, "&");
    if (len > want && s[want] == '=' && codec_starts_nocase(s, len, name)) {
      (void)!codec_unpercent(&out, s + want + 1, len - want - 1);
      return out;
    }
    s += len + (s[len] == '&');
  }
  return out;
}

/* DATE and so many seconds. */
static bool dated(const char *query, const char *date, const char *seconds,
                  int64_t *wall_ms)
{
  struct buf from = value_of(query, date), length = value_of(query, seconds);
  int64_t s;
  uint64_t n;
  bool ok = date_parse_basic(buf_str(&from), &s) &&
            codec_u64(buf_str(&length), 0, INT32_MAX, &n);
  if (ok)
    *wall_ms = (s + (int64_t)n) * 1000;
  buf_release(&from);
  buf_release(&length);
  return ok;
}

/* Seconds since 1970 (version 2 of S3 and Google), or a date (Azure), of which
 * the time may be missing. */
static bool absolute(const char *query, const char *name, int64_t *wall_ms)
{
  struct buf text = value_of(query, name);
  uint64_t n;
  bool ok = codec_u64(buf_str(&text), 1, INT64_C(1) << 40, &n);
  if (ok)
    *wall_ms = (int64_t)n * 1000;
  else if (text.len == strlen("2026-01-15") && buf_adds(&text, "T00:00:00Z"))
    ok = false;
  if (!ok)
    ok = text.len && date_parse_iso(buf_str(&text), wall_ms);
  buf_release(&text);
  return ok;
}

bool weburl_expiry(const struct target *t, int64_t *wall_ms)
{
  const char *query = t->web.query;
  if (!target_is_signed(t) || !query)
    return false;
  if (strcmp(t->scheme, "az") == 0)
    return absolute(query, "se", wall_ms);
  return dated(query, "X-Amz-Date", "X-Amz-Expires", wall_ms) ||
         dated(query, "X-Goog-Date", "X-Goog-Expires", wall_ms) ||
         absolute(query, "Expires", wall_ms);
}

/* ---- on its way ---- */

bool weburl_is_one_request(const struct target *t)
{
  return target_is_signed(t) && strcmp(t->scheme, "az") != 0;
}

enum err weburl_apply(const struct target *t, struct request *r,
                      struct error *e)
{
  const struct target_web *w = &t->web;
  if (!target_is_signed(t))
    return ERR_OK;
  char *path = strdup(w->path);
  r->raw_query.secret = true;
  if (!path || (w->query && buf_sets(&r->raw_query, w->query))) {
    free(path);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  free(r->path);
  r->path = path;
  return ERR_OK;
}
