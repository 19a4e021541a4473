/* SPDX-License-Identifier: MIT
 *
 * breaker_metrics - a part of cli/breaker_show: the same for Prometheus, in its
 * text exposition format, version 0.0.4.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "cli/breaker_show.h"

/* Prometheus has no milliseconds: all values are thousandths until printed. */
enum { THOUSAND = 1000 };

static int64_t state(const struct scope *s, int64_t wall_ms)
{
  switch (breaker_mode_at(&s->breaker, wall_ms)) {
  case BREAKER_CLOSED:
    break;
  case BREAKER_HALF_OPEN:
    return THOUSAND;
  case BREAKER_OPEN:
    return 2 * THOUSAND;
  }
  return 0;
}

static int64_t open_left(const struct scope *s, int64_t wall_ms)
{
  return s->breaker.open ? span_left_ms(&s->breaker.opened, wall_ms) : 0;
}

static int64_t hold_left(const struct scope *s, int64_t wall_ms)
{
  return span_left_ms(&s->hold, wall_ms);
}

/* -1: no sample. */
static int64_t tokens(const struct scope *s, int64_t wall_ms)
{
  return s->budget.max ? budget_left(&s->budget, s->budget.max, wall_ms) : -1;
}

static int64_t last_success(const struct scope *s, int64_t wall_ms)
{
  (void)wall_ms;
  return s->success_at_ms ? s->success_at_ms : -1;
}

#define COUNTER(name)                                                 \
  static int64_t count_##name(const struct scope *s, int64_t wall_ms) \
  {                                                                   \
    (void)wall_ms;                                                    \
    return s->counters.name * THOUSAND;                               \
  }
SCOPE_COUNTERS(COUNTER)
#undef COUNTER

/* Rows of the same name follow one another. */
static const struct row {
  const char *name, *type, *help, *reason;
  int64_t (*value)(const struct scope *s, int64_t wall_ms);
} rows[] = {
    {"ank_breaker_state", "gauge",
     "The breaker: 0 closed, 1 half open, 2 open.", NULL, state},
    {"ank_breaker_open_seconds", "gauge",
     "How long it stays open before a probe.", NULL, open_left},
    {"ank_breaker_opened_total", "counter", "How often it opened.", NULL,
     count_opened},
    {"ank_breaker_rejected_total", "counter",
     "Runs that ended because it was open.", NULL, count_rejected},
    {"ank_hold_off_seconds", "gauge", "What is left of a Retry-After.", NULL,
     hold_left},
    {"ank_throttled_total", "counter", "Answers that asked to slow down.", NULL,
     count_throttled},
    {"ank_requests_total", "counter", "Requests made.", NULL, count_requests},
    {"ank_attempts_total", "counter", "Attempts of them.", NULL,
     count_attempts},
    {"ank_retries_total", "counter", "Retries made, by reason.", "transient",
     count_retries_transient},
    {"ank_retries_total", "", "", "throttled", count_retries_throttled},
    {"ank_retries_total", "", "", "local", count_retries_local},
    {"ank_retries_total", "", "", "integrity", count_retries_integrity},
    {"ank_retries_suppressed_total", "counter",
     "Retries not made for want of tokens.", NULL, count_suppressed},
    {"ank_retry_budget_tokens", "gauge", "What is left of the retry budget.",
     NULL, tokens},
    {"ank_sent_bytes_total", "counter", "Body bytes sent.", NULL,
     count_bytes_sent},
    {"ank_received_bytes_total", "counter", "Body bytes received.", NULL,
     count_bytes_received},
    {"ank_last_success_timestamp_seconds", "gauge",
     "When the last request that succeeded was sent.", NULL, last_success},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* A label's value: UTF-8, with backslash, quote and newline escaped. */
static enum err add_label(struct buf *out, const char *s)
{
  struct buf clean = {0};
  enum err err = codec_utf8_clean(&clean, s, strlen(s));
  for (const char *p = buf_str(&clean); *p && !err; p++)
    if (*p == '\n')
      err = buf_adds(out, "\\n");
    else if (*p == '\\' || *p == '"')
      err = buf_addf(out, "\\%c", *p);
    else
      err = buf_addc(out, *p);
  buf_release(&clean);
  return err;
}

static enum err add_sample(struct buf *out, const struct row *r,
                           const char *scope, int64_t value)
{
  char number[CODEC_THOUSANDTHS_MAX];
  codec_thousandths_text(value, number);
  enum err err = buf_addf(out, "%s{scope=\"", r->name);
  if (!err)
    err = add_label(out, scope);
  if (!err && r->reason)
    err = buf_addf(out, "\",reason=\"%s", r->reason);
  return err ? err : buf_addf(out, "\"} %s\n", number);
}

/* A damaged file may have a scope twice; a sample must not be. */
static bool comes_again(const struct breaker_entry *list, size_t n, size_t i)
{
  for (size_t k = i + 1; k < n; k++)
    if (strcmp(buf_str(&list[k].name), buf_str(&list[i].name)) == 0)
      return true;
  return false;
}

static enum err add_row(struct buf *out, const struct row *r,
                        const struct breaker_entry *list, size_t n,
                        int64_t wall_ms)
{
  enum err err = ERR_OK;
  if (r->type[0])
    err = buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", r->name, r->help,
                   r->name, r->type);
  for (size_t i = 0; i < n && !err; i++) {
    int64_t value = r->value(&list[i].scope, wall_ms);
    if (value >= 0 && !comes_again(list, n, i))
      err = add_sample(out, r, buf_str(&list[i].name), value);
  }
  return err;
}

enum err breaker_show_metrics(struct buf *out, const struct breaker_entry *list,
                              size_t n, int64_t wall_ms)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < N_ROWS && !err; i++)
    err = add_row(out, &rows[i], list, n, wall_ms);
  return err;
}
