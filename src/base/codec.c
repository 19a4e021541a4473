/* SPDX-License-Identifier: MIT
 *
 * codec - the small grammars of options, headers and files.
 *
 * No libc conversion is used: they read signs, blanks, hex and the locale.
 * Fractions are kept as whole numbers, so that 0.1s is exactly 100 ms.
 */
#include "base/codec.h"

#include <string.h>

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

char codec_lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool codec_equal_nocase(const char *a, const char *b)
{
  while (*a != '\0' && codec_lower(*a) == codec_lower(*b)) {
    a++;
    b++;
  }
  return codec_lower(*a) == codec_lower(*b);
}

bool codec_starts_nocase(const char *s, size_t len, const char *prefix)
{
  for (; *prefix; s++, prefix++, len--)
    if (len == 0 || codec_lower(*s) != codec_lower(*prefix))
      return false;
  return true;
}

const char *codec_find_nocase(const char *s, size_t len, const char *part)
{
  for (; len > 0; s++, len--)
    if (codec_starts_nocase(s, len, part))
      return s;
  return NULL;
}

bool codec_starts_with(const char *s, const char *prefix)
{
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool codec_ends_with(const char *s, const char *suffix)
{
  size_t len = strlen(s);
  size_t tail = strlen(suffix);
  return len >= tail && memcmp(s + len - tail, suffix, tail) == 0;
}

/* Hex and percent. */

enum err codec_hex(struct buf *out, const void *data, size_t len)
{
  static const char digits[] = "0123456789abcdef";
  const unsigned char *p = data;
  if (len > SIZE_MAX / 4 || buf_reserve(out, len * 2) != ERR_OK)
    return ERR_INTERNAL;
  for (size_t i = 0; i < len; i++) {
    const char pair[2] = {digits[p[i] >> 4], digits[p[i] & 15]};
    if (buf_add(out, pair, 2) != ERR_OK)
      return ERR_INTERNAL;
  }
  return ERR_OK;
}

int codec_hex_digit(char c)
{
  if (is_digit(c))
    return c - '0';
  char low = codec_lower(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static bool is_unreserved(char c)
{
  char low = codec_lower(c);
  return (low >= 'a' && low <= 'z') || is_digit(c) || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

enum err codec_percent(struct buf *out, const char *data, size_t len,
                       bool keep_slash)
{
  size_t start = out->len;
  for (size_t i = 0; i < len; i++) {
    char c = data[i];
    bool plain = is_unreserved(c) || (keep_slash && c == '/');
    enum err err = plain ? buf_addc(out, c)
                         : buf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
    if (err != ERR_OK) {
      buf_cut(out, start);
      return err;
    }
  }
  return ERR_OK;
}

enum err codec_unpercent(struct buf *out, const char *data, size_t len)
{
  /* Never longer than the input, so one reservation is enough. */
  if (buf_reserve(out, len) != ERR_OK)
    return ERR_INTERNAL;
  for (size_t i = 0; i < len; i++) {
    char c = data[i];
    if (c == '%' && len - i > 2) {
      int high = codec_hex_digit(data[i + 1]);
      int low = codec_hex_digit(data[i + 2]);
      if (high >= 0 && low >= 0) {
        c = (char)(high * 16 + low);
        i += 2;
      }
    }
    if (buf_addc(out, c) != ERR_OK)
      return ERR_INTERNAL;
  }
  return ERR_OK;
}

/* Numbers. */

bool codec_u64_n(const char *s, size_t len, uint64_t min, uint64_t max,
                 uint64_t *out)
{
  uint64_t value = 0;
  if (len == 0)
    return false;
  for (size_t i = 0; i < len; i++) {
    if (!is_digit(s[i]))
      return false;
    uint64_t digit = (uint64_t)(s[i] - '0');
    if (value > (UINT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  if (value < min || value > max)
    return false;
  *out = value;
  return true;
}

bool codec_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
  return codec_u64_n(s, strlen(s), min, max, out);
}

/* whole + frac / scale, scale a power of ten; `more` when further digits that
 * are not zero were left out. */
struct decimal {
  uint64_t whole;
  uint64_t frac;
  uint64_t scale;
  bool more;
};

enum { SIZE_DIGITS = 18, TIME_DIGITS = 9 };

/* Reads "digits[.digits]", keeping KEEP digits of the fraction.  Returns what
 * follows, NULL if there is no such number. */
static const char *take_decimal(const char *s, int keep, struct decimal *d)
{
  *d = (struct decimal){.scale = 1};
  size_t n = strspn(s, "0123456789");
  if (!codec_u64_n(s, n, 0, INT64_MAX, &d->whole))
    return NULL;
  s += n;
  if (*s != '.')
    return s;
  s++;
  if (!is_digit(*s))
    return NULL;
  for (; is_digit(*s); s++) {
    if (keep-- > 0) {
      d->frac = d->frac * 10 + (uint64_t)(*s - '0');
      d->scale *= 10;
    } else if (*s != '0') {
      d->more = true;
    }
  }
  return s;
}

/* Exponent of 1024 for "", "B", "K", "KB", "KiB" ..., or -1. */
static int size_suffix(const char *s)
{
  static const char units[] = "kmgt";
  if (*s == '\0' || codec_equal_nocase(s, "b"))
    return 0;
  const char *unit = strchr(units, codec_lower(*s));
  if (unit == NULL)
    return -1;
  s++;
  bool plain = *s == '\0' || codec_equal_nocase(s, "b");
  return plain || codec_equal_nocase(s, "ib") ? (int)(unit - units) + 1 : -1;
}

bool codec_size(const char *s, uint64_t *out)
{
  struct decimal d;
  s = take_decimal(s, SIZE_DIGITS, &d);
  int exponent = s != NULL ? size_suffix(s) : -1;
  if (exponent < 0 || d.more)
    return false;
  int shift = 10 * exponent;
  if (d.whole > (uint64_t)INT64_MAX >> shift)
    return false;
  /* The binary digits of the fraction, one a doubling; what is left after the
   * last is a fraction of a byte. */
  uint64_t part = 0;
  for (int i = 0; i < shift; i++) {
    d.frac *= 2;
    part = part * 2 + d.frac / d.scale;
    d.frac %= d.scale;
  }
  if (d.frac != 0)
    return false;
  *out = (d.whole << shift) + part;
  return true;
}

/* Milliseconds of a unit, or 0. */
static uint64_t duration_unit(const char *s)
{
  static const struct {
    const char *name;
    uint64_t ms;
  } units[] = {{"", 1000},   {"ms", 1},      {"s", 1000},
               {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strcmp(s, units[i].name) == 0)
      return units[i].ms;
  return 0;
}

bool codec_duration_ms(const char *s, int64_t *out_ms)
{
  struct decimal d;
  s = take_decimal(s, TIME_DIGITS, &d);
  uint64_t unit = s != NULL ? duration_unit(s) : 0;
  if (unit == 0)
    return false;
  uint64_t part = d.frac * unit;
  bool round_up = part % d.scale != 0 || d.more;
  part = part / d.scale + (round_up ? 1 : 0);
  const uint64_t max = INT64_MAX / 4;
  if (d.whole > (max - part) / unit)
    return false;
  *out_ms = (int64_t)(d.whole * unit + part);
  return true;
}

bool codec_epoch_ms(const char *s, int64_t *out_ms)
{
  struct decimal d;
  s = take_decimal(s, TIME_DIGITS, &d);
  if (s == NULL || *s != '\0' || d.whole > INT64_MAX / 1000 - 1)
    return false;
  *out_ms = (int64_t)(d.whole * 1000 + d.frac * 1000 / d.scale);
  return true;
}

bool codec_bool(const char *s, bool *out)
{
  static const char *const words[] = {"0",     "1",    "no",  "yes",
                                      "false", "true", "off", "on"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (codec_equal_nocase(s, words[i])) {
      *out = i % 2 == 1;
      return true;
    }
  }
  return false;
}

/* UTF-8. */

/* What a lead byte promises: the length, and the range of the second byte,
 * which is where overlong forms, surrogates and > U+10FFFF show. */
struct utf8_lead {
  unsigned char first, last, len, second_min, second_max;
};

static const struct utf8_lead leads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF},
    {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF},
    {0xF4, 0xF4, 4, 0x80, 0x8F}};

size_t codec_utf8_len(const char *s, size_t len)
{
  const unsigned char *p = (const unsigned char *)s;
  const struct utf8_lead *lead = NULL;
  if (len == 0)
    return 0;
  for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++)
    if (p[0] >= leads[i].first && p[0] <= leads[i].last)
      lead = &leads[i];
  if (lead == NULL || lead->len > len)
    return 0;
  if (lead->len > 1 && (p[1] < lead->second_min || p[1] > lead->second_max))
    return 0;
  for (size_t i = 2; i < lead->len; i++)
    if ((p[i] & 0xC0) != 0x80)
      return 0;
  return lead->len;
}

bool codec_is_utf8(const char *s, size_t len)
{
  while (len > 0) {
    size_t n = codec_utf8_len(s, len);
    if (n == 0)
      return false;
    s += n;
    len -= n;
  }
  return true;
}

enum err codec_utf8_clean(struct buf *out, const char *s, size_t len)
{
  enum err err = ERR_OK;
  while (len > 0 && err == ERR_OK) {
    size_t n = codec_utf8_len(s, len);
    err = n > 0 ? buf_add(out, s, n) : buf_adds(out, "\xEF\xBF\xBD");
    n = n > 0 ? n : 1;
    s += n;
    len -= n;
  }
  return err;
}

/* C0, DEL, and C1 as its two UTF-8 bytes. */
static bool is_control(const char *s, size_t n)
{
  unsigned char c = (unsigned char)s[0];
  if (n == 1)
    return c < 0x20 || c == 0x7F;
  return c == 0xC2 && (unsigned char)s[1] < 0xA0;
}

enum err codec_visible(struct buf *out, const char *s, size_t len)
{
  enum err err = ERR_OK;
  while (len > 0 && err == ERR_OK) {
    size_t n = codec_utf8_len(s, len);
    if (n > 0 && !is_control(s, n)) {
      err = buf_add(out, s, n);
    } else {
      n = 1;
      err = buf_addf(out, "\\x%02x", (unsigned)(unsigned char)*s);
    }
    s += n;
    len -= n;
  }
  return err;
}

enum err codec_json_visible(struct buf *out, const char *json)
{
  enum err err = ERR_OK;
  while (*json && err == ERR_OK) {
    size_t plain = strcspn(json, "\xC2\x7F");
    err = buf_add(out, json, plain);
    json += plain;
    if (!*json || err != ERR_OK)
      break;
    size_t n = *json == 0x7F || !json[1] ? 1 : 2;
    if (is_control(json, n))
      err = buf_addf(out, "\\u%04x", (unsigned)(unsigned char)json[n - 1]);
    else
      err = buf_add(out, json, n);
    json += n;
  }
  return err;
}

bool codec_is_token(const char *s, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!(s[i] > ' ' && s[i] <= '~') || strchr("()<>@,;:\\\"/[]?={}", s[i]))
      return false;
  return len > 0;
}
