/* SPDX-License-Identifier: MIT
 *
 * t_hash - base/hash as commands: digests, HMAC, base64.
 */
#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "tool.h"

bool find_alg(const char *name, enum hash_alg *out)
{
  for (int i = 0; i < HASH_ALG_COUNT; i++) {
    if (strcmp(hash_name((enum hash_alg)i), name) == 0) {
      *out = (enum hash_alg)i;
      return true;
    }
  }
  return false;
}

/* In pieces of 1, 2, 3 ... STEP bytes, over and over; STEP 0: in one. */
static void digest(struct hash *h, enum hash_alg alg, const struct buf *data,
                   size_t step, unsigned char out[HASH_MAX_LEN])
{
  const char *s = buf_str(data);
  size_t left = data->len;
  size_t n = 0;
  must(hash_start(h, alg));
  while (left > 0) {
    n = step == 0 ? left : n % step + 1;
    n = n < left ? n : left;
    must(hash_update(h, s, n));
    s += n;
    left -= n;
  }
  must(hash_final(h, out));
}

/* Hex and base64, the same however the bytes come in and whatever was begun
 * in the same struct before. */
static void answer(enum hash_alg alg, const struct buf *data, struct buf *out)
{
  struct hash h = {0};
  for (int other = 0; other < HASH_ALG_COUNT; other++)
    must(hash_start(&h, (enum hash_alg)other));
  unsigned char once[HASH_MAX_LEN];
  unsigned char pieces[HASH_MAX_LEN];
  digest(&h, alg, data, 0, once);
  must(codec_hex(out, once, hash_len(alg)));
  say(out, " ");
  must(hash_base64(out, once, hash_len(alg)));
  for (size_t step = 1; step <= 17; step += 4) {
    digest(&h, alg, data, step, pieces);
    if (memcmp(once, pieces, hash_len(alg)) != 0)
      say(out, " differs in pieces of %zu", step);
  }
  hash_release(&h);
}

/* "ALG BYTES" or, with IN_BASE64, "ALG BASE64" */
static void hash_of(const struct buf *in, struct buf *out, bool in_base64)
{
  const char *rest = buf_str(in);
  enum hash_alg alg;
  struct buf name = {0};
  struct buf text = {0};
  struct buf data = {0};
  if (!field(&rest, &name, false) || !find_alg(buf_str(&name), &alg))
    bad_line();
  field(&rest, &text, true);
  if (!in_base64)
    say_bytes(&data, buf_str(&text), text.len);
  else if (!hash_unbase64(&data, buf_str(&text), text.len))
    bad_line();
  answer(alg, &data, out);
  buf_release(&name);
  buf_release(&text);
  buf_release(&data);
}

static void hash_line(const struct buf *in, struct buf *out)
{
  hash_of(in, out, false);
}

static void hash_base64_line(const struct buf *in, struct buf *out)
{
  hash_of(in, out, true);
}

/* The Azure form: the CRC-64 in little-endian order. */
static void azure_crc64_line(const struct buf *in, struct buf *out)
{
  struct buf data = {0};
  struct hash h = {0};
  unsigned char big[HASH_MAX_LEN];
  unsigned char little[8];
  if (!hash_unbase64(&data, buf_str(in), in->len))
    bad_line();
  digest(&h, HASH_CRC64NVME, &data, 0, big);
  for (size_t i = 0; i < 8; i++)
    little[i] = big[7 - i];
  must(hash_base64(out, little, 8));
  hash_release(&h);
  buf_release(&data);
}

/* "KEY TEXT" */
static void hmac_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf key = {0};
  struct buf data = {0};
  unsigned char mac[32];
  field(&rest, &key, false);
  field(&rest, &data, true);
  must(hash_hmac_sha256(buf_str(&key), key.len, buf_str(&data), data.len, mac));
  must(codec_hex(out, mac, sizeof mac));
  buf_release(&key);
  buf_release(&data);
}

/* Both one-shot forms, which must agree. */
static void sha256_line(const struct buf *in, struct buf *out)
{
  unsigned char sum[32];
  char hex[65];
  struct buf again = {0};
  must(hash_sha256(buf_str(in), in->len, sum));
  must(hash_sha256_hex(buf_str(in), in->len, hex));
  must(codec_hex(&again, sum, sizeof sum));
  say(out, "%s%s", hex, strcmp(hex, buf_str(&again)) == 0 ? "" : " differs");
  buf_release(&again);
}

static void base64_line(const struct buf *in, struct buf *out)
{
  must(hash_base64(out, buf_str(in), in->len));
}

static void unbase64_line(const struct buf *in, struct buf *out)
{
  say(out, "is ");
  if (hash_unbase64(out, buf_str(in), in->len))
    return;
  bool untouched = strcmp(buf_str(out), "is ") == 0;
  buf_clear(out);
  say(out, untouched ? "no" : "no, and OUT was changed");
}

/* A length: that many bytes, coded and back. */
static void base64_long_line(const struct buf *in, struct buf *out)
{
  struct buf data = {0};
  struct buf code = {0};
  struct buf back = {0};
  uint64_t len;
  if (!codec_u64(buf_str(in), 0, 1 << 26, &len))
    bad_line();
  for (uint64_t i = 0; i < len; i++)
    must(buf_addc(&data, (char)(i * 7 + i / 251)));
  must(hash_base64(&code, buf_str(&data), data.len));
  bool ok = hash_unbase64(&back, buf_str(&code), code.len) &&
            back.len == data.len &&
            memcmp(buf_str(&back), buf_str(&data), data.len) == 0;
  say(out, "%zu %s", code.len, ok ? "same" : "differs");
  buf_release(&data);
  buf_release(&code);
  buf_release(&back);
}

static void read_crc(const char **rest, unsigned char *out, size_t len)
{
  struct buf text = {0};
  field(rest, &text, false);
  if (text.len != 2 * len)
    bad_line();
  for (size_t i = 0; i < len; i++)
    out[i] = (unsigned char)(codec_hex_digit(buf_str(&text)[2 * i]) * 16 +
                             codec_hex_digit(buf_str(&text)[2 * i + 1]));
  buf_release(&text);
}

/* "ALG HEX HEX LENGTH": of two stretches, and how long the second one is */
static void combine_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  enum hash_alg alg;
  struct buf name = {0};
  struct buf length = {0};
  unsigned char whole[HASH_MAX_LEN], next[HASH_MAX_LEN];
  uint64_t len;
  if (!field(&rest, &name, false) || !find_alg(buf_str(&name), &alg))
    bad_line();
  if (hash_combines(alg)) {
    read_crc(&rest, whole, hash_len(alg));
    read_crc(&rest, next, hash_len(alg));
    field(&rest, &length, true);
    if (!codec_u64(buf_str(&length), 0, UINT64_MAX, &len))
      bad_line();
    hash_combine(alg, whole, next, len);
    must(codec_hex(out, whole, hash_len(alg)));
  } else {
    say(out, "no");
  }
  buf_release(&name);
  buf_release(&length);
}

const struct command hash_commands[] = {
    {"hash", hash_line, true},
    {"hash-base64", hash_base64_line, true},
    {"azure-crc64", azure_crc64_line, false},
    {"combine", combine_line, true},
    {"hmac-sha256", hmac_line, true},
    {"sha256", sha256_line, false},
    {"base64", base64_line, false},
    {"unbase64", unbase64_line, false},
    {"base64-long", base64_long_line, false},
    {NULL, NULL, false},
};
