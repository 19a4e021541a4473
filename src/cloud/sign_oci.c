/* SPDX-License-Identifier: MIT
 *
 * sign_oci - see sign_oci.h.  The text that is signed is built line by line;
 * what a line needs and the request lacks is added to the request first.
 */
#include "cloud/sign_oci.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/hash_rsa.h"

/* A name out of the list of lines. */
struct word {
  const char *at;
  size_t len;
};

static bool is(struct word w, const char *name)
{
  return strlen(name) == w.len && memcmp(w.at, name, w.len) == 0;
}

static bool next_word(const char **rest, struct word *w)
{
  *rest += strspn(*rest, " ");
  *w = (struct word){*rest, strcspn(*rest, " ")};
  *rest += w->len;
  return w->len != 0;
}

static enum err add_date(struct request *r, const char *name, int64_t wall_ms,
                         struct error *e)
{
  char date[DATE_MAX];
  if (kv_get(&r->headers, name))
    return ERR_OK;
  date_http(wall_ms / 1000, date);
  return kv_set(&r->headers, name, date, e);
}

static enum err add_digest(struct request *r, struct error *e)
{
  unsigned char sum[32];
  struct buf b64 = {0};
  const char *body = r->body.data ? r->body.data : "";
  enum err err = r->body.length && !r->body.data ? ERR_INTERNAL : ERR_OK;
  if (!err)
    err = hash_sha256(body, (size_t)r->body.length, sum);
  if (!err)
    err = hash_base64(&b64, sum, sizeof sum);
  if (!err)
    err = kv_set(&r->headers, "x-content-sha256", buf_str(&b64), e);
  buf_release(&b64);
  return err;
}

static enum err prepare(struct request *r, const char *lines, int64_t wall_ms,
                        struct error *e)
{
  struct word w;
  enum err err = ERR_OK;
  while (!err && next_word(&lines, &w))
    if (is(w, "date"))
      err = add_date(r, "date", wall_ms, e);
    else if (is(w, "x-date"))
      err = add_date(r, "x-date", wall_ms, e);
    else if (is(w, "x-content-sha256"))
      err = add_digest(r, e);
  return err;
}

static enum err add_target(const struct request *r, struct buf *out)
{
  enum err err = ERR_OK;
  for (const char *p = message_method(r->method); *p && !err; p++)
    err = buf_addc(out, codec_lower(*p));
  if (!err)
    err = buf_addc(out, ' ');
  return err ? err : message_target(out, r);
}

static enum err add_header(const struct request *r, struct word w,
                           struct buf *out)
{
  struct buf name = {0};
  enum err err = buf_add(&name, w.at, w.len);
  const char *value = err ? NULL : kv_get(&r->headers, buf_str(&name));
  buf_release(&name);
  return value ? buf_adds(out, value) : ERR_INTERNAL;
}

/* "date: ...\n(request-target): get /...\nhost: ...", no LF behind it. */
static enum err add_lines(const struct request *r, const char *lines,
                          struct buf *out)
{
  struct word w;
  enum err err = ERR_OK;
  while (!err && next_word(&lines, &w)) {
    err = buf_addf(out, "%s%.*s: ", out->len ? "\n" : "", (int)w.len, w.at);
    if (!err && is(w, "(request-target)"))
      err = add_target(r, out);
    else if (!err && is(w, "host"))
      err = buf_adds(out, r->host);
    else if (!err && is(w, "content-length"))
      err = buf_addf(out, "%" PRIu64, r->body.length);
    else if (!err)
      err = add_header(r, w, out);
  }
  return err;
}

static enum err add_authorization(struct request *r, const char *lines,
                                  const struct creds *c,
                                  const struct buf *string, struct error *e)
{
  struct buf raw = {0}, b64 = {0};
  enum err err =
      hash_rsa_sha256(&c->secret, string->data, string->len, &raw, e);
  if (!err)
    err = hash_base64(&b64, raw.data, raw.len);
  if (!err)
    err = kv_addf(&r->headers, e, "Authorization",
                  "Signature version=\"1\",keyId=\"%s%s\","
                  "algorithm=\"rsa-sha256\",headers=\"%s\",signature=\"%s\"",
                  c->token.len ? "ST$" : "",
                  buf_str(c->token.len ? &c->token : &c->key_id), lines,
                  buf_str(&b64));
  buf_release(&raw);
  buf_release(&b64);
  return err;
}

enum err sign_oci(struct request *r, const char *lines, const struct creds *c,
                  int64_t wall_ms, struct buf *string, struct error *e)
{
  if (!creds_present(c))
    return err_set(e, ERR_CREDENTIALS, "no API key to sign with");
  struct buf text = {0};
  enum err err = prepare(r, lines, wall_ms, e);
  if (!err)
    err = add_lines(r, lines, &text);
  if (!err)
    err = add_authorization(r, lines, c, &text, e);
  if (!err && string) {
    buf_release(string);
    *string = text;
    text = (struct buf){0};
  }
  buf_release(&text);
  if (err && e && e->code == ERR_OK)
    return err_set(e, err, "out of memory");
  return err;
}
