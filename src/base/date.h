/* SPDX-License-Identifier: MIT
 *
 * date - moments as numbers and as text; no locale, no TZ, no clock.
 *
 * struct now is what the one clock room (io/sys) hands out and what every
 * decision takes: two readings of the same instant.
 */
#ifndef ANK_BASE_DATE_H
#define ANK_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

struct now {
  int64_t mono_ms; /* CLOCK_BOOTTIME, counts suspend: deadlines and waits */
  int64_t wall_ms; /* Unix epoch: signatures, HTTP-dates, stored stamps */
};

enum { DATE_MAX = 40 }; /* bytes that hold any of the texts below */

/* RFC 9110 5.6.7: IMF-fixdate, rfc850-date (two-digit year: more than 50 years
 * ahead of NOW_WALL_MS is in the past) and asctime-date, exactly; a day name
 * that does not fit the date is not one.  Seconds since the epoch in *out;
 * false = not an HTTP-date, *out untouched.  A leap second (60) is taken as
 * the first second of the next minute. */
bool date_parse_http(const char *s, int64_t now_wall_ms, int64_t *out_s);

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
void date_http(int64_t epoch_s, char out[DATE_MAX]);

/* "20150830T123600Z" (SigV4 x-amz-date); the first 8 are its date stamp. */
void date_basic(int64_t epoch_s, char out[DATE_MAX]);
bool date_parse_basic(const char *s, int64_t *out_s);

/* "2026-01-15T12:00:00.250Z": RFC 3339 UTC with milliseconds. */
void date_iso_ms(int64_t epoch_ms, char out[DATE_MAX]);

/* RFC 3339 / ISO 8601 "2026-01-15T12:00:00[.frac](Z|+hh:mm)"; ms, fraction
 * cut.  False = not one. */
bool date_parse_iso(const char *s, int64_t *out_ms);

/* Days since 1970-01-01 of a proleptic Gregorian date; and back. */
int64_t date_days(int year, int month, int day);
void date_civil(int64_t days, int *year, int *month, int *day);

#endif
