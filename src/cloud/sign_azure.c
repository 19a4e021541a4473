/* SPDX-License-Identifier: MIT
 *
 * sign_azure - see sign_azure.h.  The string to sign: the method, eleven
 * headers of which most are empty, all x-ms- headers, the resource.
 */
#include "cloud/sign_azure.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"

/* Content-Encoding stands before Content-Language, as the page has it (some
 * releases of one SDK had them the other way round).  Date is empty because
 * x-ms-date is sent; the length is put in by hand. */
static const char *const slots[] = {
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    NULL,
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static enum err add_trimmed(struct buf *out, const char *v)
{
  while (is_blank(*v))
    v++;
  size_t len = strlen(v);
  while (len && is_blank(v[len - 1]))
    len--;
  return buf_add(out, v, len);
}

static enum err add_slot(const struct request *r, const char *name,
                         struct buf *out)
{
  if (name && strcmp(name, "content-length") == 0)
    return r->body.present && r->body.length
               ? buf_addf(out, "%" PRIu64 "\n", r->body.length)
               : buf_addc(out, '\n');
  const char *value = name ? kv_get(&r->headers, name) : NULL;
  enum err err = value ? add_trimmed(out, value) : ERR_OK;
  return err ? err : buf_addc(out, '\n');
}

/* ---- headers ---- */

/* The service sorts as a dictionary does: '_' before digits before letters,
 * where bytes have digits, '_', letters.  The page says "lexicographical" and
 * warns of it; the two orders differ for metadata like a1 and a_1 only
 * (azure-sdk-for-python#10277, azure-sdk-for-net#41328). */
static int rank(char c)
{
  return c == '_' ? '/' : (unsigned char)c;
}

static int compare_names(const char *a, const char *b)
{
  while (*a && *a == *b)
    a++, b++;
  return rank(*a) - rank(*b);
}

static enum err add_lower(struct buf *out, const char *s)
{
  enum err err = ERR_OK;
  for (; *s && !err; s++)
    err = buf_addc(out, codec_lower(*s));
  return err;
}

static enum err lowered(struct kv *to, const struct kv_pair *p, bool trim,
                        struct error *e)
{
  struct buf name = {0}, value = {.secret = true};
  enum err err = add_lower(&name, p->name);
  if (!err)
    err = trim ? add_trimmed(&value, p->value) : buf_adds(&value, p->value);
  if (!err)
    err = kv_add(to, buf_str(&name), buf_str(&value), e);
  buf_release(&name);
  buf_release(&value);
  return err;
}

static void sort_headers(struct kv *kv)
{
  for (size_t i = 1; i < kv->n; i++) {
    struct kv_pair p = kv->pairs[i];
    size_t j = i;
    for (; j && compare_names(kv->pairs[j - 1].name, p.name) > 0; j--)
      kv->pairs[j] = kv->pairs[j - 1];
    kv->pairs[j] = p;
  }
}

static enum err add_headers(const struct request *r, struct buf *out,
                            struct error *e)
{
  struct kv own = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < r->headers.n && !err; i++) {
    const struct kv_pair *p = &r->headers.pairs[i];
    if (codec_starts_nocase(p->name, strlen(p->name), "x-ms-"))
      err = lowered(&own, p, true, e);
  }
  sort_headers(&own);
  for (size_t i = 0; i < own.n && !err; i++)
    err = buf_addf(out, "%s:%s\n", own.pairs[i].name, own.pairs[i].value);
  kv_release(&own);
  return err;
}

/* ---- the resource ---- */

/* Values of one name are sorted and joined. */
static enum err add_query(const struct request *r, struct buf *out,
                          struct error *e)
{
  struct kv query = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < r->query.n && !err; i++)
    err = lowered(&query, &r->query.pairs[i], false, e);
  kv_sort(&query);
  for (size_t i = 0; i < query.n && !err; i++) {
    const struct kv_pair *p = &query.pairs[i];
    bool again = i && strcmp(p[-1].name, p->name) == 0;
    err = again ? buf_addf(out, ",%s", p->value)
                : buf_addf(out, "\n%s:%s", p->name, p->value);
  }
  kv_release(&query);
  return err;
}

static enum err string_to_sign(const struct request *r, const char *account,
                               struct buf *out, struct error *e)
{
  enum err err = buf_addf(out, "%s\n", message_method(r->method));
  for (size_t i = 0; i < sizeof slots / sizeof *slots && !err; i++)
    err = add_slot(r, slots[i], out);
  if (!err)
    err = add_headers(r, out, e);
  if (!err)
    err = buf_addf(out, "/%s%s", account, r->path);
  return err ? err : add_query(r, out, e);
}

static enum err add_authorization(struct request *r, const struct buf *key,
                                  const char *account, const struct buf *text,
                                  struct error *e)
{
  unsigned char mac[32];
  struct buf b64 = {0};
  enum err err =
      hash_hmac_sha256(buf_str(key), key->len, text->data, text->len, mac);
  if (!err)
    err = hash_base64(&b64, mac, sizeof mac);
  if (!err)
    err = kv_addf(&r->headers, e, "Authorization", "SharedKey %s:%s", account,
                  buf_str(&b64));
  buf_wipe(mac, sizeof mac);
  buf_release(&b64);
  return err;
}

static enum err set_date(struct request *r, int64_t wall_ms, struct error *e)
{
  char date[DATE_MAX];
  date_http(wall_ms / 1000, date);
  return kv_set(&r->headers, "x-ms-date", date, e);
}

static void keep_trace(struct buf *text, struct sign_trace *trace)
{
  if (!trace)
    return;
  sign_trace_release(trace);
  trace->string_to_sign = *text;
  *text = (struct buf){0};
}

/* With room enough, base64 can fail for one reason only. */
static enum err decode_key(struct buf *key, const struct creds *c,
                           const char *account, struct error *e)
{
  if (buf_reserve(key, c->secret.len))
    return err_set(e, ERR_INTERNAL, "out of memory");
  if (!hash_unbase64(key, buf_str(&c->secret), c->secret.len) || !key->len)
    return err_set(e, ERR_CREDENTIALS,
                   "the key of account %.80s%s%.80s%s is not in base64",
                   account, c->source.len ? " (" : "", buf_str(&c->source),
                   c->source.len ? ")" : "");
  return ERR_OK;
}

enum err sign_azure(struct request *r, const struct creds *c,
                    const char *account, int64_t wall_ms,
                    struct sign_trace *trace, struct error *e)
{
  struct buf key = {.secret = true}, text = {0};
  enum err err = decode_key(&key, c, account, e);
  if (!err)
    err = set_date(r, wall_ms, e);
  if (!err)
    err = string_to_sign(r, account, &text, e);
  if (!err)
    err = add_authorization(r, &key, account, &text, e);
  if (!err)
    keep_trace(&text, trace);
  buf_release(&key);
  buf_release(&text);
  if (err && e && e->code == ERR_OK)
    return err_set(e, err, "out of memory");
  return err;
}
