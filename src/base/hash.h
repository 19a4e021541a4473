/* SPDX-License-Identifier: MIT
 *
 * hash - digests, checksums and base64: the only room that knows OpenSSL.
 *
 * Streaming digests for object bytes, one-shot helpers for signatures.  The
 * CRCs are those of base/crc (libcrypto has none): CRC-32 (IEEE), CRC-32C
 * (Castagnoli) and CRC-64/NVME; S3 carries them base64 of the big-endian value,
 * Azure the last one little-endian.
 */
#ifndef ANK_BASE_HASH_H
#define ANK_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum hash_alg {
  HASH_SHA256,
  HASH_SHA1,
  HASH_MD5,
  HASH_CRC32,
  HASH_CRC32C,
  HASH_CRC64NVME,
  HASH_ALG_COUNT
};

enum { HASH_MAX_LEN = 32 };

/* Sets of algorithms. */
#define HASH_BIT(alg) (1u << (alg))

/* One running digest.  A zeroed struct is a valid unstarted one. */
struct hash {
  enum hash_alg alg;
  bool started;
  uint64_t crc; /* the CRCs' state */
  void *ctx;    /* owned EVP_MD_CTX of the others */
};

/* "sha256", "crc64nvme" ...: as in x-amz-checksum-NAME. */
const char *hash_name(enum hash_alg alg);
/* Digest length in bytes. */
size_t hash_len(enum hash_alg alg);

/* Is the digest of a whole told by those of its pieces? */
bool hash_combines(enum hash_alg alg);
/* WHOLE, a digest by an ALG that combines, becomes that of its bytes and of the
 * NEXT_LEN bytes behind them, whose digest is NEXT. */
void hash_combine(enum hash_alg alg, unsigned char *whole,
                  const unsigned char *next, uint64_t next_len);

/* (Re)starts H for ALG; keeps its memory where it can. */
enum err hash_start(struct hash *h, enum hash_alg alg)
    __attribute__((warn_unused_result));
enum err hash_update(struct hash *h, const void *data, size_t len)
    __attribute__((warn_unused_result));
/* Big-endian digest into OUT (hash_len bytes); H must be started again before
 * further use. */
enum err hash_final(struct hash *h, unsigned char out[HASH_MAX_LEN])
    __attribute__((warn_unused_result));
void hash_release(struct hash *h);

/* One-shot. */
enum err hash_sha256(const void *data, size_t len, unsigned char out[32])
    __attribute__((warn_unused_result));
enum err hash_sha256_hex(const void *data, size_t len, char out[65])
    __attribute__((warn_unused_result));
enum err hash_hmac_sha256(const void *key, size_t key_len, const void *data,
                          size_t len, unsigned char out[32])
    __attribute__((warn_unused_result));

/* Standard base64 with padding, appended; decoding refuses anything else
 * (false; OUT is then as before). */
enum err hash_base64(struct buf *out, const void *data, size_t len)
    __attribute__((warn_unused_result));
bool hash_unbase64(struct buf *out, const char *s, size_t len);

#endif
