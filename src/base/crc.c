/* SPDX-License-Identifier: MIT
 *
 * crc - see crc.h.
 *
 * One 64-bit slicing-by-8 serves all: a 32-bit remainder is simply one whose
 * upper half is zero.
 */
#include "base/crc.h"

void crc_build(struct crc_table *t, uint64_t poly)
{
  for (unsigned i = 0; i < 256; i++) {
    uint64_t crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (poly & (0 - (crc & 1)));
    t->slice[0][i] = crc;
  }
  for (unsigned i = 0; i < 256; i++)
    for (int k = 1; k < CRC_SLICES; k++) {
      uint64_t before = t->slice[k - 1][i];
      t->slice[k][i] = (before >> 8) ^ t->slice[0][before & 0xFF];
    }
}

static uint64_t load_le64(const unsigned char *p)
{
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--) /* compilers make one load of it */
    value = value << 8 | p[i];
  return value;
}

uint64_t crc_update(const struct crc_table *t, uint64_t crc,
                    const unsigned char *p, size_t len)
{
  for (; len >= CRC_SLICES; p += CRC_SLICES, len -= CRC_SLICES) {
    crc ^= load_le64(p);
    crc = t->slice[7][crc & 0xFF] ^ t->slice[6][crc >> 8 & 0xFF] ^
          t->slice[5][crc >> 16 & 0xFF] ^ t->slice[4][crc >> 24 & 0xFF] ^
          t->slice[3][crc >> 32 & 0xFF] ^ t->slice[2][crc >> 40 & 0xFF] ^
          t->slice[1][crc >> 48 & 0xFF] ^ t->slice[0][crc >> 56];
  }
  for (; len > 0; p++, len--)
    crc = (crc >> 8) ^ t->slice[0][(crc ^ *p) & 0xFF];
  return crc;
}

/* ---- in a row ---- */

/* A linear map of remainders: what it makes of each single bit. */
struct matrix {
  uint64_t column[64];
};

static uint64_t apply(const struct matrix *m, uint64_t value)
{
  uint64_t out = 0;
  for (unsigned i = 0; value; i++, value >>= 1)
    out ^= m->column[i] & (0 - (value & 1));
  return out;
}

static void square(struct matrix *m, unsigned bits)
{
  struct matrix once = *m;
  for (unsigned i = 0; i < bits; i++)
    m->column[i] = apply(&once, once.column[i]);
}

/* One bit of zero behind all. */
static void shift_by_bit(struct matrix *m, uint64_t poly, unsigned bits)
{
  m->column[0] = poly;
  for (unsigned i = 1; i < bits; i++)
    m->column[i] = UINT64_C(1) << (i - 1);
}

/* B zero bytes behind A move A's remainder on; the complements at both ends
 * cancel each other, so that finished values may be taken. */
uint64_t crc_combine(uint64_t poly, unsigned bits, uint64_t a, uint64_t b,
                     uint64_t b_len)
{
  struct matrix m;
  shift_by_bit(&m, poly, bits);
  for (int i = 0; i < 3; i++) /* 8 bits: a byte */
    square(&m, bits);
  for (; b_len; b_len >>= 1) {
    if (b_len & 1)
      a = apply(&m, a);
    square(&m, bits);
  }
  return a ^ b;
}
