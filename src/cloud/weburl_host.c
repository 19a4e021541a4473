/* SPDX-License-Identifier: MIT
 *
 * weburl_host - see weburl_host.h; the tables are the hosts.
 *
 * A bucket's name may hold dots and look like a service, so the service is
 * looked for from the right, its longest form first.
 */
#include "cloud/weburl_host.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/quirk.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

enum { MOST_LABELS = 3 };

static void keep(char *to, size_t room, const char *from, size_t len)
{
  if (len < room) {
    memcpy(to, from, len);
    to[len] = '\0';
  }
}

/* Bytes of HOST before ".SUFFIX", or -1 when it does not end so; 0 when it is
 * the suffix alone. */
static long before_suffix(const char *host, const char *suffix)
{
  size_t len = strlen(host), tail = strlen(suffix);
  if (!codec_ends_with(host, suffix))
    return -1;
  if (len == tail)
    return 0;
  return host[len - tail - 1] == '.' ? (long)(len - tail - 1) : -1;
}

/* "eu-west-1": letters, digits and dashes, a number at the end. */
static bool is_region(const char *s, size_t len)
{
  size_t n = strspn(s, LOWER DIGITS "-");
  return n == len && len > 3 && memchr(s, '-', len) &&
         strchr(DIGITS, s[len - 1]);
}

/* ---- Amazon ---- */

/* What may stand before ".amazonaws.com"; a '*' at the end is a region. */
static const struct service {
  const char *form;
  const char *region;  /* NULL = the form's, or none */
  bool usual, in_host; /* the bucket can stand nowhere else */
} services[] = {
    {"s3", NULL, true, false},
    {"s3.*", NULL, true, false},
    {"s3-external-1", "us-east-1", true, false},
    {"s3-accelerate", NULL, false, true},
    {"s3-accelerate.dualstack", NULL, false, true},
    {"s3.dualstack.*", NULL, false, false},
    {"s3-fips.dualstack.*", NULL, false, false},
    {"s3-fips.*", NULL, false, false},
    {"s3-fips-*", NULL, false, false},
    {"s3-*", NULL, true, false},
};

/* The oldest hosts have a dash before the region, and others of S3 that take
 * no requests of ours a dash before their name ("s3-website-us-east-1"). */
static bool is_old_region(const char *s, size_t len)
{
  return is_region(s, len) && strspn(s, LOWER) == 2;
}

static const struct service *service_of(const char *s, size_t len,
                                        struct weburl_host *out)
{
  for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
    const char *form = services[i].form;
    size_t n = strcspn(form, "*");
    if (strncmp(s, form, n) != 0 || len < n)
      continue;
    bool old = n && form[n - 1] == '-';
    if (form[n] ? !(old ? is_old_region : is_region)(s + n, len - n) : len != n)
      continue;
    if (form[n])
      keep(out->region, sizeof out->region, s + n, len - n);
    else if (services[i].region)
      keep(out->region, sizeof out->region, services[i].region,
           strlen(services[i].region));
    return &services[i];
  }
  return NULL;
}

/* The last N labels of the LEN bytes at S; NULL when there are fewer. */
static const char *last_labels(const char *s, size_t len, int n)
{
  const char *p = s + len;
  while (p > s) {
    p--;
    if (*p == '.' && --n == 0)
      return p + 1;
  }
  return n == 1 ? s : NULL;
}

/* China's regions have the suffix of China, and no other has. */
static bool suffix_fits(const char *region, bool china)
{
  return !*region ? !china : codec_starts_with(region, "cn-") == china;
}

static enum err amazon(const char *host, size_t len, bool china,
                       struct weburl_host *out, struct error *e)
{
  for (int n = MOST_LABELS; n > 0; n--) {
    const char *s = last_labels(host, len, n);
    const struct service *found =
        s ? service_of(s, (size_t)(host + len - s), out) : NULL;
    if (!found || (found->in_host && s == host))
      continue;
    out->provider = "s3";
    out->usual = found->usual && suffix_fits(out->region, china);
    keep(out->base, sizeof out->base, s, strlen(s));
    if (s > host)
      keep(out->bucket, sizeof out->bucket, host, (size_t)(s - host) - 1);
    return ERR_OK;
  }
  return err_set(e, ERR_USAGE,
                 "%.100s: is no host of S3's objects (access points and web "
                 "sites are none)",
                 host);
}

/* ---- the others ---- */

/* "storage.googleapis.com", "storage.REGION.rep.googleapis.com", and the same
 * behind a bucket. */
static bool google(const char *host, struct weburl_host *out)
{
  static const char *const suffixes[] = {"storage.googleapis.com",
                                         "commondatastorage.googleapis.com"};
  long len = -1;
  const char *base = host;
  for (size_t i = 0; i < 2 && len < 0; i++) {
    len = before_suffix(host, suffixes[i]);
    base = host + strlen(host) - strlen(suffixes[i]);
  }
  if (len < 0) {
    len = before_suffix(host, "rep.googleapis.com");
    base = len > 0 ? last_labels(host, (size_t)len, 2) : NULL;
    if (!base || !codec_starts_with(base, "storage."))
      return false;
    len = base > host ? base - host - 1 : 0;
  }
  out->provider = "gcs";
  out->usual = strcmp(base, suffixes[0]) == 0;
  keep(out->base, sizeof out->base, base, strlen(base));
  keep(out->bucket, sizeof out->bucket, host, (size_t)len);
  return true;
}

/* The account's copy elsewhere, "ACCOUNT-secondary", is signed for as the
 * account.  Is it this? */
static bool take_account(struct weburl_host *out, const char *s, size_t len)
{
  static const char second[] = "-secondary";
  size_t tail = strlen(second);
  bool is = len > tail && strncmp(s + len - tail, second, tail) == 0;
  keep(out->account, sizeof out->account, s, is ? len - tail : len);
  return is;
}

/* "ACCOUNT.blob.core.windows.net" and other clouds of Azure. */
static bool azure(const char *host, struct weburl_host *out)
{
  static const char *const suffixes[] = {
      "blob.core.windows.net", "blob.core.chinacloudapi.cn",
      "blob.core.usgovcloudapi.net", "blob.core.cloudapi.de",
      "blob.storage.azure.net"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    if (before_suffix(host, suffixes[i]) <= 0)
      continue;
    size_t len = strcspn(host, ".");
    /* A zone may stand between the two: ACCOUNT.z01.blob.storage.azure.net. */
    if (len != (size_t)before_suffix(host, suffixes[i]) &&
        strcmp(suffixes[i], "blob.storage.azure.net") != 0)
      len = (size_t)before_suffix(host, suffixes[i]);
    out->usual = !take_account(out, host, len) && i == 0;
    out->provider = "azure";
    keep(out->base, sizeof out->base, host, strlen(host));
    return true;
  }
  return false;
}

void weburl_host_account(const char *host, bool is_wish,
                         struct weburl_host *out)
{
  size_t len = strcspn(host, ".");
  bool address = host[0] == '[' || !host[strspn(host, DIGITS ".")];
  if (!address && host[len] &&
      (is_wish || codec_starts_with(host + len, ".blob.")))
    (void)take_account(out, host, len);
}

/* "oraclecloud" or "oraclegovcloud", perhaps a number, and one of the endings
 * that Oracle's realms have. */
static bool is_realm(const char *s)
{
  static const char *const names[] = {"oraclecloud", "oraclegovcloud"},
                           *const ends[] = {".com", ".eu", ".uk"};
  size_t len = 0;
  for (size_t i = 0; i < 2; i++)
    if (codec_starts_with(s, names[i]))
      len = strlen(names[i]);
  const char *end = s + len + strspn(s + len, DIGITS);
  for (size_t i = 0; i < 3 && len; i++)
    if (strcmp(end, ends[i]) == 0)
      return true;
  return false;
}

/* "objectstorage.REGION.REALM", or
 * "NS.objectstorage.REGION.oci.customer-oci.com" with the namespace, which the
 * path says, too. */
static bool oracle(const char *host, struct weburl_host *out)
{
  static const char service[] = "objectstorage.";
  bool own = before_suffix(host, "oci.customer-oci.com") > 0;
  const char *s = host;
  if (own && !codec_starts_with(s, service) && s[strcspn(s, ".")])
    s += strcspn(s, ".") + 1;
  if (!codec_starts_with(s, service))
    return false;
  const char *region = s + strlen(service);
  size_t len = strcspn(region, ".");
  if (!region[len] || !(own ? strcmp(region + len, ".oci.customer-oci.com") == 0
                            : is_realm(region + len + 1)))
    return false;
  out->provider = "oci";
  keep(out->base, sizeof out->base, host, strlen(host));
  return true;
}

/* Where stores that speak S3 have it on their own domains: what stands before
 * `service` is the bucket, what stands behind it the region.  An empty one is
 * before the last label of the host's own. */
static const struct store {
  const char *name, *service;
  bool bucket, region;
} stores[] = {
    {"alibaba", "oss-", true, false},
    {"backblaze", "s3.", true, true},
    {"digitalocean", "", true, true},
    {"hetzner", "", true, true},
    {"oci", "compat.objectstorage.", false, true}, /* behind the namespace */
    {"oci", "vhcompat.objectstorage.", true, true},
    {"scaleway", "s3.", true, true},
    {"storj", "gateway.", true, false},
    {"tencent", "cos.", true, true},
    {"wasabi", "s3.", true, true},
};

/* The last place in HOST where a label begins so; NULL = none. */
static const char *find_label(const char *host, const char *text)
{
  const char *found = NULL;
  for (const char *s = host; *s; s++)
    if ((s == host || s[-1] == '.') && codec_starts_with(s, text))
      found = s;
  return found;
}

/* "s3.eu-central-1.wasabisys.com", of which the region may be missing. */
static void store_region(const char *rest, const struct quirk *q,
                         struct weburl_host *out)
{
  size_t len = strcspn(rest, ".");
  for (size_t i = 0; i < sizeof q->suffixes / sizeof *q->suffixes; i++)
    if (q->suffixes[i] && strcmp(rest, q->suffixes[i]) == 0)
      return;
  keep(out->region, sizeof out->region, rest, len);
}

/* "[BUCKET.]ACCOUNT[.JURISDICTION].r2.cloudflarestorage.com" */
static void cloudflare(const char *host, struct weburl_host *out)
{
  long len = before_suffix(host, "r2.cloudflarestorage.com");
  const char *base = len > 0 ? last_labels(host, (size_t)len, 1) : NULL;
  if (base && base > host &&
      (codec_starts_with(base, "eu.") || codec_starts_with(base, "fedramp.")))
    base = last_labels(host, (size_t)len, 2);
  if (!base)
    return;
  out->provider = "s3";
  keep(out->region, sizeof out->region, "auto", 4);
  keep(out->base, sizeof out->base, base, strlen(base));
  if (base > host)
    keep(out->bucket, sizeof out->bucket, host, (size_t)(base - host) - 1);
}

/* Those without a row there have the bucket in the path. */
static void compatible(const char *host, struct weburl_host *out)
{
  const struct quirk *q = quirk_of_host(host);
  bool listed = false;
  if (q && strcmp(q->name, "r2") == 0)
    cloudflare(host, out);
  for (size_t i = 0; q && i < sizeof stores / sizeof *stores; i++) {
    const struct store *t = &stores[i];
    if (strcmp(t->name, q->name) != 0)
      continue;
    listed = true;
    const char *s = *t->service ? find_label(host, t->service)
                                : last_labels(host, strlen(host), 3);
    if (!s)
      continue;
    const char *base = t->bucket ? s : host;
    out->provider = "s3";
    keep(out->base, sizeof out->base, base, strlen(base));
    if (base > host)
      keep(out->bucket, sizeof out->bucket, host, (size_t)(base - host) - 1);
    if (t->region)
      store_region(s + strlen(t->service), q, out);
  }
  if (!q || listed || out->provider)
    return;
  out->provider = "s3";
  keep(out->base, sizeof out->base, host, strlen(host));
}

/* Whose NAME is, in lower case and without a last dot. */
static enum err find_owner(const char *name, struct weburl_host *out,
                           struct error *e)
{
  static const char aws[] = "amazonaws.com", china[] = "amazonaws.com.cn";
  if (before_suffix(name, aws) > 0)
    return amazon(name, (size_t)before_suffix(name, aws), false, out, e);
  if (before_suffix(name, china) > 0)
    return amazon(name, (size_t)before_suffix(name, china), true, out, e);
  if (!google(name, out) && !azure(name, out) && !oracle(name, out))
    compatible(name, out);
  if (!out->provider)
    keep(out->base, sizeof out->base, name, strlen(name));
  return ERR_OK;
}

enum err weburl_host(const char *host, struct weburl_host *out, struct error *e)
{
  char name[sizeof out->base];
  size_t len = strlen(host);
  *out = (struct weburl_host){.provider = NULL};
  if (len >= sizeof out->base)
    return err_set(e, ERR_USAGE, "%.80s: the host's name is too long", host);
  /* A dot at the end says that no domain is to be added. */
  keep(name, sizeof name, host,
       len > 1 && host[len - 1] == '.' ? len - 1 : len);
  return find_owner(name, out, e);
}
