/* SPDX-License-Identifier: MIT
 *
 * sas - see sas.h.
 *
 * How often it was encoded shows in the signature: base64 of 32 bytes ends in
 * '=', so each encoding leaves its mark on it.
 */
#include "cloud/sas.h"

#include <stdbool.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "cloud/message.h"

enum { SIGNATURE_LEN = 32, MOST_ENCODINGS = 3 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* These choose the operation; a URL of a portal may hold them. */
static bool is_ours(const char *name)
{
  static const char *const names[] = {"comp", "restype", "blockid",
                                      "blocklisttype"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (codec_equal_nocase(name, names[i]))
      return true;
  return false;
}

/* What is left of a URL, a '?' and blanks at both ends. */
static const char *trimmed(const char *text, size_t *len)
{
  const char *blanks = " \t\r\n";
  text += strspn(text, blanks);
  if (strstr(text, "://") && strchr(text, '?'))
    text = strchr(text, '?');
  text += strspn(text, "?&");
  *len = strcspn(text, "#");
  while (*len && strchr(blanks, text[*len - 1]))
    --*len;
  return text;
}

static enum err add_pair(struct kv *to, const char *s, size_t len)
{
  struct buf name = {0}, value = {.secret = true};
  size_t eq = 0;
  while (eq < len && s[eq] != '=')
    eq++;
  size_t from = eq < len ? eq + 1 : eq;
  enum err err = codec_unpercent(&name, s, eq);
  if (!err)
    err = codec_unpercent(&value, s + from, len - from);
  if (!err && name.len && !is_ours(buf_str(&name)))
    err =
        kv_addn(to, buf_str(&name), name.len, buf_str(&value), value.len, NULL);
  buf_release(&name);
  buf_release(&value);
  return err;
}

static enum err split(struct kv *to, const char *s, size_t len)
{
  enum err err = ERR_OK;
  for (size_t i = 0, n; i < len && !err; i += n + 1) {
    for (n = 0; i + n < len && s[i + n] != '&'; n++)
      ;
    if (n)
      err = add_pair(to, s + i, n);
  }
  return err;
}

static bool is_signature(const char *s)
{
  struct buf raw = {.secret = true};
  bool is = s && hash_unbase64(&raw, s, strlen(s)) && raw.len == SIGNATURE_LEN;
  buf_release(&raw);
  return is;
}

static enum err spell(const struct kv *kv, struct buf *out)
{
  return message_query(out, kv, false);
}

static enum err damaged(const char *sig, struct error *e)
{
  if (!sig)
    return err_set(e, ERR_CREDENTIALS,
                   "the SAS holds no signature (sig=); without quotes a shell "
                   "cuts it at its first '&'");
  return err_set(e, ERR_CREDENTIALS,
                 "the signature (sig=) of the SAS is not 32 bytes in base64: "
                 "it was cut or altered");
}

/* Decodes once more as long as the signature does not show; *TEXT is what was
 * read and is to be read next. */
static enum err decode(struct buf *text, struct kv *out, struct error *e)
{
  for (int i = 0; i < MOST_ENCODINGS; i++) {
    struct buf plain = {.secret = true};
    kv_clear(out);
    enum err err = split(out, buf_str(text), text->len);
    if (err)
      return err == ERR_INTERNAL ? no_memory(e) : damaged("", e);
    if (is_signature(kv_get(out, "sig")))
      return ERR_OK;
    err = codec_unpercent(&plain, buf_str(text), text->len);
    buf_release(text);
    *text = plain;
    if (err)
      return no_memory(e);
  }
  return damaged(kv_get(out, "sig"), e);
}

enum err sas_normal(const char *text, struct buf *out, struct error *e)
{
  size_t len, before = out->len;
  struct buf rest = {.secret = true};
  struct kv pairs = {0};
  text = trimmed(text, &len);
  enum err err = buf_add(&rest, text, len) ? no_memory(e) : ERR_OK;
  if (!err)
    err = decode(&rest, &pairs, e);
  if (!err && spell(&pairs, out)) {
    buf_cut(out, before);
    err = no_memory(e);
  }
  buf_release(&rest);
  kv_release(&pairs);
  return err;
}

/* The service decodes once, and reads '+' as a blank. */
static enum err reads_right(const char *query, bool *right)
{
  struct kv pairs = {0};
  enum err err = split(&pairs, query, strlen(query));
  *right = !err && !strchr(query, '+') && is_signature(kv_get(&pairs, "sig"));
  kv_release(&pairs);
  return err == ERR_INTERNAL ? err : ERR_OK;
}

enum err sas_of_url(const char *query, struct buf *out)
{
  bool right;
  enum err err = reads_right(query, &right);
  if (err)
    return err;
  err = right ? (enum err)ERR_CREDENTIALS : sas_normal(query, out, NULL);
  return err == ERR_CREDENTIALS ? buf_adds(out, query) : err;
}

enum err sas_signature(const char *normal, struct buf *out, struct buf *other)
{
  const char *at = normal;
  while (at && strncmp(at, "sig=", 4) != 0) {
    at = strchr(at, '&');
    at += at ? 1 : 0;
  }
  if (!at)
    return ERR_OK;
  at += 4;
  size_t len = strcspn(at, "&");
  enum err err = buf_add(out, at, len);
  return err ? err : codec_unpercent(other, at, len);
}
