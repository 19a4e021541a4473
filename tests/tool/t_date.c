/* SPDX-License-Identifier: MIT
 *
 * t_date - base/date as commands: each text form read and written.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "tool.h"

/* Where a table names no other "now": 2026-01-15T12:00:00Z. */
static const int64_t usual_now_ms = INT64_C(1768478400000);

int64_t take_now(const char **s)
{
  int64_t now = usual_now_ms;
  if (**s != '@')
    return now;
  struct buf text = {0};
  ++*s;
  if (!field(s, &text, false) || !date_parse_iso(buf_str(&text), &now))
    bad_line();
  buf_release(&text);
  *s += **s == ' ' ? 1 : 0;
  return now;
}

static void http_date_line(const struct buf *in, struct buf *out)
{
  const char *s = buf_str(in);
  int64_t now = take_now(&s);
  int64_t epoch;
  struct buf text = {0};
  unescape(&text, s, strlen(s));
  if (date_parse_http(buf_str(&text), now, &epoch))
    say(out, "%" PRId64, epoch);
  else
    say(out, "no");
  buf_release(&text);
}

/* A signed number of seconds or milliseconds. */
static int64_t number(const struct buf *in)
{
  const char *s = buf_str(in);
  bool minus = *s == '-';
  uint64_t value;
  if (!codec_u64(s + (minus ? 1 : 0), 0, INT64_MAX, &value))
    bad_line();
  return minus ? -(int64_t)value : (int64_t)value;
}

static void date_http_line(const struct buf *in, struct buf *out)
{
  char text[DATE_MAX];
  date_http(number(in), text);
  say(out, "%s", text);
}

static void date_basic_line(const struct buf *in, struct buf *out)
{
  char text[DATE_MAX];
  date_basic(number(in), text);
  say(out, "%s", text);
}

static void date_iso_line(const struct buf *in, struct buf *out)
{
  char text[DATE_MAX];
  date_iso_ms(number(in), text);
  say(out, "%s", text);
}

static void basic_line(const struct buf *in, struct buf *out)
{
  int64_t epoch;
  if (date_parse_basic(buf_str(in), &epoch))
    say(out, "%" PRId64, epoch);
  else
    say(out, "no");
}

static void iso_line(const struct buf *in, struct buf *out)
{
  int64_t ms;
  if (date_parse_iso(buf_str(in), &ms))
    say(out, "%" PRId64, ms);
  else
    say(out, "no");
}

/* "FROM TO", days since the epoch: every day there and back, and each text
 * form of its last second. */
static void round_trip_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  int64_t limits[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (!field(&rest, &part, false))
      bad_line();
    limits[i] = number(&part);
  }
  buf_release(&part);
  int64_t good = 0;
  for (int64_t day = limits[0]; day <= limits[1]; day++) {
    char text[DATE_MAX];
    int64_t second = day * 86400 + 86399;
    int64_t http, basic, iso;
    int y, m, d;
    date_civil(day, &y, &m, &d);
    date_http(second, text);
    bool ok = date_parse_http(text, usual_now_ms, &http) && http == second;
    date_basic(second, text);
    ok = ok && date_parse_basic(text, &basic) && basic == second;
    date_iso_ms(second * 1000 + 7, text);
    ok = ok && date_parse_iso(text, &iso) && iso == second * 1000 + 7;
    good += ok && date_days(y, m, d) == day ? 1 : 0;
  }
  say(out, "%" PRId64 " of %" PRId64, good, limits[1] - limits[0] + 1);
}

const struct command date_commands[] = {
    {"http-date", http_date_line, true},
    {"date-http", date_http_line, false},
    {"date-basic", date_basic_line, false},
    {"date-iso", date_iso_line, false},
    {"basic-date", basic_line, false},
    {"iso", iso_line, false},
    {"date-round-trip", round_trip_line, true},
    {NULL, NULL, false},
};
