/* SPDX-License-Identifier: MIT
 *
 * report - see report.h.
 */
#include "flow/report.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "flow/report_plain.h"

enum kind { TEXT, NUMBER, FLAG, MAP };

static const struct {
  const char *name;
  enum kind kind;
  const char *events;
} fields[REPORT_FIELD_COUNT] = {
#define FIELD(id, name, kind, events) [REPORT_##id] = {name, kind, events},
#include "flow/report.def"
#undef FIELD
};

static const struct {
  const char *name;
  char letter;
} events[] = {
    [REPORT_EVENT_ATTEMPT] = {"attempt", 'A'},
    [REPORT_EVENT_WAIT] = {"wait", 'W'},
    [REPORT_EVENT_BREAKER] = {"breaker", 'B'},
    [REPORT_EVENT_WARNING] = {"warning", 'G'},
    [REPORT_EVENT_RESULT] = {"result", 'R'},
};

/* How long a full pipe may hold up the run for one line. */
enum { WRITE_PATIENCE_MS = 2000 };

static enum err open_fd(struct report *r, const char *digits, struct error *e)
{
  uint64_t fd;
  if (!codec_u64(digits, 0, 1 << 20, &fd) || fcntl((int)fd, F_GETFD) == -1)
    return err_set(e, ERR_USAGE, "'%.80s' is not an open descriptor", digits);
  r->fd = (int)fd;
  return ERR_OK;
}

/* O_NONBLOCK: a FIFO that nobody reads must not hold up the run. */
static void open_file(struct report *r, const char *path)
{
  r->fd = open(
      path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
      0666);
  r->owned = r->fd >= 0;
  if (r->fd < 0)
    log_warning(r->log, "report %s: %s", path, strerror(errno));
}

enum err report_open(struct report *r, const char *where, int default_fd,
                     const struct log *log, uint64_t run, struct error *e)
{
  *r = (struct report){.fd = default_fd, .log = log};
  snprintf(r->run, sizeof r->run, "%016" PRIx64, run);
  if (!where)
    return ERR_OK;
  if (where[strspn(where, "0123456789")] == '\0')
    return open_fd(r, where, e);
  r->fd = -1;
  if (strcmp(where, "none") != 0)
    open_file(r, where);
  return ERR_OK;
}

bool report_on_stderr(const struct report *r)
{
  return r->fd == STDERR_FILENO;
}

struct report_line report_begin(struct report *r, enum report_event event,
                                int64_t wall_ms)
{
  struct report_line l = {.report = r, .event = events[event].letter};
  char time[DATE_MAX];
  if (r->fd < 0 || r->broken)
    return l;
  l.json = cJSON_CreateObject();
  date_iso_ms(wall_ms, time);
  cJSON_AddStringToObject(l.json, "event", events[event].name);
  cJSON_AddStringToObject(l.json, "time", time);
  cJSON_AddStringToObject(l.json, "run", r->run);
  return l;
}

/* A field outside its events would break the promise of the table. */
static bool wanted(const struct report_line *l, enum report_field f,
                   enum kind kind)
{
  return l->json && fields[f].kind == kind &&
         strchr(fields[f].events, l->event) != NULL;
}

static void add_clean(cJSON *to, const char *name, const char *s)
{
  struct buf clean = {0};
  if (!codec_utf8_clean(&clean, s, strlen(s)))
    cJSON_AddStringToObject(to, name, buf_str(&clean));
  buf_release(&clean);
}

void report_text(struct report_line *l, enum report_field f, const char *s)
{
  if (s && *s && wanted(l, f, TEXT))
    add_clean(l->json, fields[f].name, s);
}

/* As digits: cJSON's numbers are doubles and would lose a large size. */
void report_number(struct report_line *l, enum report_field f, int64_t n)
{
  char digits[24];
  if (n < 0 || !wanted(l, f, NUMBER))
    return;
  snprintf(digits, sizeof digits, "%" PRId64, n);
  cJSON_AddRawToObject(l->json, fields[f].name, digits);
}

void report_decimal(struct report_line *l, enum report_field f, int64_t n)
{
  char digits[CODEC_THOUSANDTHS_MAX];
  if (n < 0 || !wanted(l, f, NUMBER))
    return;
  codec_thousandths_text(n, digits);
  cJSON_AddRawToObject(l->json, fields[f].name, digits);
}

void report_flag(struct report_line *l, enum report_field f, bool v)
{
  if (wanted(l, f, FLAG))
    cJSON_AddBoolToObject(l->json, fields[f].name, v);
}

void report_map(struct report_line *l, enum report_field f, const struct kv *kv)
{
  if (!kv->n || !wanted(l, f, MAP))
    return;
  cJSON *map = cJSON_AddObjectToObject(l->json, fields[f].name);
  for (size_t i = 0; i < kv->n; i++)
    if (!cJSON_GetObjectItemCaseSensitive(map, kv->pairs[i].name))
      add_clean(map, kv->pairs[i].name, kv->pairs[i].value);
}

void report_key(struct report_line *l, const char *key)
{
  struct buf b64 = {0};
  report_text(l, REPORT_KEY, key);
  if (!codec_is_utf8(key, strlen(key)) && !hash_base64(&b64, key, strlen(key)))
    report_text(l, REPORT_KEY_B64, buf_str(&b64));
  buf_release(&b64);
}

static void broken(struct report *r, const char *why)
{
  r->broken = true;
  log_warning(r->log, "report: %s", why);
}

/* One write a line; the loop is for a pipe that is full.  Asking first keeps a
 * reader that has stopped reading from stopping us in a write that blocks. */
static void write_line(struct report *r, const struct buf *line)
{
  size_t done = 0;
  log_clear(r->log);
  while (done < line->len) {
    struct pollfd p = {.fd = r->fd, .events = POLLOUT};
    int ready = poll(&p, 1, WRITE_PATIENCE_MS);
    if (ready == 0)
      return broken(r, "the reader is not reading");
    ssize_t n =
        ready < 0 ? -1 : write(r->fd, line->data + done, line->len - done);
    if (n >= 0)
      done += (size_t)n;
    else if (errno != EAGAIN && errno != EINTR)
      return broken(r, strerror(errno));
  }
}

static enum err print(const cJSON *json, struct buf *out)
{
  char *text = cJSON_PrintUnformatted(json);
  enum err err = text ? codec_json_visible(out, text) : ERR_INTERNAL;
  cJSON_free(text);
  return err;
}

void report_end(struct report_line *l)
{
  struct buf line = {0};
  if (!l->json)
    return;
  enum err err =
      l->report->plain ? report_plain(l->json, &line) : print(l->json, &line);
  cJSON_Delete(l->json);
  l->json = NULL;
  if (!err && !log_scrub(l->report->log, &line) && !buf_addc(&line, '\n'))
    write_line(l->report, &line);
  else
    broken(l->report, "out of memory");
  buf_release(&line);
}

void report_note(struct report *r, int64_t wall_ms, const char *why,
                 const char *file)
{
  struct report_line l = report_begin(r, REPORT_EVENT_WARNING, wall_ms);
  report_text(&l, REPORT_WHY, why);
  report_text(&l, REPORT_FILE, file);
  report_end(&l);
}

void report_warning(struct report *r, int64_t wall_ms, const char *why,
                    const char *file, const char *text)
{
  report_note(r, wall_ms, why, file);
  if (!report_on_stderr(r))
    log_warning(r->log, "%s%s%s", file ? file : "", file ? ": " : "", text);
}

void report_close(struct report *r)
{
  if (r->owned)
    close(r->fd);
  r->fd = -1;
  r->owned = false;
}
