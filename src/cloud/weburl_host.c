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

static const struct service *service_of(const char *s, size_t len,
                                        struct weburl_host *out)
{
  for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
    const char *form = services[i].form;
    size_t n = strcspn(form, "*");
    if (strncmp(s, form, n) != 0 || len < n)
      continue;
    if (form[n] ? !is_region(s + n, len - n) : len != n)
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

/* "ACCOUNT.blob.core.windows.net" and other clouds of Azure; the account's
 * copy elsewhere, "ACCOUNT-secondary", is signed for as the account. */
static bool azure(const char *host, struct weburl_host *out)
{
  static const char *const suffixes[] = {
      "blob.core.windows.net", "blob.core.chinacloudapi.cn",
      "blob.core.usgovcloudapi.net", "blob.core.cloudapi.de",
      "blob.storage.azure.net"};
  static const char second[] = "-secondary";
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    if (before_suffix(host, suffixes[i]) <= 0)
      continue;
    size_t len = strcspn(host, ".");
    /* A zone may stand between the two: ACCOUNT.z01.blob.storage.azure.net. */
    if (len != (size_t)before_suffix(host, suffixes[i]) &&
        strcmp(suffixes[i], "blob.storage.azure.net") != 0)
      len = (size_t)before_suffix(host, suffixes[i]);
    out->usual = i == 0;
    if (len > strlen(second) &&
        strncmp(host + len - strlen(second), second, strlen(second)) == 0) {
      len -= strlen(second);
      out->usual = false;
    }
    out->provider = "azure";
    keep(out->account, sizeof out->account, host, len);
    keep(out->base, sizeof out->base, host, strlen(host));
    return true;
  }
  return false;
}

/* One label of a realm ("oraclecloud", "oraclegovcloud8") and one behind it. */
static bool is_realm(const char *s)
{
  size_t len = strcspn(s, ".");
  bool oracle = codec_starts_with(s, "oraclecloud") ||
                codec_starts_with(s, "oraclegovcloud");
  return oracle && s[len] == '.' && s[len + 1] && !strchr(s + len + 1, '.');
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

/* Others that speak S3: what stands before a label "s3" is the bucket. */
static void compatible(const char *host, struct weburl_host *out)
{
  const char *s = strstr(host, ".s3.");
  if (!quirk_of_host(host))
    return;
  out->provider = "s3";
  if (s)
    keep(out->bucket, sizeof out->bucket, host, (size_t)(s - host));
  s = s ? s + 1 : host;
  keep(out->base, sizeof out->base, s, strlen(s));
}

enum err weburl_host(const char *host, struct weburl_host *out, struct error *e)
{
  static const char aws[] = "amazonaws.com", china[] = "amazonaws.com.cn";
  *out = (struct weburl_host){.provider = NULL};
  if (strlen(host) >= sizeof out->base)
    return err_set(e, ERR_USAGE, "%.80s: the host's name is too long", host);
  if (before_suffix(host, aws) > 0)
    return amazon(host, (size_t)before_suffix(host, aws), false, out, e);
  if (before_suffix(host, china) > 0)
    return amazon(host, (size_t)before_suffix(host, china), true, out, e);
  if (!google(host, out) && !azure(host, out) && !oracle(host, out))
    compatible(host, out);
  if (!out->provider)
    keep(out->base, sizeof out->base, host, strlen(host));
  return ERR_OK;
}
