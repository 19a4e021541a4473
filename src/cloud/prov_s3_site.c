/* SPDX-License-Identifier: MIT
 *
 * prov_s3_site - see prov_s3_site.h.
 */
#include "cloud/prov_s3_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err derive(const char *region, struct aws_host_kind kind,
                       struct uri *out, struct error *e)
{
  struct buf url = {0};
  enum err err = buf_adds(&url, "https://") || aws_host_s3(region, kind, &url)
                     ? no_memory(e)
                     : uri_parse(buf_str(&url), out, e);
  buf_release(&url);
  return err;
}

static enum err check_region(const struct site_wish *w, struct error *e)
{
  if (!w->region || aws_host_is_region(w->region))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: '%.80s' is not a region name",
                 w->region_from ? w->region_from : "region", w->region);
}

static enum err no_region(struct error *e)
{
  return err_set(e, ERR_USAGE,
                 "no region: give --region, AWS_REGION or a profile's region");
}

static bool is_address(const char *host)
{
  return host[0] == '[' || host[strspn(host, "0123456789.")] == '\0';
}

static bool wants_virtual(const struct site *s)
{
  return s->own || (s->quirk && s->quirk->style == QUIRK_VIRTUAL);
}

/* Without a wish AWS and who is known to do alike get the bucket in the host
 * where a certificate for one label covers it, everything else the path
 * (providers.md 2.1, 2.8). */
static enum err choose_style(const struct target *t, const struct site_wish *w,
                             struct site *s, struct error *e)
{
  const char *from = w->addressing_from ? w->addressing_from : "addressing";
  if (!w->addressing)
    s->virtual_host = wants_virtual(s) && target_bucket_is_label(t->bucket);
  else
    s->virtual_host = strcmp(w->addressing, "virtual") == 0;
  if (s->virtual_host && !uri_is_hostname(t->bucket))
    return err_set(e, ERR_USAGE,
                   "%s: bucket '%.80s' cannot stand in a host name; use path",
                   from, t->bucket);
  if (s->virtual_host && is_address(s->base.host))
    return err_set(e, ERR_USAGE, "%s: virtual needs a host name, not %s", from,
                   s->base.host);
  return ERR_OK;
}

enum err prov_s3_locate(const struct target *t, const struct site_wish *w,
                        struct site *out, struct error *e)
{
  struct site s = {.custom = w->endpoint != NULL, .kind = w->kind};
  const char *region = w->region;
  if (!region && !s.custom)
    return no_region(e);
  enum err err = check_region(w, e);
  if (err)
    return err;
  err = s.custom ? site_endpoint(w, &s.base, e)
                 : derive(region, w->kind, &s.base, e);
  if (err)
    return err;
  s.own = aws_host_is_own(s.base.host);
  s.quirk = w->store ? quirk_named(w->store) : quirk_of_host(s.base.host);
  if (!region && s.own)
    err = no_region(e);
  if (!err)
    err = choose_style(t, w, &s, e);
  s.region = strdup(region ? region : "us-east-1");
  if (!err && !s.region)
    err = no_memory(e);
  if (err)
    site_release(&s);
  else
    *out = s;
  return err;
}

/* The region inside "bucket.s3.eu-west-1.amazonaws.com" or the older
 * "bucket.s3-eu-west-1.amazonaws.com"; false for any other host. */
static bool region_of_host(const char *host, char region[64])
{
  if (!aws_host_is_own(host))
    return false;
  const char *end = strstr(host, ".amazonaws.com");
  const char *s3 = NULL;
  for (const char *p = host; p < end; p++)
    if ((p == host || p[-1] == '.') &&
        (strncmp(p, "s3.", 3) == 0 || strncmp(p, "s3-", 3) == 0))
      s3 = p + 3;
  if (!s3 || s3 >= end || (size_t)(end - s3) >= 64)
    return false;
  snprintf(region, 64, "%.*s", (int)(end - s3), s3);
  return aws_host_is_region(region);
}

static enum err move_region(struct site *s, const char *region, bool *changed,
                            struct error *e)
{
  if (!aws_host_is_region(region) || strcmp(region, s->region) == 0)
    return ERR_OK;
  struct uri base = {0};
  enum err err = s->custom ? ERR_OK : derive(region, s->kind, &base, e);
  char *copy = err ? NULL : strdup(region);
  if (!err && !copy)
    err = no_memory(e);
  if (err) {
    uri_release(&base);
    return err;
  }
  if (!s->custom) {
    uri_release(&s->base);
    s->base = base;
  }
  free(s->region);
  s->region = copy;
  *changed = true;
  return ERR_OK;
}

/* A custom endpoint may send us to another port of the same host, never to
 * another host and never from https to http (security.md 1). */
static void move_port(struct site *s, const struct uri *to, bool *changed)
{
  size_t host_len = strlen(s->base.host), to_len = strlen(to->host);
  bool same = to_len >= host_len &&
              strcmp(to->host + to_len - host_len, s->base.host) == 0 &&
              (to_len == host_len || to->host[to_len - host_len - 1] == '.');
  if (!same || (s->base.https && !to->https) || to->port == s->base.port)
    return;
  s->base.port = to->port;
  s->base.https = to->https;
  *changed = true;
}

/* Only the authority of a Location is of interest; its path may hold
 * anything. */
static bool location_uri(const char *location, struct uri *out)
{
  const char *host = strstr(location, "://");
  if (!host)
    return false;
  size_t len = (size_t)(host - location) + 3;
  len += strcspn(location + len, "/?#");
  char authority[512];
  if (len >= sizeof authority)
    return false;
  memcpy(authority, location, len);
  authority[len] = '\0';
  return uri_parse(authority, out, NULL) == ERR_OK;
}

enum err prov_s3_relocate(struct site *s, const struct target *t,
                          const struct op_result *r, bool *changed,
                          struct error *e)
{
  (void)t;
  *changed = false;
  if (r->region[0])
    return move_region(s, r->region, changed, e);
  struct uri to = {0};
  char region[64];
  enum err err = ERR_OK;
  if (!location_uri(r->location, &to))
    return ERR_OK;
  if (s->custom)
    move_port(s, &to, changed);
  else if (region_of_host(to.host, region))
    err = move_region(s, region, changed, e);
  uri_release(&to);
  return err;
}
