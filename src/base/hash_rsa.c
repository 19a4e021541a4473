/* SPDX-License-Identifier: MIT
 *
 * hash_rsa - see hash_rsa.h.  Memory of keys is OpenSSL's, which clears it as
 * it is freed; what leaves here goes through buffers that do the same.
 */
#include "base/hash_rsa.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/hash.h"

enum { BITS = 2048 };

/* What the reader of PEM asks for a pass phrase. */
struct asked {
  const char *pass;
  bool asked;
};

/* Without it OpenSSL would ask at the terminal.  A phrase that is too long is
 * no phrase: cut, it would be a wrong one. */
static int give_pass(char *to, int room, int writing, void *ctx)
{
  struct asked *a = ctx;
  size_t len = a->pass ? strlen(a->pass) : 0;
  (void)writing;
  a->asked = true;
  if (len == 0 || len > (size_t)room)
    return -1;
  memcpy(to, a->pass, len);
  return (int)len;
}

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static bool is_out_of_memory(void)
{
  bool out = ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE ||
             ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE;
  ERR_clear_error();
  return out;
}

static enum err no_key(const struct asked *a, struct error *e)
{
  if (is_out_of_memory())
    return no_memory(e);
  if (a->asked && (!a->pass || !*a->pass))
    return err_set(e, ERR_CREDENTIALS,
                   "the private key is encrypted, and no pass phrase is given");
  if (a->asked)
    return err_set(e, ERR_CREDENTIALS,
                   "the private key does not open with the pass phrase given");
  return err_set(e, ERR_CREDENTIALS, "no private key in PEM form");
}

static enum err read_key(const char *pem, size_t len, const char *pass,
                         EVP_PKEY **out, struct error *e)
{
  struct asked a = {.pass = pass};
  if (len > INT_MAX)
    return err_set(e, ERR_CREDENTIALS, "no private key in PEM form");
  ERR_clear_error();
  BIO *in = BIO_new_mem_buf(len ? pem : "", (int)len);
  if (!in)
    return no_memory(e);
  EVP_PKEY *key = PEM_read_bio_PrivateKey(in, NULL, give_pass, &a);
  BIO_free(in);
  if (!key)
    return no_key(&a, e);
  ERR_clear_error(); /* of formats that were tried first */
  if (EVP_PKEY_base_id(key) != EVP_PKEY_RSA) {
    EVP_PKEY_free(key);
    return err_set(e, ERR_CREDENTIALS, "the private key is not an RSA key");
  }
  *out = key;
  return ERR_OK;
}

/* The content of a memory BIO, which is then gone. */
static enum err take_text(BIO *from, int written, struct buf *out)
{
  char *data = NULL;
  long len = written == 1 ? BIO_get_mem_data(from, &data) : 0;
  enum err err =
      len > 0 ? buf_add(out, data, (size_t)len) : (enum err)ERR_INTERNAL;
  BIO_free(from);
  return err;
}

/* OUT becomes KEY, which is taken over, as PKCS#8 PEM. */
static enum err keep_pem(EVP_PKEY *key, struct buf *out, struct error *e)
{
  struct buf text = {.secret = true};
  enum err err = ERR_INTERNAL;
  BIO *to = BIO_new(BIO_s_secmem());
  if (to)
    err = take_text(
        to, PEM_write_bio_PKCS8PrivateKey(to, key, NULL, NULL, 0, NULL, NULL),
        &text);
  EVP_PKEY_free(key);
  if (!err) {
    buf_clear(out);
    err = buf_add(out, text.data, text.len);
  }
  buf_release(&text);
  ERR_clear_error();
  return err ? no_memory(e) : ERR_OK;
}

enum err hash_rsa_open(const char *pem, size_t len, const char *pass,
                       struct buf *out, struct error *e)
{
  EVP_PKEY *key = NULL;
  enum err err = read_key(pem, len, pass, &key, e);
  return err ? err : keep_pem(key, out, e);
}

enum err hash_rsa_make(struct buf *out, struct error *e)
{
  EVP_PKEY *key = EVP_RSA_gen(BITS);
  if (key)
    return keep_pem(key, out, e);
  ERR_clear_error();
  return err_set(e, ERR_INTERNAL, "no RSA key could be made");
}

static bool sign(EVP_MD_CTX *ctx, EVP_PKEY *key, const void *data, size_t len,
                 struct buf *out, size_t room)
{
  unsigned char *to = (unsigned char *)out->data + out->len;
  if (!ctx || EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 ||
      EVP_DigestSign(ctx, to, &room, data, len) != 1)
    return false;
  out->len += room;
  out->data[out->len] = '\0';
  return true;
}

enum err hash_rsa_sha256(const struct buf *key, const void *data, size_t len,
                         struct buf *out, struct error *e)
{
  EVP_PKEY *pkey = NULL;
  enum err err = read_key(buf_str(key), key->len, NULL, &pkey, e);
  if (err)
    return err;
  size_t room = (size_t)EVP_PKEY_size(pkey);
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  if (buf_reserve(out, room))
    err = no_memory(e);
  else if (!sign(ctx, pkey, data, len, out, room))
    err = err_set(e, ERR_INTERNAL, "the private key does not sign");
  EVP_MD_CTX_free(ctx);
  EVP_PKEY_free(pkey);
  ERR_clear_error();
  return err;
}

/* The public half as DER, SubjectPublicKeyInfo; the caller's to free. */
static enum err public_der(const struct buf *key, unsigned char **der, int *len,
                           struct error *e)
{
  EVP_PKEY *pkey = NULL;
  enum err err = read_key(buf_str(key), key->len, NULL, &pkey, e);
  if (err)
    return err;
  *len = i2d_PUBKEY(pkey, der);
  EVP_PKEY_free(pkey);
  ERR_clear_error();
  return *len > 0 ? ERR_OK : no_memory(e);
}

enum err hash_rsa_public(const struct buf *key, struct buf *out,
                         struct error *e)
{
  unsigned char *der = NULL;
  int len = 0;
  enum err err = public_der(key, &der, &len, e);
  if (!err && hash_base64(out, der, (size_t)len))
    err = no_memory(e);
  OPENSSL_free(der);
  return err;
}

enum err hash_rsa_fingerprint(const struct buf *key, struct buf *out,
                              struct error *e)
{
  unsigned char *der = NULL, sum[16];
  int len = 0;
  enum err err = public_der(key, &der, &len, e);
  if (!err && EVP_Digest(der, (size_t)len, sum, NULL, EVP_md5(), NULL) != 1)
    err = no_memory(e);
  for (size_t i = 0; i < sizeof sum && !err; i++)
    if (buf_addf(out, "%s%02x", i ? ":" : "", sum[i]))
      err = no_memory(e);
  OPENSSL_free(der);
  ERR_clear_error();
  return err;
}
