/* SPDX-License-Identifier: MIT
 *
 * uri - CURLU does the splitting; what we refuse on top of it is said here.
 *
 * libcurl is lenient where a browser is (one or three slashes, "?" kept
 * empty, any byte in a host); an endpoint we sign for may not be.
 */
#include "base/uri.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

static bool begins_with(const char *s, const char *prefix)
{
  return codec_starts_nocase(s, strlen(s), prefix);
}

/* What libcurl would let pass.  No message repeats the URL: it may hold a
 * password. */
static enum err check_text(const char *s, struct error *e)
{
  if (!begins_with(s, "http://") && !begins_with(s, "https://"))
    return err_set(e, ERR_USAGE, "not an absolute http or https URL");
  if (strstr(s, ":///") != NULL)
    return err_set(e, ERR_USAGE, "no host name in the URL");
  if (strchr(s, '?') != NULL)
    return err_set(e, ERR_USAGE, "URL may not have a query (?)");
  if (strchr(s, '#') != NULL)
    return err_set(e, ERR_USAGE, "URL may not have a fragment (#)");
  for (const char *p = s; *p != '\0'; p++)
    if ((unsigned char)*p <= ' ' || *p == '\x7f' || *p == '\\')
      return err_set(e, ERR_USAGE,
                     "URL holds a blank, control character or backslash");
  return ERR_OK;
}

/* Owned copy of one part in *OUT. */
static CURLUcode part(CURLU *u, CURLUPart what, unsigned flags, char **out)
{
  char *text = NULL;
  CURLUcode code = curl_url_get(u, what, &text, flags);
  if (code != CURLUE_OK)
    return code;
  char *own = strdup(text);
  curl_free(text);
  if (own == NULL)
    return CURLUE_OUT_OF_MEMORY;
  *out = own;
  return CURLUE_OK;
}

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* Names, IPv4, or bracketed IPv6; lowers it on the way. */
static bool clean_host(char *host)
{
  bool ipv6 = host[0] == '[';
  const char *allowed =
      ipv6 ? "0123456789abcdef:.[]" : "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  for (char *p = host; *p != '\0'; p++)
    *p = codec_lower(*p);
  return host[0] != '\0' && host[strspn(host, allowed)] == '\0';
}

static enum err set_url(CURLU *u, const char *s, struct error *e)
{
  CURLUcode code =
      curl_url_set(u, CURLUPART_URL, s, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED)
    return err_set(e, ERR_USAGE, "URL may not hold a user or password");
  if (code == CURLUE_OUT_OF_MEMORY)
    return no_memory(e);
  if (code != CURLUE_OK)
    return err_set(e, ERR_USAGE, "%s", curl_url_strerror(code));
  return ERR_OK;
}

static enum err take_host(CURLU *u, struct uri *out, struct error *e)
{
  char *zone = NULL;
  CURLUcode code = part(u, CURLUPART_ZONEID, 0, &zone);
  free(zone);
  if (code == CURLUE_OUT_OF_MEMORY)
    return no_memory(e);
  if (code == CURLUE_OK)
    return err_set(e, ERR_USAGE, "URL may not have an IPv6 zone");
  if (part(u, CURLUPART_HOST, 0, &out->host) != CURLUE_OK)
    return no_memory(e);
  if (!clean_host(out->host))
    return err_set(e, ERR_USAGE,
                   "host name holds a character other than "
                   "letters, digits, '.', '-' and '_'");
  return ERR_OK;
}

static enum err take_port(CURLU *u, struct uri *out, struct error *e)
{
  char *port = NULL;
  uint64_t number;
  if (part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT, &port) != CURLUE_OK)
    return no_memory(e);
  bool ok = codec_u64(port, 1, 65535, &number);
  free(port);
  if (!ok)
    return err_set(e, ERR_USAGE, "port is not a number from 1 to 65535");
  out->port = (int)number;
  return ERR_OK;
}

static enum err take_path(CURLU *u, struct uri *out, struct error *e)
{
  if (part(u, CURLUPART_PATH, 0, &out->path) != CURLUE_OK)
    return no_memory(e);
  size_t len = strlen(out->path);
  while (len > 0 && out->path[len - 1] == '/')
    out->path[--len] = '\0';
  return ERR_OK;
}

enum err uri_parse(const char *s, struct uri *out, struct error *e)
{
  struct uri found = {.https = begins_with(s, "https:")};
  CURLU *u = NULL;
  enum err err = check_text(s, e);
  if (err != ERR_OK)
    goto out;
  u = curl_url();
  err =
      u != NULL ? set_url(u, s, e) : err_set(e, ERR_INTERNAL, "out of memory");
  if (err == ERR_OK)
    err = take_host(u, &found, e);
  if (err == ERR_OK)
    err = take_port(u, &found, e);
  if (err == ERR_OK)
    err = take_path(u, &found, e);
out:
  curl_url_cleanup(u);
  if (err == ERR_OK)
    *out = found;
  else
    uri_release(&found);
  return err;
}

enum err uri_authority(struct buf *out, const struct uri *u)
{
  bool plain = u->port == (u->https ? 443 : 80);
  return plain ? buf_adds(out, u->host)
               : buf_addf(out, "%s:%d", u->host, u->port);
}

static bool is_ipv4(const char *s)
{
  for (int i = 0; i < 4; i++) {
    size_t n = strspn(s, "0123456789");
    uint64_t byte;
    if (n > 3 || !codec_u64_n(s, n, 0, 255, &byte))
      return false;
    s += n;
    if (i < 3 && *s++ != '.')
      return false;
  }
  return *s == '\0';
}

bool uri_is_loopback(const struct uri *u)
{
  return strcmp(u->host, "localhost") == 0 || strcmp(u->host, "[::1]") == 0 ||
         codec_ends_with(u->host, ".localhost") ||
         (codec_starts_with(u->host, "127.") && is_ipv4(u->host));
}

bool uri_is_proxy(const char *s)
{
  static const char *const schemes[] = {"http",    "https",  "socks",  "socks4",
                                        "socks4a", "socks5", "socks5h"};
  char *scheme = NULL;
  CURLU *u = curl_url();
  bool known = !u; /* for want of memory nobody is to blame */
  if (u &&
      curl_url_set(u, CURLUPART_URL, s,
                   CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) == CURLUE_OK)
    (void)part(u, CURLUPART_SCHEME, 0, &scheme);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes && scheme; i++)
    known = known || strcmp(scheme, schemes[i]) == 0;
  free(scheme);
  curl_url_cleanup(u);
  return known;
}

bool uri_is_hostname(const char *s)
{
  if (strlen(s) > 253)
    return false;
  for (;;) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n == 0 || n > 63 || s[0] == '-' || s[n - 1] == '-')
      return false;
    s += n;
    if (*s == '\0')
      return true;
    if (*s++ != '.')
      return false;
  }
}

void uri_release(struct uri *u)
{
  free(u->host);
  free(u->path);
  *u = (struct uri){0};
}

/* Redaction. */

/* True for a parameter whose value lets the reader act as the signer.  Its
 * name may be percent-encoded. */
static bool is_secret_name(const char *name, size_t len)
{
  static const char *const names[] = {"X-Amz-Signature",
                                      "X-Amz-Credential",
                                      "X-Amz-Security-Token",
                                      "X-Goog-Signature",
                                      "X-Goog-Credential",
                                      "Signature",
                                      "upload_id",
                                      "AWSAccessKeyId",
                                      "sig",
                                      "access_token",
                                      "refresh_token",
                                      "token",
                                      "X-Goog-Security-Token",
                                      "assertion",
                                      "client_secret"};
  struct buf plain = {0};
  bool found = codec_unpercent(&plain, name, len) != ERR_OK;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    found = found || codec_equal_nocase(buf_str(&plain), names[i]);
  buf_release(&plain);
  return found;
}

/* "a=1&sig=x" with the secret values replaced. */
static enum err redact_query(struct buf *out, const char *s, size_t len)
{
  const char *end = s + len;
  enum err err = ERR_OK;
  while (s < end && err == ERR_OK) {
    const char *amp = memchr(s, '&', (size_t)(end - s));
    const char *stop = amp != NULL ? amp : end;
    const char *eq = memchr(s, '=', (size_t)(stop - s));
    if (eq != NULL && is_secret_name(s, (size_t)(eq - s))) {
      err = buf_add(out, s, (size_t)(eq + 1 - s));
      if (err == ERR_OK)
        err = buf_adds(out, "REDACTED");
      s = stop;
    }
    const char *next = amp != NULL ? stop + 1 : stop;
    if (err == ERR_OK)
      err = buf_add(out, s, (size_t)(next - s));
    s = next;
  }
  return err;
}

/* Length of "user:password" before the '@', 0 if there is none.  The bucket of
 * oci://BUCKET@NAMESPACE stands there too and is no secret. */
static size_t userinfo_len(const char *url, const char *authority)
{
  size_t n = strcspn(authority, "/?#");
  while (n > 0 && authority[n - 1] != '@')
    n--;
  return n == 0 || begins_with(url, "oci://") ? 0 : n - 1;
}

enum err uri_redact(struct buf *out, const char *url)
{
  size_t start = out->len;
  const char *rest = strstr(url, "://");
  if (rest == NULL)
    return buf_adds(out, url);
  rest += 3;
  enum err err = buf_add(out, url, (size_t)(rest - url));
  size_t user = userinfo_len(url, rest);
  if (user > 0 && err == ERR_OK)
    err = buf_adds(out, "REDACTED");
  rest += user;
  size_t path = strcspn(rest, "?#");
  path += rest[path] == '?' ? 1 : 0;
  if (err == ERR_OK)
    err = buf_add(out, rest, path);
  rest += path;
  size_t query = path > 0 && rest[-1] == '?' ? strcspn(rest, "#") : 0;
  if (err == ERR_OK)
    err = redact_query(out, rest, query);
  if (err == ERR_OK)
    err = buf_adds(out, rest + query);
  if (err != ERR_OK)
    buf_cut(out, start);
  return err;
}
