/* SPDX-License-Identifier: MIT
 *
 * breaker_show - see breaker_show.h.
 */
#include "cli/breaker_show.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"

/* ---- a scope at one moment ---- */

struct view {
  enum breaker_mode mode;
  int64_t failures, open_ms, open_left_ms, probe_left_ms, hold_left_ms;
  int64_t retries;
  struct scope_counters counters;
};

static struct view view_of(const struct scope *s, int64_t wall_ms)
{
  const struct breaker *b = &s->breaker;
  struct view v = {.mode = breaker_mode_at(b, wall_ms),
                   .failures = b->failures,
                   .hold_left_ms = span_left_ms(&s->hold, wall_ms),
                   .counters = s->counters};
  v.retries = s->counters.retries_transient + s->counters.retries_throttled +
              s->counters.retries_local + s->counters.retries_integrity;
  if (v.mode == BREAKER_CLOSED)
    return v;
  v.open_ms = b->opened.length_ms;
  v.open_left_ms = span_left_ms(&b->opened, wall_ms);
  v.probe_left_ms = span_left_ms(&b->lease, wall_ms);
  return v;
}

/* ---- text ---- */

enum { SECOND = 1000, MINUTE_S = 60, HOUR_MIN = 60, DAY_H = 24 };

static int64_t up(int64_t n, int64_t by)
{
  return n / by + (n % by != 0);
}

static enum err add_units(struct buf *out, int64_t n, int64_t by,
                          const char *large, const char *small)
{
  enum err err = ERR_OK;
  if (n / by)
    err = buf_addf(out, "%" PRId64 "%s", n / by, large);
  if (!err && (n % by || !(n / by)))
    err = buf_addf(out, "%" PRId64 "%s", n % by, small);
  return err;
}

/* "850ms", "12s", "1m30s", "2h5m", "3d4h": rounded up, so that who waits so
 * long has waited long enough. */
static enum err add_duration(struct buf *out, int64_t ms)
{
  int64_t s = up(ms, SECOND);
  int64_t min = up(s, MINUTE_S);
  if (ms > 0 && ms < SECOND)
    return buf_addf(out, "%" PRId64 "ms", ms);
  if (s < MINUTE_S * HOUR_MIN)
    return add_units(out, s, MINUTE_S, "m", "s");
  if (min < HOUR_MIN * DAY_H)
    return add_units(out, min, HOUR_MIN, "h", "m");
  return add_units(out, up(min, HOUR_MIN), DAY_H, "d", "h");
}

static enum err add_visible(struct buf *out, const char *s)
{
  return *s ? codec_visible(out, s, strlen(s)) : buf_adds(out, "-");
}

enum column {
  SCOPE,
  STATE,
  FAILURES,
  OPEN_FOR,
  HELD_FOR,
  REQUESTS,
  RETRIES,
  LAST_ERROR,
  COLUMNS
};

/* No real name is longer; a damaged one must not widen every line. */
enum { WIDEST = 600 };

static const char *const headings[COLUMNS] = {
    "SCOPE",    "STATE",    "FAILURES", "OPEN-FOR",
    "HELD-FOR", "REQUESTS", "RETRIES",  "LAST-ERROR"};

/* How long requests are still refused; behind a probe that is its lease. */
static enum err add_open_for(struct buf *out, const struct view *v)
{
  if (v->mode == BREAKER_CLOSED)
    return buf_adds(out, "-");
  return add_duration(out, v->mode == BREAKER_OPEN ? v->open_left_ms
                                                   : v->probe_left_ms);
}

static enum err add_cell(struct buf *out, const struct breaker_entry *e,
                         const struct view *v, enum column column)
{
  switch (column) {
  case SCOPE:
    return add_visible(out, buf_str(&e->name));
  case STATE:
    return buf_adds(out, breaker_mode_name(v->mode));
  case FAILURES:
    return buf_addf(out, "%" PRId64, v->failures);
  case OPEN_FOR:
    return add_open_for(out, v);
  case HELD_FOR:
    return v->hold_left_ms ? add_duration(out, v->hold_left_ms)
                           : buf_adds(out, "-");
  case REQUESTS:
    return buf_addf(out, "%" PRId64, v->counters.requests);
  case RETRIES:
    return buf_addf(out, "%" PRId64, v->retries);
  case LAST_ERROR:
    return add_visible(out, e->scope.last_error);
  case COLUMNS:
    break;
  }
  return ERR_OK;
}

/* ROW 0 is the heading, ROW 1 the first entry. */
static enum err fill_cell(struct buf *out, const struct breaker_entry *list,
                          size_t row, enum column column, int64_t wall_ms)
{
  buf_clear(out);
  if (row == 0)
    return buf_adds(out, headings[column]);
  struct view v = view_of(&list[row - 1].scope, wall_ms);
  return add_cell(out, &list[row - 1], &v, column);
}

static enum err measure(const struct breaker_entry *list, size_t n,
                        int64_t wall_ms, size_t widths[COLUMNS])
{
  struct buf cell = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < COLUMNS * (n + 1) && !err; i++) {
    enum column column = (enum column)(i % COLUMNS);
    err = fill_cell(&cell, list, i / COLUMNS, column, wall_ms);
    if (cell.len > widths[column] && cell.len <= WIDEST)
      widths[column] = cell.len;
  }
  buf_release(&cell);
  return err;
}

enum err breaker_show_table(struct buf *out, const struct breaker_entry *list,
                            size_t n, int64_t wall_ms)
{
  struct buf cell = {0};
  size_t widths[COLUMNS] = {0};
  enum err err = measure(list, n, wall_ms, widths);
  for (size_t i = 0; i < COLUMNS * (n + 1) && !err; i++) {
    enum column column = (enum column)(i % COLUMNS);
    err = fill_cell(&cell, list, i / COLUMNS, column, wall_ms);
    if (!err && column == COLUMNS - 1)
      err = buf_addf(out, "%s\n", buf_str(&cell));
    else if (!err)
      err = buf_addf(out, "%-*s  ", (int)widths[column], buf_str(&cell));
  }
  buf_release(&cell);
  return err;
}

/* ---- JSON ---- */

#define NUMBER(name, member)            \
  {                                     \
    name, offsetof(struct view, member) \
  }

static const struct {
  const char *name;
  size_t offset;
} numbers[] = {NUMBER("failures", failures),
               NUMBER("open_ms", open_ms),
               NUMBER("open_left_ms", open_left_ms),
               NUMBER("probe_left_ms", probe_left_ms),
               NUMBER("hold_left_ms", hold_left_ms),
               NUMBER("retries", retries),
#define COUNTER(name) NUMBER(#name, counters.name),
               SCOPE_COUNTERS(COUNTER)
#undef COUNTER
};

/* As digits: cJSON's own numbers are doubles. */
static bool add_number(cJSON *to, const char *name, int64_t n)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, n);
  return cJSON_AddRawToObject(to, name, digits) != NULL;
}

/* Thousandths. */
static bool add_decimal(cJSON *to, const char *name, int64_t n)
{
  char digits[CODEC_THOUSANDTHS_MAX];
  codec_thousandths_text(n, digits);
  return cJSON_AddRawToObject(to, name, digits) != NULL;
}

static bool add_text(cJSON *to, const char *name, const char *s)
{
  struct buf clean = {0};
  bool ok = !codec_utf8_clean(&clean, s, strlen(s)) &&
            cJSON_AddStringToObject(to, name, buf_str(&clean));
  buf_release(&clean);
  return ok;
}

static bool add_time(cJSON *to, const char *name, int64_t wall_ms)
{
  char time[DATE_MAX];
  date_iso_ms(wall_ms, time);
  return add_text(to, name, time);
}

static bool fill(cJSON *json, const struct breaker_entry *e, int64_t wall_ms)
{
  struct view v = view_of(&e->scope, wall_ms);
  bool ok = add_text(json, "scope", buf_str(&e->name)) &&
            add_text(json, "state", breaker_mode_name(v.mode));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && ok; i++) {
    int64_t n;
    memcpy(&n, (const char *)&v + numbers[i].offset, sizeof n);
    ok = add_number(json, numbers[i].name, n);
  }
  if (ok && e->scope.budget.max)
    ok = add_decimal(
        json, "tokens",
        budget_left(&e->scope.budget, e->scope.budget.max, wall_ms));
  if (ok && e->scope.last_error[0])
    ok = add_text(json, "last_error", e->scope.last_error);
  if (ok && e->scope.success_at_ms)
    ok = add_time(json, "last_success", e->scope.success_at_ms);
  if (ok && e->scope.seen_ms)
    ok = add_time(json, "last_change", e->scope.seen_ms);
  return ok;
}

/* Takes JSON, which may be NULL, and its line is in OUT when FILLED. */
static enum err add_line(struct buf *out, cJSON *json, bool filled)
{
  char *text = filled ? cJSON_PrintUnformatted(json) : NULL;
  enum err err = text ? codec_json_visible(out, text) : ERR_INTERNAL;
  if (!err)
    err = buf_addc(out, '\n');
  cJSON_free(text);
  cJSON_Delete(json);
  return err;
}

enum err breaker_show_json(struct buf *out, const struct breaker_entry *list,
                           size_t n, int64_t wall_ms)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < n && !err; i++) {
    cJSON *json = cJSON_CreateObject();
    err = add_line(out, json, json && fill(json, &list[i], wall_ms));
  }
  return err;
}

/* ---- changes ---- */

static bool fill_change(cJSON *json, const struct breaker_change *c)
{
  bool trip = c->event == BREAKER_TRIP;
  if (!add_text(json, "command", trip ? "trip" : "reset"))
    return false;
  if (!c->scope)
    return add_number(json, "scopes", c->scopes) &&
           add_number(json, "were_open", c->were_open) &&
           add_number(json, "were_held", c->were_held);
  return add_text(json, "scope", c->scope) &&
         add_text(json, "from", breaker_mode_name(c->from)) &&
         add_text(json, "to", breaker_mode_name(c->to)) &&
         (trip ? add_number(json, "open_ms", c->length_ms)
               : add_number(json, "hold_left_ms", c->hold_left_ms));
}

static enum err add_how(struct buf *out, const struct breaker_change *c)
{
  enum err err = buf_addf(out, ": %s", breaker_mode_name(c->to));
  if (!err && c->event == BREAKER_TRIP) {
    err = buf_adds(out, " for ");
    if (!err)
      err = add_duration(out, c->length_ms);
  }
  if (!err)
    err = buf_addf(out, " (was %s", breaker_mode_name(c->from));
  if (!err && c->hold_left_ms) {
    err = buf_adds(out, ", held for ");
    if (!err)
      err = add_duration(out, c->hold_left_ms);
  }
  return err ? err : buf_adds(out, ")\n");
}

enum err breaker_show_change(struct buf *out, const struct breaker_change *c,
                             bool json)
{
  if (json) {
    cJSON *object = cJSON_CreateObject();
    return add_line(out, object, object && fill_change(object, c));
  }
  if (!c->scope)
    return buf_addf(
        out, "%" PRId64 " scope%s reset (%" PRId64 " open, %" PRId64 " held)\n",
        c->scopes, c->scopes == 1 ? "" : "s", c->were_open, c->were_held);
  enum err err = add_visible(out, c->scope);
  return err ? err : add_how(out, c);
}
