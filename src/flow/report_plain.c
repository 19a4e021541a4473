/* SPDX-License-Identifier: MIT
 *
 * report_plain - see report_plain.h.
 */
#include "flow/report_plain.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/registry.h"

/* One line being put together: what goes wrong once goes wrong for good. */
struct plain {
  const cJSON *json;
  struct buf *out;
  enum err err;
};

static void add(struct plain *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct plain *p, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  if (!p->err)
    p->err = buf_vaddf(p->out, fmt, ap);
  va_end(ap);
}

static const char *text(const struct plain *p, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(p->json, name);
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

static const char *word(const struct plain *p, const char *name)
{
  const char *s = text(p, name);
  return s ? s : "?";
}

/* Numbers stand in the report as digits. */
static bool number(const struct plain *p, const char *name, int64_t *n)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(p->json, name);
  uint64_t u;
  if (!cJSON_IsRaw(item) || !codec_u64(item->valuestring, 0, INT64_MAX, &u))
    return false;
  *n = (int64_t)u;
  return true;
}

static void add_ms(struct plain *p, int64_t ms)
{
  if (ms < 1000)
    add(p, "%" PRId64 " ms", ms);
  else
    add(p, "%" PRId64 ".%" PRId64 " s", ms / 1000, ms % 1000 / 100);
}

static void add_optional(struct plain *p, const char *before, const char *name)
{
  if (text(p, name))
    add(p, "%s%s", before, word(p, name));
}

/* A server's full stop is not the line's. */
static void add_message(struct plain *p)
{
  const char *message = text(p, "message");
  size_t len = message ? strlen(message) : 0;
  if (len && message[len - 1] == '.')
    len--;
  if (len)
    add(p, ": %.*s", (int)len, message);
}

/* ---- attempt ---- */

/* "503 SlowDown: Please reduce ...", "connect: Connection refused". */
static void add_answer(struct plain *p)
{
  int64_t status;
  if (number(p, "status", &status))
    add(p, "%" PRId64, status);
  else if (text(p, "error"))
    add(p, "%s", word(p, "error"));
  else
    add(p, "%s", word(p, "verdict"));
  add_optional(p, " ", "code");
  add_message(p);
}

static void add_bytes(struct plain *p)
{
  int64_t sent, received, ms;
  if (number(p, "bytes_sent", &sent) && sent)
    add(p, ", %" PRId64 " bytes sent", sent);
  if (number(p, "bytes_received", &received) && received)
    add(p, ", %" PRId64 " bytes received", received);
  if (number(p, "total_ms", &ms)) {
    add(p, " in ");
    add_ms(p, ms);
  }
}

static void add_next(struct plain *p)
{
  int64_t ms;
  add(p, "; %s", word(p, "next"));
  if (number(p, "wait_ms", &ms)) {
    add(p, " in ");
    add_ms(p, ms);
  }
  add_optional(p, ", ", "why");
}

static void attempt(struct plain *p)
{
  int64_t n = 0, of = 0;
  (void)number(p, "attempt", &n);
  (void)number(p, "of", &of);
  add(p, "%s attempt %" PRId64 "/%" PRId64 ": ", word(p, "op"), n, of);
  add_answer(p);
  add_bytes(p);
  add_next(p);
}

/* ---- the others ---- */

static void wait(struct plain *p)
{
  int64_t ms = 0;
  (void)number(p, "wait_ms", &ms);
  add(p, "waiting ");
  add_ms(p, ms);
  add_optional(p, ": ", "why");
}

static void breaker(struct plain *p)
{
  int64_t ms;
  add(p, "breaker of %s: %s -> %s", word(p, "scope"), word(p, "from"),
      word(p, "to"));
  if (number(p, "open_ms", &ms)) {
    add(p, " for ");
    add_ms(p, ms);
  }
}

static void warning(struct plain *p)
{
  add(p, "warning");
  add_optional(p, ": ", "why");
  add_optional(p, ": ", "file");
}

static void add_number(struct plain *p, const char *before, const char *name,
                       const char *unit)
{
  int64_t n;
  if (number(p, name, &n))
    add(p, "%s%" PRId64 "%s", before, n, unit);
}

static void add_object(struct plain *p)
{
  add_number(p, ", ", "bytes", " bytes");
  add_number(p, ", ", "size", " bytes");
  add_optional(p, ", last modified ", "last_modified");
  add_optional(p, ", storage class ", "storage_class");
  add_optional(p, ", etag ", "etag");
  add_optional(p, ", version ", "version_id");
  add_optional(p, ", ", "checksum");
  add_optional(p, ", ", "url");
}

static void add_failure(struct plain *p)
{
  int64_t ms;
  add_message(p);
  add_optional(p, ", ", "why");
  add_number(p, "; come back in ", "throttled_seconds", " s");
  if (number(p, "wait_ms", &ms)) {
    add(p, "; open for ");
    add_ms(p, ms);
  }
}

static const char *scheme(const struct plain *p)
{
  const char *name = text(p, "provider");
  const struct provider *provider = name ? registry_named(name) : NULL;
  return provider ? provider->scheme : "s3";
}

static void add_url(struct plain *p)
{
  const char *account = text(p, "account");
  const char *of = scheme(p);
  bool named = account || strcmp(of, "oci") == 0;
  add(p, " %s://%s%s%s/%s", of, account ? account : "", named ? "/" : "",
      word(p, "bucket"), word(p, "key"));
}

static void result(struct plain *p)
{
  int64_t ms = 0, attempts = 0, status = 0;
  (void)number(p, "exit", &status);
  (void)number(p, "attempts", &attempts);
  (void)number(p, "elapsed_ms", &ms);
  add(p, "%s", word(p, "outcome"));
  if (status)
    add(p, " (exit %" PRId64 ")", status);
  if (text(p, "bucket"))
    add_url(p);
  if (status)
    add_failure(p);
  else
    add_object(p);
  add(p, "; %" PRId64 " attempt%s in ", attempts, attempts == 1 ? "" : "s");
  add_ms(p, ms);
}

enum err report_plain(const void *json, struct buf *out)
{
  static const struct {
    const char *event;
    void (*say)(struct plain *p);
  } events[] = {{"attempt", attempt},
                {"wait", wait},
                {"breaker", breaker},
                {"warning", warning},
                {"result", result}};
  struct buf line = {0};
  struct plain p = {.json = json, .out = &line};
  const char *event = word(&p, "event");
  add(&p, "%s ", word(&p, "time"));
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    if (strcmp(event, events[i].event) == 0)
      events[i].say(&p);
  if (!p.err)
    p.err = codec_visible(out, buf_str(&line), line.len);
  buf_release(&line);
  return p.err;
}
