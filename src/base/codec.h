/* SPDX-License-Identifier: MIT
 *
 * codec - text to values and back: hex, percent-encoding, UTF-8, and the
 * bounded numbers, sizes and durations that options, headers and files hold.
 *
 * Pure and locale-free.  Knows nothing of who asks: messages that name a flag
 * are made by the caller.  Base64 lives in base/hash, beside libcrypto.
 */
#ifndef ANK_BASE_CODEC_H
#define ANK_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Lower-case hex of LEN bytes, appended. */
enum err codec_hex(struct buf *out, const void *data, size_t len)
    __attribute__((warn_unused_result));

/* 1 to 16 hex digits, as a number. */
bool codec_hex_u64(const char *s, uint64_t *out);

/* Value of a hex digit, or -1. */
int codec_hex_digit(char c);

/* Percent-encodes everything but RFC 3986 unreserved (A-Za-z0-9-._~) and, when
 * KEEP_SLASH, '/'.  Upper-case hex.  Appended. */
enum err codec_percent(struct buf *out, const char *data, size_t len,
                       bool keep_slash) __attribute__((warn_unused_result));

/* Decodes %XX; a '%' not followed by two hex digits stays as it is.  '+' is
 * itself.  Appended. */
enum err codec_unpercent(struct buf *out, const char *data, size_t len)
    __attribute__((warn_unused_result));

/* Whole string is a decimal number within [min, max]: digits only, no sign, no
 * space.  False leaves *out alone. */
bool codec_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);
bool codec_u64_n(const char *s, size_t len, uint64_t min, uint64_t max,
                 uint64_t *out);

/* Bytes: digits with an optional fraction and one suffix of B, K, M, G, T
 * (powers of 1024; KiB, KB, k forms too, any case): "5G", "64KiB", "1.5M".
 * False on anything else, on overflow of int64_t and on a fraction of a
 * byte. */
bool codec_size(const char *s, uint64_t *out);

/* Durations: "90s", "15m", "1500ms", "2h", "1d", "1.5s"; a bare number is
 * seconds (fraction allowed).  At most one unit.  Result in whole ms, rounded
 * up; at most INT64_MAX / 4.  False on anything else. */
bool codec_duration_ms(const char *s, int64_t *out_ms);

/* "2", "1.5", "0.001": up to a million with at most three decimals, in
 * thousandths.  No sign, no exponent. */
bool codec_thousandths(const char *s, int64_t *out);

/* The same back, 0 or more, without zeros at the end: "9.1". */
enum { CODEC_THOUSANDTHS_MAX = 32 };
void codec_thousandths_text(int64_t n, char out[CODEC_THOUSANDTHS_MAX]);

/* "1764471122" or "1764471122.25": seconds with an optional fraction, no sign;
 * whole ms, rounded down. */
bool codec_epoch_ms(const char *s, int64_t *out_ms);

/* 1, yes, true, on / 0, no, false, off, any case. */
bool codec_bool(const char *s, bool *out);

/* Length in bytes (1 to 4) of the valid UTF-8 sequence that begins at S (LEN
 * bytes left), 0 if none does (RFC 3629: no surrogates, no overlong forms). */
size_t codec_utf8_len(const char *s, size_t len);
bool codec_is_utf8(const char *s, size_t len);

/* Appends S with each byte that is not part of valid UTF-8 replaced by
 * U+FFFD, so the result can stand in JSON. */
enum err codec_utf8_clean(struct buf *out, const char *s, size_t len)
    __attribute__((warn_unused_result));

/* Appends S for a terminal: control characters (C0, DEL, C1) and invalid bytes
 * become \xNN, so that nothing from a server or a key can steer it. */
enum err codec_visible(struct buf *out, const char *s, size_t len)
    __attribute__((warn_unused_result));

/* Appends valid UTF-8, JSON, with the control characters that JSON lets stand
 * (DEL and C1) escaped: it means the same, and steers no terminal. */
enum err codec_json_visible(struct buf *out, const char *json)
    __attribute__((warn_unused_result));

/* A token of RFC 9110 5.6.2, as header names are made of. */
bool codec_is_token(const char *s, size_t len);

/* ASCII only, whatever the locale. */
char codec_lower(char c);
bool codec_equal_nocase(const char *a, const char *b);
bool codec_starts_nocase(const char *s, size_t len, const char *prefix);
/* The first PART within S, or NULL. */
const char *codec_find_nocase(const char *s, size_t len, const char *part);
bool codec_starts_with(const char *s, const char *prefix);
bool codec_ends_with(const char *s, const char *suffix);

#endif
