/* SPDX-License-Identifier: MIT
 *
 * codec_decimal - a part of base/codec: numbers with three decimals, as whole
 * thousandths, so that nothing asks a locale or rounds; and hexadecimal ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

enum { MOST_WHOLE = 1000000 };

bool codec_thousandths(const char *s, int64_t *out)
{
  size_t len = strcspn(s, ".");
  uint64_t whole, part = 0;
  if (!codec_u64_n(s, len, 0, MOST_WHOLE, &whole))
    return false;
  if (s[len] == '.') {
    const char *digits = s + len + 1;
    size_t n = strlen(digits);
    if (n > 3 || !codec_u64_n(digits, n, 0, 999, &part))
      return false;
    for (; n < 3; n++)
      part *= 10;
  }
  *out = (int64_t)(whole * 1000 + part);
  return true;
}

void codec_thousandths_text(int64_t n, char out[CODEC_THOUSANDTHS_MAX])
{
  int64_t part = n % 1000;
  int digits = 3;
  for (; part && part % 10 == 0; digits--)
    part /= 10;
  if (part)
    snprintf(out, CODEC_THOUSANDTHS_MAX, "%" PRId64 ".%0*" PRId64, n / 1000,
             digits, part);
  else
    snprintf(out, CODEC_THOUSANDTHS_MAX, "%" PRId64, n / 1000);
}

bool codec_hex_u64(const char *s, uint64_t *out)
{
  uint64_t n = 0;
  size_t len = strlen(s);
  if (len < 1 || len > 16)
    return false;
  for (; *s; s++) {
    int digit = codec_hex_digit(*s);
    if (digit < 0)
      return false;
    n = n << 4 | (uint64_t)digit;
  }
  *out = n;
  return true;
}
