/* SPDX-License-Identifier: MIT
 *
 * sign_jwt - see sign_jwt.h.
 */
#include "cloud/sign_jwt.h"

#include <string.h>

#include "base/hash.h"
#include "base/hash_rsa.h"

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
