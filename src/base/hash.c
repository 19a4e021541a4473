/* SPDX-License-Identifier: MIT
 *
 * hash - libcrypto's digests, our CRCs and strict base64.
 *
 * The table of a CRC (16 KiB) belongs to the running hash and is built when it
 * starts, a few microseconds, rather than checked in as 6,000 constants.
 */
#include "base/hash.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"

enum { BASE64_CHUNK = 3 * 16384 };

struct alg {
  const char *name;
  size_t len;
  const EVP_MD *(*md)(void); /* NULL: a CRC */
  uint64_t poly;             /* reflected */
  uint64_t mask;             /* start value and final complement */
};

static const struct alg algs[HASH_ALG_COUNT] = {
    [HASH_SHA256] = {"sha256", 32, EVP_sha256, 0, 0},
    [HASH_SHA1] = {"sha1", 20, EVP_sha1, 0, 0},
    [HASH_MD5] = {"md5", 16, EVP_md5, 0, 0},
    [HASH_CRC32] = {"crc32", 4, NULL, 0xEDB88320, UINT32_MAX},
    [HASH_CRC32C] = {"crc32c", 4, NULL, 0x82F63B78, UINT32_MAX},
    [HASH_CRC64NVME] = {"crc64nvme", 8, NULL, 0x9A6C9329AC4BC9B5, UINT64_MAX},
};

const char *hash_name(enum hash_alg alg)
{
  return algs[alg].name;
}

size_t hash_len(enum hash_alg alg)
{
  return algs[alg].len;
}

/* CRCs. */

static void put_be(unsigned char *out, uint64_t value, size_t len)
{
  for (size_t i = len; i > 0; i--) {
    out[i - 1] = (unsigned char)value;
    value >>= 8;
  }
}

static uint64_t get_be(const unsigned char *p, size_t len)
{
  uint64_t value = 0;
  for (size_t i = 0; i < len; i++)
    value = value << 8 | p[i];
  return value;
}

bool hash_combines(enum hash_alg alg)
{
  return algs[alg].md == NULL;
}

void hash_combine(enum hash_alg alg, unsigned char *whole,
                  const unsigned char *next, uint64_t next_len)
{
  const struct alg *a = &algs[alg];
  put_be(whole,
         crc_combine(a->poly, 8 * (unsigned)a->len, get_be(whole, a->len),
                     get_be(next, a->len), next_len),
         a->len);
}

/* Running digests. */

static bool same_kind(const struct hash *h, enum hash_alg alg)
{
  bool crc = algs[alg].md == NULL;
  return crc ? h->alg == alg : algs[h->alg].md != NULL;
}

enum err hash_start(struct hash *h, enum hash_alg alg)
{
  const struct alg *a = &algs[alg];
  if (h->ctx != NULL && !same_kind(h, alg))
    hash_release(h);
  bool fresh = h->ctx == NULL;
  if (fresh)
    h->ctx = a->md != NULL ? (void *)EVP_MD_CTX_new()
                           : malloc(sizeof(struct crc_table));
  h->alg = alg;
  h->started = false;
  if (h->ctx == NULL)
    return ERR_INTERNAL;
  if (a->md == NULL) {
    if (fresh)
      crc_build(h->ctx, a->poly);
    h->crc = a->mask;
  } else if (EVP_DigestInit_ex(h->ctx, a->md(), NULL) != 1) {
    return ERR_INTERNAL;
  }
  h->started = true;
  return ERR_OK;
}

enum err hash_update(struct hash *h, const void *data, size_t len)
{
  if (!h->started)
    return ERR_INTERNAL;
  if (len == 0)
    return ERR_OK;
  if (algs[h->alg].md == NULL)
    h->crc = crc_update(h->ctx, h->crc, data, len);
  else if (EVP_DigestUpdate(h->ctx, data, len) != 1)
    return ERR_INTERNAL;
  return ERR_OK;
}

enum err hash_final(struct hash *h, unsigned char out[HASH_MAX_LEN])
{
  const struct alg *a = &algs[h->alg];
  if (!h->started)
    return ERR_INTERNAL;
  h->started = false;
  if (a->md == NULL)
    put_be(out, h->crc ^ a->mask, a->len);
  else if (EVP_DigestFinal_ex(h->ctx, out, NULL) != 1)
    return ERR_INTERNAL;
  return ERR_OK;
}

void hash_release(struct hash *h)
{
  if (h->ctx != NULL && algs[h->alg].md != NULL)
    EVP_MD_CTX_free(h->ctx);
  else
    free(h->ctx);
  *h = (struct hash){0};
}

/* One-shot. */

enum err hash_sha256(const void *data, size_t len, unsigned char out[32])
{
  int ok = EVP_Digest(data, len, out, NULL, EVP_sha256(), NULL);
  return ok == 1 ? ERR_OK : ERR_INTERNAL;
}

enum err hash_sha256_hex(const void *data, size_t len, char out[65])
{
  static const char digits[] = "0123456789abcdef";
  unsigned char sum[32];
  if (hash_sha256(data, len, sum) != ERR_OK)
    return ERR_INTERNAL;
  for (size_t i = 0; i < sizeof sum; i++) {
    out[2 * i] = digits[sum[i] >> 4];
    out[2 * i + 1] = digits[sum[i] & 15];
  }
  out[64] = '\0';
  return ERR_OK;
}

enum err hash_hmac_sha256(const void *key, size_t key_len, const void *data,
                          size_t len, unsigned char out[32])
{
  if (key_len > INT_MAX)
    return ERR_INTERNAL;
  unsigned char *mac =
      HMAC(EVP_sha256(), key, (int)key_len, data, len, out, NULL);
  return mac != NULL ? ERR_OK : ERR_INTERNAL;
}

/* Base64. */

enum err hash_base64(struct buf *out, const void *data, size_t len)
{
  if (len > SIZE_MAX / 4 || buf_reserve(out, (len + 2) / 3 * 4) != ERR_OK)
    return ERR_INTERNAL;
  const unsigned char *p = data;
  while (len > 0) {
    size_t n = len < BASE64_CHUNK ? len : BASE64_CHUNK;
    char *end = out->data + out->len;
    out->len += (size_t)EVP_EncodeBlock((unsigned char *)end, p, (int)n);
    p += n;
    len -= n;
  }
  return ERR_OK;
}

/* Value of a base64 digit, or -1. */
static int digit64(char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters, the last PAD of them '='; left-over bits must be zero, so
 * that each value has one spelling.  EVP_DecodeBlock trims blanks and hides
 * the padding, hence by hand. */
static bool decode_quad(const char *s, size_t pad, unsigned char out[3])
{
  unsigned bits = 0;
  for (size_t i = 0; i < 4; i++) {
    int value = i < 4 - pad ? digit64(s[i]) : s[i] == '=' ? 0 : -1;
    if (value < 0)
      return false;
    bits = bits << 6 | (unsigned)value;
  }
  for (size_t i = 0; i < 3; i++)
    out[i] = (unsigned char)(bits >> (16 - 8 * i));
  return pad == 0 || (out[2] == 0 && (pad == 1 || out[1] == 0));
}

bool hash_unbase64(struct buf *out, const char *s, size_t len)
{
  size_t before = out->len;
  if (len % 4 != 0)
    return false;
  for (size_t i = 0; i < len; i += 4) {
    size_t pad = 0;
    if (i + 4 == len && s[i + 3] == '=')
      pad = s[i + 2] == '=' ? 2 : 1;
    unsigned char bytes[3];
    if (!decode_quad(s + i, pad, bytes) ||
        buf_add(out, bytes, 3 - pad) != ERR_OK) {
      buf_cut(out, before);
      return false;
    }
  }
  return true;
}
