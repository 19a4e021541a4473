/* SPDX-License-Identifier: MIT
 *
 * progress - see progress.h.
 */
#include "flow/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/term.h"

enum { KEY_COLUMNS = 24, RATE_MEMORY_MS = 4000, MOST_COLUMNS = 500 };

/* ---- words ---- */

double progress_rate(double old, uint64_t bytes, int64_t ms)
{
  if (ms <= 0)
    return old;
  double now = (double)bytes * 1000.0 / (double)ms;
  double weight = (double)ms / (double)(ms + RATE_MEMORY_MS);
  return old > 0 ? old + (now - old) * weight : now;
}

/* Half to even, as printf rounds. */
static uint64_t rounded(double n)
{
  uint64_t whole = (uint64_t)n;
  double rest = n - (double)whole;
  return whole + (rest > 0.5 || (rest == 0.5 && whole % 2 == 1));
}

/* "940", "9.4K", "12.0M": at most five columns up to the largest objects.
 * Whole numbers, as "%.1f" would write a comma in some locales. */
static enum err add_size(struct buf *out, double n)
{
  static const char units[] = " KMGTPE";
  size_t i = 0;
  while (n >= 1000 && units[i + 1]) {
    n /= 1024;
    i++;
  }
  uint64_t tenths = rounded(n * 10);
  return i ? buf_addf(out, "%" PRIu64 ".%u%c", tenths / 10,
                      (unsigned)(tenths % 10), units[i])
           : buf_addf(out, "%" PRIu64, rounded(n));
}

/* "0:53", "1:02:03" */
static enum err add_time(struct buf *out, double seconds)
{
  uint64_t s = seconds < 360000 ? (uint64_t)seconds : 360000;
  if (s >= 3600)
    return buf_addf(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                    s / 60 % 60, s % 60);
  return buf_addf(out, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

/* The last part of the key, in a third of the line at most.  What is not ASCII
 * has a width that nobody here knows. */
static enum err add_key(struct buf *out, const char *key, size_t columns)
{
  size_t room = columns / 3 < KEY_COLUMNS ? columns / 3 : KEY_COLUMNS;
  const char *slash = strrchr(key, '/');
  const char *name = slash && slash[1] ? slash + 1 : key;
  size_t len = strlen(name), shown = len < room ? len : room;
  enum err err = ERR_OK;
  for (size_t i = len - shown; i < len && !err; i++)
    err = buf_addc(out, name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
  return err;
}

/* A server may send more than it told. */
static unsigned percent(const struct progress_view *v)
{
  return v->done < v->total ? (unsigned)(v->done / (double)v->total * 100)
                            : 100U;
}

static enum err add_amount(struct buf *out, const struct progress_view *v)
{
  enum err err = ERR_OK;
  if (v->has_total)
    err = buf_addf(out, " %3u%% ", percent(v));
  else
    err = buf_addc(out, ' ');
  if (!err)
    err = add_size(out, (double)v->done);
  if (!err && v->has_total)
    err = buf_addc(out, '/');
  return !err && v->has_total ? add_size(out, (double)v->total) : err;
}

static enum err add_speed(struct buf *out, const struct progress_view *v,
                          double rate)
{
  enum err err = ERR_OK;
  if (rate <= 0)
    return ERR_OK;
  err = buf_addc(out, ' ');
  if (!err)
    err = add_size(out, rate);
  if (!err)
    err = buf_adds(out, "/s");
  if (err || !v->has_total || v->done > v->total)
    return err;
  err = buf_addc(out, ' ');
  if (!err)
    err = add_time(out, (double)(v->total - v->done) / rate);
  return err ? err : buf_adds(out, " left");
}

static enum err add_wait(struct buf *out, const struct progress_view *v)
{
  enum err err =
      buf_addf(out, " waiting %" PRId64 " s", (v->wait_ms + 999) / 1000);
  if (!err && v->why && *v->why)
    err = buf_addf(out, ": %s", v->why);
  return err;
}

enum err progress_words(const struct progress_view *v, double rate,
                        size_t columns, struct buf *out)
{
  struct buf line = {0};
  enum err err = add_key(&line, v->key, columns);
  if (!err && v->doing)
    err = buf_addf(&line, " %s", v->doing);
  if (!err)
    err = add_amount(&line, v);
  if (!err && v->wait_ms < 0)
    err = add_speed(&line, v, rate);
  if (!err && v->attempt > 1)
    err = buf_addf(&line, " attempt %" PRIu64 "/%" PRIu64, v->attempt, v->of);
  if (!err && v->wait_ms >= 0)
    err = add_wait(&line, v);
  for (size_t i = 0; i < line.len && i < columns && !err; i++)
    err = buf_addc(
        out, line.data[i] >= ' ' && line.data[i] <= '~' ? line.data[i] : '?');
  buf_release(&line);
  return err;
}

/* ---- drawing ---- */

void progress_begin(struct progress *p, bool wanted)
{
  *p = (struct progress){.on = wanted && term_is(STDERR_FILENO)};
}

/* Nobody is left to tell when the terminal has gone. */
static void put(struct buf *line)
{
  (void)!write(STDERR_FILENO, buf_str(line), line->len);
  buf_release(line);
}

void progress_clear(void *ctx)
{
  struct progress *p = ctx;
  struct buf line = {0};
  if (!p->width)
    return;
  if (!buf_addf(&line, "\r%*s\r", (int)p->width, ""))
    put(&line);
  p->width = 0;
}

/* Hashing and moving go at different speeds, and a new attempt starts over. */
static void rate(struct progress *p, const struct progress_view *v,
                 struct now now)
{
  if (!p->rated || v->doing != p->doing || v->done < p->rated_bytes)
    p->rate = 0;
  else
    p->rate = progress_rate(p->rate, v->done - p->rated_bytes,
                            now.mono_ms - p->rated_mono_ms);
  p->rated = true;
  p->doing = v->doing;
  p->rated_bytes = v->done;
  p->rated_mono_ms = now.mono_ms;
}

/* What is shorter than what stood there is filled up with blanks; the last
 * column stays free, where some terminals would wrap. */
static void draw(struct progress *p, const struct progress_view *v)
{
  struct buf words = {0}, line = {0};
  size_t columns = term_columns(STDERR_FILENO);
  columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
  size_t old = p->width < columns ? p->width : columns - 1;
  if (!progress_words(v, p->rate, columns - 1, &words) &&
      !buf_addf(&line, "\r%s%*s", buf_str(&words),
                old > words.len ? (int)(old - words.len) : 0, ""))
    put(&line);
  p->width = words.len;
  buf_release(&words);
  buf_release(&line);
}

void progress_show(struct progress *p, const struct progress_view *v,
                   struct now now)
{
  if (!p->on ||
      (p->rated && now.mono_ms - p->drawn_mono_ms < PROGRESS_EVERY_MS))
    return;
  p->drawn_mono_ms = now.mono_ms;
  rate(p, v, now);
  draw(p, v);
}
