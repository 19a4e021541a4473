/* SPDX-License-Identifier: MIT
 *
 * date - calendar arithmetic on whole numbers, and the text forms read with a
 * cursor that only ever moves over what the grammar names.
 *
 * libc's strptime, timegm and friends know locales and zones; we may not.
 */
#include "base/date.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

enum { DAY_S = 86400 };

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const days[] = {"Sun", "Mon", "Tue", "Wed",
                                   "Thu", "Fri", "Sat"};
static const char *const long_days[] = {"Sunday",    "Monday",   "Tuesday",
                                        "Wednesday", "Thursday", "Friday",
                                        "Saturday"};

/* A moment as its text tells it; month 1 to 12, weekday 0 (Sunday) to 6. */
struct fields {
  int year, month, day, hour, minute, second, weekday;
};

/* Calendar: eras of 400 years that begin on 1 March. */

int64_t date_days(int year, int month, int day)
{
  int64_t y = month <= 2 ? (int64_t)year - 1 : year;
  int64_t era = (y >= 0 ? y : y - 399) / 400;
  int64_t year_of_era = y - era * 400;
  int64_t from_march = month > 2 ? month - 3 : month + 9;
  int64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
  int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

void date_civil(int64_t days_since, int *year, int *month, int *day)
{
  int64_t z = days_since + 719468;
  int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  int64_t day_of_era = z - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
                         day_of_era / 146096) /
                        365;
  int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t from_march = (5 * day_of_year + 2) / 153;
  *day = (int)(day_of_year - (153 * from_march + 2) / 5 + 1);
  *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
  *year = (int)(year_of_era + era * 400 + (*month <= 2 ? 1 : 0));
}

static int weekday_of(int64_t days_since)
{
  int64_t n = (days_since + 4) % 7; /* 1970-01-01 was a Thursday */
  return (int)(n < 0 ? n + 7 : n);
}

static int64_t seconds_of(const struct fields *f)
{
  return date_days(f->year, f->month, f->day) * DAY_S + f->hour * 3600 +
         f->minute * 60 + f->second;
}

/* Floor division, so that moments before 1970 fall into the right day.  What
 * four digits of a year cannot say is clamped to what they can. */
static struct fields fields_of(int64_t epoch_s)
{
  static const int64_t first = INT64_C(-62167219200); /* 0000-01-01 */
  static const int64_t last = INT64_C(253402300799);  /* 9999-12-31 */
  epoch_s = epoch_s < first ? first : epoch_s > last ? last : epoch_s;
  int64_t day = epoch_s / DAY_S;
  int64_t second = epoch_s % DAY_S;
  if (second < 0) {
    second += DAY_S;
    day--;
  }
  struct fields f = {.hour = (int)(second / 3600),
                     .minute = (int)(second / 60 % 60),
                     .second = (int)(second % 60),
                     .weekday = weekday_of(day)};
  date_civil(day, &f.year, &f.month, &f.day);
  return f;
}

static bool is_day(const struct fields *f)
{
  if (f->month < 1 || f->month > 12 || f->day < 1 || f->day > 31)
    return false;
  int year, month, day;
  date_civil(date_days(f->year, f->month, f->day), &year, &month, &day);
  return month == f->month && day == f->day;
}

static bool is_moment(const struct fields *f)
{
  return is_day(f) && f->hour <= 23 && f->minute <= 59 && f->second <= 60;
}

/* The cursor. */

static bool take(const char **s, const char *text)
{
  if (!codec_starts_with(*s, text))
    return false;
  *s += strlen(text);
  return true;
}

/* Exactly N digits (at most 4). */
static bool take_digits(const char **s, size_t n, int *out)
{
  uint64_t value;
  if (strspn(*s, "0123456789") < n || !codec_u64_n(*s, n, 0, 9999, &value))
    return false;
  *out = (int)value;
  *s += n;
  return true;
}

static bool take_name(const char **s, const char *const names[], int n,
                      int *out)
{
  for (int i = 0; i < n; i++) {
    if (take(s, names[i])) {
      *out = i;
      return true;
    }
  }
  return false;
}

static bool take_month(const char **s, int *out)
{
  if (!take_name(s, months, 12, out))
    return false;
  ++*out;
  return true;
}

/* "08:49:37" */
static bool take_time(const char **s, struct fields *f)
{
  return take_digits(s, 2, &f->hour) && take(s, ":") &&
         take_digits(s, 2, &f->minute) && take(s, ":") &&
         take_digits(s, 2, &f->second);
}

/* HTTP-date, RFC 9110 5.6.7. */

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static bool read_imf(const char *s, struct fields *f)
{
  return take_name(&s, days, 7, &f->weekday) && take(&s, ", ") &&
         take_digits(&s, 2, &f->day) && take(&s, " ") &&
         take_month(&s, &f->month) && take(&s, " ") &&
         take_digits(&s, 4, &f->year) && take(&s, " ") && take_time(&s, f) &&
         take(&s, " GMT") && *s == '\0';
}

/* The latest year of those two digits that is not over 50 years ahead. */
static void set_century(struct fields *f, int64_t now_wall_ms)
{
  struct fields now = fields_of(now_wall_ms / 1000);
  struct fields limit = now;
  limit.year += 50;
  f->year += (limit.year / 100) * 100;
  if (seconds_of(f) > seconds_of(&limit))
    f->year -= 100;
}

/* "Sunday, 06-Nov-94 08:49:37 GMT" */
static bool read_rfc850(const char *s, struct fields *f, int64_t now_wall_ms)
{
  if (!(take_name(&s, long_days, 7, &f->weekday) && take(&s, ", ") &&
        take_digits(&s, 2, &f->day) && take(&s, "-") &&
        take_month(&s, &f->month) && take(&s, "-") &&
        take_digits(&s, 2, &f->year) && take(&s, " ") && take_time(&s, f) &&
        take(&s, " GMT") && *s == '\0'))
    return false;
  set_century(f, now_wall_ms);
  return true;
}

/* "Sun Nov  6 08:49:37 1994": a day below ten has a space before it. */
static bool read_asctime(const char *s, struct fields *f)
{
  if (!(take_name(&s, days, 7, &f->weekday) && take(&s, " ") &&
        take_month(&s, &f->month) && take(&s, " ")))
    return false;
  bool day =
      take(&s, " ") ? take_digits(&s, 1, &f->day) : take_digits(&s, 2, &f->day);
  return day && take(&s, " ") && take_time(&s, f) && take(&s, " ") &&
         take_digits(&s, 4, &f->year) && *s == '\0';
}

bool date_parse_http(const char *s, int64_t now_wall_ms, int64_t *out_s)
{
  struct fields f = {0};
  if (!read_imf(s, &f) && !read_asctime(s, &f) &&
      !read_rfc850(s, &f, now_wall_ms))
    return false;
  if (!is_moment(&f) ||
      f.weekday != weekday_of(date_days(f.year, f.month, f.day)))
    return false;
  *out_s = seconds_of(&f);
  return true;
}

void date_http(int64_t epoch_s, char out[DATE_MAX])
{
  struct fields f = fields_of(epoch_s);
  snprintf(out, DATE_MAX, "%s, %02d %s %04d %02d:%02d:%02d GMT",
           days[f.weekday], f.day, months[f.month - 1], f.year, f.hour,
           f.minute, f.second);
}

/* ISO 8601. */

void date_basic(int64_t epoch_s, char out[DATE_MAX])
{
  struct fields f = fields_of(epoch_s);
  snprintf(out, DATE_MAX, "%04d%02d%02dT%02d%02d%02dZ", f.year, f.month, f.day,
           f.hour, f.minute, f.second);
}

bool date_parse_basic(const char *s, int64_t *out_s)
{
  struct fields f = {0};
  bool read = take_digits(&s, 4, &f.year) && take_digits(&s, 2, &f.month) &&
              take_digits(&s, 2, &f.day) && take(&s, "T") &&
              take_digits(&s, 2, &f.hour) && take_digits(&s, 2, &f.minute) &&
              take_digits(&s, 2, &f.second) && take(&s, "Z") && *s == '\0';
  if (!read || !is_moment(&f))
    return false;
  *out_s = seconds_of(&f);
  return true;
}

void date_iso_ms(int64_t epoch_ms, char out[DATE_MAX])
{
  int64_t ms = epoch_ms % 1000;
  int64_t second = epoch_ms / 1000;
  if (ms < 0) {
    ms += 1000;
    second--;
  }
  struct fields f = fields_of(second);
  snprintf(out, DATE_MAX, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", f.year,
           f.month, f.day, f.hour, f.minute, f.second, (int)ms);
}

/* ".25" as 250; no fraction is 0.  Digits after the third are cut. */
static bool take_fraction_ms(const char **s, int *out)
{
  int ms = 0;
  if (take(s, ".")) {
    size_t n = strspn(*s, "0123456789");
    if (n == 0)
      return false;
    for (size_t i = 0; i < 3; i++)
      ms = ms * 10 + (i < n ? (*s)[i] - '0' : 0);
    *s += n;
  }
  *out = ms;
  return true;
}

/* "Z", "+hh:mm" or "-hh:mm", as minutes ahead of UTC. */
static bool take_zone(const char **s, int *out)
{
  if (take(s, "Z")) {
    *out = 0;
    return true;
  }
  int sign = **s == '+' ? 1 : -1;
  int hour, minute;
  if (!(take(s, "+") || take(s, "-")) || !take_digits(s, 2, &hour) ||
      !take(s, ":") || !take_digits(s, 2, &minute) || hour > 23 || minute > 59)
    return false;
  *out = sign * (hour * 60 + minute);
  return true;
}

bool date_parse_iso(const char *s, int64_t *out_ms)
{
  struct fields f = {0};
  int ms, zone;
  bool read = take_digits(&s, 4, &f.year) && take(&s, "-") &&
              take_digits(&s, 2, &f.month) && take(&s, "-") &&
              take_digits(&s, 2, &f.day) && take(&s, "T") &&
              take_time(&s, &f) && take_fraction_ms(&s, &ms) &&
              take_zone(&s, &zone) && *s == '\0';
  if (!read || !is_moment(&f))
    return false;
  *out_ms = (seconds_of(&f) - zone * 60) * 1000 + ms;
  return true;
}
