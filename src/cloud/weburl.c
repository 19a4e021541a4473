/* SPDX-License-Identifier: MIT
 *
 * weburl - see weburl.h.
 */
#include "cloud/weburl.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/uri.h"
#include "cloud/quirk.h"
#include "cloud/sas.h"
#include "cloud/weburl_host.h"
#include "cloud/weburl_path.h"
#include "cloud/weburl_signed.h"

/* One URL on its way to a target. */
struct parse {
  const char *url;
  const struct weburl_wish *wish;
  struct buf shown; /* what may be said of it */
  struct uri at;
  struct weburl_host host;
  const char *provider;
  bool is_signed;
  struct buf path, query; /* as given */
  struct weburl_path in;  /* that path */
  struct buf endpoint;
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err usage(const struct parse *p, const char *what, struct error *e)
{
  return err_set(e, ERR_USAGE, "%.200s: %s", buf_str(&p->shown), what);
}

bool weburl_is(const char *s)
{
  size_t len = strlen(s);
  return codec_starts_nocase(s, len, "http://") ||
         codec_starts_nocase(s, len, "https://");
}

/* ---- whose ---- */

/* Rows of cloud/quirk are stores that speak S3. */
static const char *family(const char *provider)
{
  static const char *const own[] = {"s3", "gcs", "azure", "oci"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strcmp(own[i], provider) == 0)
      return own[i];
  return "s3";
}

static const char *scheme_of(const char *provider)
{
  return strcmp(provider, "gcs") == 0     ? "gs"
         : strcmp(provider, "azure") == 0 ? "az"
                                          : provider;
}

static enum err find_provider(struct parse *p, struct error *e)
{
  const char *wish = p->wish->provider ? family(p->wish->provider) : NULL;
  const char *told = p->host.provider;
  if (!wish && !told)
    return usage(p,
                 "no cloud is known to have this host: --provider says whose "
                 "URL it is (s3, gcs, azure, oci or a store that speaks S3)",
                 e);
  if (wish && told && strcmp(wish, told) != 0)
    return err_set(e, ERR_USAGE, "%.200s: the host is one of %s, not of %s",
                   buf_str(&p->shown), told, wish);
  p->provider = told ? told : wish;
  return ERR_OK;
}

/* ---- signed ---- */

/* Whoever reads these on their way can use them (security.md 4). */
static bool is_bearer(const struct parse *p)
{
  return strcmp(p->provider, "azure") == 0 || strcmp(p->provider, "oci") == 0;
}

/* A SAS may be encoded too often or not at all: that is mended. */
static enum err mend_sas(struct parse *p, struct error *e)
{
  struct buf right = {.secret = true};
  if (strcmp(p->provider, "azure") != 0 || !p->query.len)
    return ERR_OK;
  enum err err = sas_of_url(buf_str(&p->query), &right) ? no_memory(e) : ERR_OK;
  buf_release(&p->query);
  p->query = right;
  return err;
}

static enum err check_unsigned(const struct parse *p, struct error *e)
{
  if (p->query.len)
    return usage(p,
                 "what follows '?' is no signature; a '?' of the key is "
                 "written %3F, and a version goes with --version-id",
                 e);
  return weburl_is_encoded(buf_str(&p->path))
             ? ERR_OK
             : usage(p,
                     "a '%' is followed by two hexadecimal digits; one of the "
                     "key is written %25",
                     e);
}

static enum err check_signed(struct parse *p, struct error *e)
{
  const char *path = buf_str(&p->path);
  bool otherwise = weburl_asks_otherwise(p->provider, buf_str(&p->query));
  enum err err = mend_sas(p, e);
  if (err)
    return err;
  p->is_signed = weburl_signs(p->provider, path, buf_str(&p->query));
  if (!p->is_signed)
    return check_unsigned(p, e);
  if (!weburl_is_ascii(path) || !weburl_is_ascii(buf_str(&p->query)))
    return usage(p, "a signed URL is sent as it is, so it holds ASCII alone",
                 e);
  if (otherwise)
    return usage(p, "the URL is signed for something else than one object", e);
  if (is_bearer(p) && !p->at.https && !uri_is_loopback(&p->at))
    return usage(p, "a signature that anybody can use is not sent without TLS",
                 e);
  return ERR_OK;
}

/* ---- where ---- */

/* With --addressing virtual a host that is nobody's begins with the bucket,
 * or with Azure's account. */
static enum err split_host(struct parse *p, struct error *e)
{
  struct weburl_host *h = &p->host;
  bool wish =
      p->wish->addressing && strcmp(p->wish->addressing, "virtual") == 0;
  if (strcmp(p->provider, "azure") == 0 && !h->provider)
    weburl_host_account(p->at.host, wish, h);
  size_t len = strcspn(p->at.host, ".");
  if (h->bucket[0] || !wish || h->account[0] || is_bearer(p) ||
      (h->provider && !quirk_of_host(p->at.host)))
    return ERR_OK;
  if (!p->at.host[len] || len >= sizeof h->bucket)
    return usage(p, "the host holds no bucket (--addressing virtual)", e);
  memcpy(h->bucket, p->at.host, len);
  h->bucket[len] = '\0';
  memmove(h->base, p->at.host + len + 1, strlen(p->at.host + len));
  return ERR_OK;
}

/* Left out where the provider's own rule comes to the same: then a redirect to
 * the bucket's region can be followed. */
static enum err find_endpoint(struct parse *p, struct error *e)
{
  const struct weburl_host *h = &p->host;
  struct uri base = {.https = p->at.https, .port = p->at.port};
  bool usual = h->usual && p->at.https && p->at.port == 443 && !p->is_signed;
  bool in_path = strcmp(p->provider, "azure") == 0 && !h->account[0];
  if (usual)
    return ERR_OK;
  base.host = strdup(h->base);
  enum err err =
      base.host ? buf_adds(&p->endpoint, p->at.https ? "https://" : "http://")
                : ERR_INTERNAL;
  if (!err)
    err = uri_authority(&p->endpoint, &base);
  if (!err && in_path)
    err = buf_addf(&p->endpoint, "/%s%s", buf_str(&p->in.account),
                   p->in.is_secondary ? "-secondary" : "");
  uri_release(&base);
  return err ? no_memory(e) : ERR_OK;
}

static bool copy(char **to, const char *from, bool wanted)
{
  *to = wanted ? strdup(from) : NULL;
  return *to || !wanted;
}

/* A wildcard of a certificate covers one label, so over TLS a bucket with dots
 * goes where it is not a part of the host, unless that was asked for, or
 * signed. */
static bool stays_in_host(const struct parse *p)
{
  return p->host.bucket[0] &&
         (p->is_signed || p->wish->addressing || !strchr(p->host.bucket, '.') ||
          !codec_starts_nocase(p->url, strlen(p->url), "https:"));
}

static enum err make(const struct parse *p, struct target *out, struct error *e)
{
  const char *account = p->in.account.len ? buf_str(&p->in.account) : NULL;
  struct target t;
  enum err err =
      target_make(scheme_of(p->provider), account, buf_str(&p->in.bucket),
                  buf_str(&p->in.key), buf_str(&p->shown), &t, e);
  if (err)
    return err;
  bool styled = !is_bearer(p);
  t.web = (struct target_web){.is = true,
                              .virtual_host = styled && stays_in_host(p),
                              .path_style = styled && !stays_in_host(p)};
  if (copy(&t.web.endpoint, buf_str(&p->endpoint), p->endpoint.len) &&
      copy(&t.web.region, p->host.region, p->host.region[0]) &&
      copy(&t.web.path, buf_str(&p->path), p->is_signed) &&
      copy(&t.web.query, buf_str(&p->query), p->is_signed && p->query.len)) {
    *out = t;
    return ERR_OK;
  }
  target_release(&t);
  return no_memory(e);
}

/* ---- all of it ---- */

/* The authority alone is for the URL parser: a path may hold anything. */
static enum err split_url(struct parse *p, struct error *e)
{
  struct buf place = {0};
  const char *host = strstr(p->url, "://") + 3;
  const char *path = host + strcspn(host, "/?#");
  const char *query = path + strcspn(path, "?#");
  enum err err = buf_add(&place, p->url, (size_t)(path - p->url));
  if (!err)
    err = buf_add(&p->path, path, (size_t)(query - path));
  if (!err && *query == '?')
    err = buf_adds(&p->query, query + 1);
  if (!err)
    err = weburl_mask(&p->shown, p->url);
  if (err)
    err = no_memory(e);
  else if (strchr(query, '#'))
    err = usage(p, "a '#' ends no URL of an object; in a key it is written %23",
                e);
  else
    err = uri_parse(buf_str(&place), &p->at, e)
              ? err_prefix(e, "%.200s: ", buf_str(&p->shown))
              : ERR_OK;
  buf_release(&place);
  return err;
}

static enum err parse(struct parse *p, struct target *out, struct error *e)
{
  enum err err = split_url(p, e);
  if (!err)
    err = weburl_host(p->at.host, &p->host, e);
  if (!err)
    err = find_provider(p, e);
  if (!err)
    err = split_host(p, e);
  if (!err)
    err = check_signed(p, e);
  if (!err)
    err = weburl_path(buf_str(&p->path), p->provider, &p->host,
                      buf_str(&p->shown), &p->in, e);
  if (!err)
    err = find_endpoint(p, e);
  return err ? err : make(p, out, e);
}

enum err weburl_parse(const char *url, const struct weburl_wish *wish,
                      struct target *out, struct error *e)
{
  struct parse p = {.url = url,
                    .wish = wish,
                    .path = {.secret = true},
                    .query = {.secret = true}};
  enum err err = weburl_is(url) ? parse(&p, out, e)
                                : err_set(e, ERR_USAGE, "not a URL of the web");
  uri_release(&p.at);
  buf_release(&p.shown);
  buf_release(&p.path);
  buf_release(&p.query);
  weburl_path_release(&p.in);
  buf_release(&p.endpoint);
  return err;
}
