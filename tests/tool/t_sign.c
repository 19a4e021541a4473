/* SPDX-License-Identifier: MIT
 *
 * t_sign - cloud/sign_v4 and cloud/sign_azure as commands, so that published
 * signatures can be compared stage by stage.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "cloud/sas.h"
#include "cloud/sign_azure.h"
#include "cloud/sign_diff.h"
#include "cloud/sign_v4.h"
#include "tool.h"

/* All that is signed, and with what. */
struct sign_case {
  struct request request;
  struct creds creds;
  struct sign_v4_dialect dialect;
  struct buf region;
  struct buf service;
  struct buf algorithm;
  struct buf payload; /* hex, a literal, or empty: the body's digest */
  struct buf body;
  int64_t wall_ms;
};

static enum method find_method(const char *name)
{
  for (int i = METHOD_GET; i <= METHOD_DELETE; i++)
    if (strcmp(message_method((enum method)i), name) == 0)
      return (enum method)i;
  bad_line();
}

/* "a=1&b=": names and values percent-encoded. */
static void read_query(struct kv *query, const char *s)
{
  struct buf name = {0};
  struct buf value = {0};
  while (*s != '\0') {
    size_t len = strcspn(s, "&");
    size_t eq = strcspn(s, "=&");
    size_t from = eq < len ? eq + 1 : len;
    buf_clear(&name);
    buf_clear(&value);
    must(codec_unpercent(&name, s, eq));
    must(codec_unpercent(&value, s + from, len - from));
    must(kv_addn(query, buf_str(&name), name.len, buf_str(&value), value.len,
                 NULL));
    s += len + (s[len] == '&' ? 1 : 0);
  }
  buf_release(&name);
  buf_release(&value);
}

static char *copy(const struct buf *b)
{
  char *own = strdup(buf_str(b));
  if (own == NULL)
    must(ERR_INTERNAL);
  return own;
}

static bool read_creds(struct sign_case *c, const char *name, const char *v)
{
  if (strcmp(name, "id") == 0)
    must(buf_sets(&c->creds.key_id, v));
  else if (strcmp(name, "secret") == 0)
    must(buf_sets(&c->creds.secret, v));
  else if (strcmp(name, "token") == 0)
    must(buf_sets(&c->creds.token, v));
  else
    return false;
  return true;
}

static bool read_request(struct request *r, const char *name,
                         const struct buf *value)
{
  if (strcmp(name, "method") == 0)
    r->method = find_method(buf_str(value));
  else if (strcmp(name, "host") == 0)
    r->host = copy(value);
  else if (strcmp(name, "path") == 0)
    r->path = copy(value);
  else if (strcmp(name, "query") == 0)
    read_query(&r->query, buf_str(value));
  else if (strcmp(name, "header") == 0)
    read_headers(&r->headers, buf_str(value));
  else
    return false;
  return true;
}

/* What is signed without being sent, as in the query of a URL. */
static bool read_dialect(struct sign_case *c, const char *name, const char *v)
{
  if (strcmp(name, "dialect") == 0)
    c->dialect = strcmp(v, "gcs") == 0 ? sign_v4_gcs : sign_v4_s3;
  else if (strcmp(name, "algorithm") == 0)
    must(buf_sets(&c->algorithm, v));
  else if (strcmp(name, "undated") == 0)
    c->dialect.date = NULL;
  else if (strcmp(name, "unsent") == 0)
    c->dialect.digest = NULL; /* the digest is hashed in, not sent */
  else
    return false;
  return true;
}

static void read_sign(struct sign_case *c, const char *name,
                      const struct buf *value)
{
  const char *v = buf_str(value);
  if (read_request(&c->request, name, value) || read_creds(c, name, v) ||
      read_dialect(c, name, v))
    return;
  if (strcmp(name, "region") == 0)
    must(buf_sets(&c->region, v));
  else if (strcmp(name, "service") == 0)
    must(buf_sets(&c->service, v));
  else if (strcmp(name, "payload") == 0)
    must(buf_sets(&c->payload, v));
  else if (strcmp(name, "body") == 0)
    must(buf_add(&c->body, v, value->len));
  else if (strcmp(name, "date") != 0 || !date_parse_basic(v, &c->wall_ms))
    bad_line();
  else
    c->wall_ms *= 1000;
}

static void release_sign(struct sign_case *c)
{
  request_release(&c->request);
  creds_release(&c->creds);
  buf_release(&c->region);
  buf_release(&c->service);
  buf_release(&c->algorithm);
  buf_release(&c->payload);
  buf_release(&c->body);
}

static void sign(struct sign_case *c, struct buf *out)
{
  char digest[65];
  struct error e = {0};
  struct sign_trace trace = {{0}, {0}};
  const char *payload = buf_str(&c->payload);
  if (c->payload.len == 0) {
    must(hash_sha256_hex(buf_str(&c->body), c->body.len, digest));
    payload = digest;
  }
  if (c->service.len > 0)
    c->dialect.service = buf_str(&c->service);
  if (c->algorithm.len > 0)
    c->dialect.algorithm = buf_str(&c->algorithm);
  enum err err = sign_v4(&c->dialect, &c->request, &c->creds,
                         buf_str(&c->region), payload, c->wall_ms, &trace, &e);
  if (err != ERR_OK)
    say(out, "%s: %s", err_name(err), e.msg);
  else
    say(out, "%s\n--\n%s", buf_str(&trace.canonical_request),
        buf_str(&trace.string_to_sign));
  if (err == ERR_OK && c->dialect.date)
    say(out, "\n--\n%s", kv_get(&c->request.headers, "authorization"));
  sign_trace_release(&trace);
}

/* Settings: method host path query header id secret token region service
 * payload body date, and before them dialect (s3, gcs) algorithm
 * undated (no Authorization is shown) unsent. */
static void sign_v4_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct sign_case c = {.dialect = sign_v4_s3};
  struct buf name = {0};
  struct buf value = {0};
  creds_init(&c.creds);
  c.creds.kind = CREDS_KEYS;
  while (setting(&rest, &name, &value))
    read_sign(&c, buf_str(&name), &value);
  sign(&c, out);
  release_sign(&c);
  buf_release(&name);
  buf_release(&value);
}

/* As they are: sign_azure decides what of the body is signed. */
static void azure(struct sign_case *c, struct buf *out)
{
  struct error e = {0};
  struct sign_trace trace = {{0}, {0}};
  enum err err = sign_azure(&c->request, &c->creds, buf_str(&c->creds.key_id),
                            c->wall_ms, &trace, &e);
  if (err != ERR_OK)
    say(out, "%s: %s", err_name(err), e.msg);
  else
    say(out, "%s\n--\n%s", buf_str(&trace.string_to_sign),
        kv_get(&c->request.headers, "authorization"));
  sign_trace_release(&trace);
}

/* Settings: method path query header id secret body date (an HTTP-date). */
static void sign_azure_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct sign_case c = {.request.body.present = false};
  struct buf name = {0};
  struct buf value = {0};
  creds_init(&c.creds);
  while (setting(&rest, &name, &value))
    if (strcmp(buf_str(&name), "date") != 0)
      read_sign(&c, buf_str(&name), &value);
    else if (!date_parse_http(buf_str(&value), 0, &c.wall_ms))
      bad_line();
    else
      c.wall_ms *= 1000;
  c.request.body =
      (struct body){.present = c.body.len > 0, .length = c.body.len};
  azure(&c, out);
  release_sign(&c);
  buf_release(&name);
  buf_release(&value);
}

static void sas_line(const struct buf *in, struct buf *out)
{
  struct error e = {0};
  enum err err = sas_normal(buf_str(in), out, &e);
  if (err != ERR_OK)
    say(out, "%s: %s", err_name(err), e.msg);
}

static void sign_diff_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct sign_trace ours = {{0}, {0}};
  struct buf canonical = {0}, string = {0};
  field(&rest, &ours.canonical_request, false);
  field(&rest, &ours.string_to_sign, false);
  field(&rest, &canonical, false);
  field(&rest, &string, true);
  must(sign_diff(&ours, buf_str(&canonical), buf_str(&string), out));
  sign_trace_release(&ours);
  buf_release(&canonical);
  buf_release(&string);
}

const struct command sign_commands[] = {
    {"sas", sas_line, false},
    {"sign-azure", sign_azure_line, true},
    {"sign-diff", sign_diff_line, true},
    {"sign-v4", sign_v4_line, true},
    {NULL, NULL, false},
};
