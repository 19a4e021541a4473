/* SPDX-License-Identifier: MIT
 *
 * sign_jwt - see sign_jwt.h.
 */
#include "cloud/sign_jwt.h"

#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "base/hash_rsa.h"
#include "base/json.h"

static enum err add_base64url(struct buf *out, const void *data, size_t len)
{
  size_t from = out->len;
  enum err err = hash_base64(out, data, len);
  for (size_t i = from; i < out->len && !err; i++)
    if (out->data[i] == '+')
      out->data[i] = '-';
    else if (out->data[i] == '/')
      out->data[i] = '_';
  while (!err && out->len > from && out->data[out->len - 1] == '=')
    buf_cut(out, out->len - 1);
  return err;
}

enum err sign_jwt(const char *head, const char *payload, const struct buf *key,
                  struct buf *out, struct error *e)
{
  size_t from = out->len;
  struct buf signature = {.secret = true};
  enum err err = add_base64url(out, head, strlen(head));
  if (!err)
    err = buf_addc(out, '.');
  if (!err)
    err = add_base64url(out, payload, strlen(payload));
  if (err)
    return err_set(e, err, "out of memory");
  err = hash_rsa_sha256(key, out->data + from, out->len - from, &signature, e);
  if (!err &&
      (buf_addc(out, '.') || add_base64url(out, signature.data, signature.len)))
    err = err_set(e, ERR_INTERNAL, "out of memory");
  buf_release(&signature);
  return err;
}

/* ---- of others ---- */

/* The bytes of S, base64url without padding. */
static bool add_decoded(struct buf *out, const char *s, size_t len)
{
  struct buf text = {.secret = true};
  enum err err = buf_add(&text, s, len);
  for (size_t i = 0; i < text.len && !err; i++)
    if (text.data[i] == '-')
      text.data[i] = '+';
    else if (text.data[i] == '_')
      text.data[i] = '/';
  while (!err && text.len % 4)
    err = buf_addc(&text, '=');
  bool good = !err && hash_unbase64(out, buf_str(&text), text.len);
  buf_release(&text);
  return good;
}

int64_t sign_jwt_ends_ms(const char *jwt)
{
  struct buf claims = {.secret = true}, exp = {0};
  const char *from = strchr(jwt, '.');
  const char *to = from ? strchr(from + 1, '.') : NULL;
  uint64_t s = 0;
  if (!to || !add_decoded(&claims, from + 1, (size_t)(to - from - 1)) ||
      !json_get(buf_str(&claims), claims.len, "exp", &exp) ||
      !codec_u64(buf_str(&exp), 1, INT64_MAX / 4000, &s))
    s = 0;
  buf_release(&claims);
  buf_release(&exp);
  return (int64_t)s * 1000;
}
