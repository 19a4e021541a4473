/* SPDX-License-Identifier: MIT
 *
 * sign_v4 - see sign_v4.h.  The stages are those of the S3 page: canonical
 * request, string to sign, signing key, signature.
 */
#include "cloud/sign_v4.h"

#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"

const struct sign_v4_dialect sign_v4_s3 = {
    .algorithm = "AWS4-HMAC-SHA256",
    .key_prefix = "AWS4",
    .terminator = "aws4_request",
    .service = "s3",
    .date = "x-amz-date",
    .token = "x-amz-security-token",
    .digest = "x-amz-content-sha256",
};

const struct sign_v4_dialect sign_v4_gcs = {
    .algorithm = "GOOG4-HMAC-SHA256",
    .key_prefix = "GOOG4",
    .terminator = "goog4_request",
    .service = "storage",
    .date = "x-goog-date",
    .digest = "x-goog-content-sha256",
};

/* The texts one signature is made of. */
struct stage {
  char date[DATE_MAX];  /* 20130524T000000Z */
  char stamp[9];        /* 20130524 */
  struct buf names;     /* host;x-amz-date */
  struct buf canonical; /* the canonical request, secret: a token is in it */
  struct buf scope;     /* 20130524/us-east-1/s3/aws4_request */
  struct buf to_sign;
  char signature[65];
};

static void stage_release(struct stage *s)
{
  buf_release(&s->names);
  buf_release(&s->canonical);
  buf_release(&s->scope);
  buf_release(&s->to_sign);
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Trimmed, and runs of inner blanks as one space. */
static enum err add_folded(struct buf *out, const char *v)
{
  size_t len = strlen(v);
  while (len && is_blank(v[len - 1]))
    len--;
  size_t i = 0;
  while (i < len && is_blank(v[i]))
    i++;
  enum err err = ERR_OK;
  for (; i < len && !err; i++)
    if (!is_blank(v[i]))
      err = buf_addc(out, v[i]);
    else if (!is_blank(v[i - 1]))
      err = buf_addc(out, ' ');
  return err;
}

static enum err add_lower(struct kv *to, const char *name, const char *value,
                          struct error *e)
{
  struct buf lower = {0}, folded = {.secret = true};
  enum err err = ERR_OK;
  for (const char *p = name; *p && !err; p++)
    err = buf_addc(&lower, codec_lower(*p));
  if (!err)
    err = add_folded(&folded, value);
  if (!err)
    err = kv_add(to, buf_str(&lower), buf_str(&folded), e);
  buf_release(&lower);
  buf_release(&folded);
  return err;
}

/* Names in order; values of one name keep their order (a stable sort by name
 * only, which kv_sort is not). */
static void sort_by_name(struct kv *kv)
{
  for (size_t i = 1; i < kv->n; i++) {
    struct kv_pair p = kv->pairs[i];
    size_t j = i;
    for (; j && strcmp(kv->pairs[j - 1].name, p.name) > 0; j--)
      kv->pairs[j] = kv->pairs[j - 1];
    kv->pairs[j] = p;
  }
}

/* Proxies alter these on their way, so the SDKs leave them out too; Google
 * rewrites accept-encoding (providers.md 2.4). */
static bool travels_unsigned(const char *name)
{
  static const char *const names[] = {
      "accept-encoding",
      "authorization",
      "cache-control",
      "connection",
      "expect",
      "from",
      "keep-alive",
      "max-forwards",
      "pragma",
      "referer",
      "te",
      "trailer",
      "upgrade",
      "transfer-encoding",
      "user-agent",
      "x-amzn-trace-id",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (codec_equal_nocase(name, names[i]))
      return true;
  size_t len = strlen(name);
  return codec_starts_nocase(name, len, "proxy-") ||
         codec_starts_nocase(name, len, "sec-");
}

static enum err collect(struct kv *headers, const struct request *r,
                        struct error *e)
{
  enum err err = ERR_OK;
  if (kv_find(&r->headers, "host", 0) == r->headers.n)
    err = add_lower(headers, "host", r->host, e);
  for (size_t i = 0; i < r->headers.n && !err; i++)
    if (!travels_unsigned(r->headers.pairs[i].name))
      err = add_lower(headers, r->headers.pairs[i].name,
                      r->headers.pairs[i].value, e);
  sort_by_name(headers);
  return err;
}

/* Writes "name:value,value\n" lines and the list of names. */
static enum err add_headers(struct stage *s, const struct kv *h)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < h->n && !err; i++) {
    bool again = i && strcmp(h->pairs[i - 1].name, h->pairs[i].name) == 0;
    bool more =
        i + 1 < h->n && strcmp(h->pairs[i].name, h->pairs[i + 1].name) == 0;
    if (again)
      err = buf_addf(&s->canonical, ",%s", h->pairs[i].value);
    else
      err =
          buf_addf(&s->canonical, "%s:%s", h->pairs[i].name, h->pairs[i].value);
    if (!err && !again)
      err = buf_addf(&s->names, "%s%s", s->names.len ? ";" : "",
                     h->pairs[i].name);
    if (!err && !more)
      err = buf_addc(&s->canonical, '\n');
  }
  return err;
}

static enum err canonical_request(struct stage *s, const struct request *r,
                                  const char *payload, struct error *e)
{
  struct kv headers = {0};
  enum err err = collect(&headers, r, e);
  if (!err)
    err =
        buf_addf(&s->canonical, "%s\n%s\n", message_method(r->method), r->path);
  if (!err)
    err = message_query(&s->canonical, &r->query, true);
  if (!err)
    err = buf_addc(&s->canonical, '\n');
  if (!err)
    err = add_headers(s, &headers);
  if (!err)
    err = buf_addf(&s->canonical, "\n%s\n%s", buf_str(&s->names), payload);
  kv_release(&headers);
  return err;
}

static enum err string_to_sign(const struct sign_v4_dialect *d, struct stage *s,
                               const char *region)
{
  char digest[65];
  enum err err = hash_sha256_hex(s->canonical.data, s->canonical.len, digest);
  if (!err)
    err = buf_addf(&s->scope, "%s/%s/%s/%s", s->stamp, region, d->service,
                   d->terminator);
  if (!err)
    err = buf_addf(&s->to_sign, "%s\n%s\n%s\n%s", d->algorithm, s->date,
                   buf_str(&s->scope), digest);
  return err;
}

static enum err sign_stage(const struct sign_v4_dialect *d, struct stage *s,
                           const struct creds *c, const char *region)
{
  const char *steps[] = {s->stamp, region, d->service, d->terminator,
                         buf_str(&s->to_sign)};
  struct buf key = {.secret = true};
  unsigned char mac[32];
  enum err err = buf_addf(&key, "%s%s", d->key_prefix, buf_str(&c->secret));
  for (size_t i = 0; i < sizeof steps / sizeof *steps && !err; i++) {
    err = hash_hmac_sha256(key.data, key.len, steps[i], strlen(steps[i]), mac);
    buf_clear(&key);
    if (!err)
      err = buf_add(&key, mac, sizeof mac);
  }
  struct buf hex = {0};
  if (!err)
    err = codec_hex(&hex, mac, sizeof mac);
  if (!err)
    memcpy(s->signature, hex.data, sizeof s->signature);
  buf_wipe(mac, sizeof mac);
  buf_release(&hex);
  buf_release(&key);
  return err;
}

static enum err add_own_headers(const struct sign_v4_dialect *d,
                                struct request *r, const struct creds *c,
                                const struct stage *s, const char *payload,
                                struct error *e)
{
  enum err err = d->date ? kv_set(&r->headers, d->date, s->date, e) : ERR_OK;
  if (!err && d->digest)
    err = kv_set(&r->headers, d->digest, payload, e);
  if (!err && d->token && c->token.len)
    err = kv_set(&r->headers, d->token, buf_str(&c->token), e);
  return err;
}

static enum err out_of_memory(enum err err, struct error *e)
{
  if (err && e && e->code == ERR_OK)
    return err_set(e, err, "out of memory");
  return err;
}

static enum err add_authorization(const struct sign_v4_dialect *d,
                                  struct request *r, const struct creds *c,
                                  const struct stage *s, struct error *e)
{
  return kv_addf(&r->headers, e, "Authorization",
                 "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
                 d->algorithm, buf_str(&c->key_id), buf_str(&s->scope),
                 buf_str(&s->names), s->signature);
}

static void keep_trace(struct stage *s, struct sign_trace *trace)
{
  if (!trace)
    return;
  sign_trace_release(trace);
  trace->canonical_request = s->canonical;
  trace->string_to_sign = s->to_sign;
  s->canonical = s->to_sign = (struct buf){0};
}

enum err sign_v4(const struct sign_v4_dialect *d, struct request *r,
                 const struct creds *c, const char *region, const char *payload,
                 int64_t wall_ms, struct sign_trace *trace, struct error *e)
{
  if (!creds_present(c))
    return err_set(e, ERR_CREDENTIALS, "no access key to sign with");
  struct stage s = {.canonical.secret = true};
  date_basic(wall_ms / 1000, s.date);
  memcpy(s.stamp, s.date, 8);
  enum err err = add_own_headers(d, r, c, &s, payload, e);
  if (!err)
    err = canonical_request(&s, r, payload, e);
  if (!err)
    err = string_to_sign(d, &s, region);
  if (!err)
    err = sign_stage(d, &s, c, region);
  if (!err)
    err = add_authorization(d, r, c, &s, e);
  if (!err)
    keep_trace(&s, trace);
  stage_release(&s);
  return out_of_memory(err, e);
}
