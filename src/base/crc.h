/* SPDX-License-Identifier: MIT
 *
 * crc - cyclic redundancy checks: running ones, and the one of two stretches in
 * a row out of those of each.
 *
 * Knows reflected polynomials of up to 64 bits, complemented at both ends, and
 * none by name: base/hash has the names.
 */
#ifndef ANK_BASE_CRC_H
#define ANK_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

enum { CRC_SLICES = 8 };

/* Remainders of bytes: 16 KiB. */
struct crc_table {
  uint64_t slice[CRC_SLICES][256];
};

/* POLY: reflected. */
void crc_build(struct crc_table *t, uint64_t poly);

/* The running remainder CRC (begun as all ones, and complemented at the end by
 * the caller) behind LEN further bytes. */
uint64_t crc_update(const struct crc_table *t, uint64_t crc,
                    const unsigned char *p, size_t len);

/* The finished CRC of A and B in a row from those of each, and the length of B
 * in bytes.  BITS: degree of POLY. */
uint64_t crc_combine(uint64_t poly, unsigned bits, uint64_t a, uint64_t b,
                     uint64_t b_len);

#endif
