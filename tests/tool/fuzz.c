/* SPDX-License-Identifier: MIT
 *
 * fuzz - see fuzz.h.  Every S is followed by a NUL that LEN does not count.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/ini.h"
#include "base/uri.h"
#include "base/xml.h"
#include "cloud/target.h"
#include "cloud/weburl.h"
#include "policy/retry.h"
#include "tool.h"

void hold(bool property, const char *what)
{
  if (property)
    return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

static bool same(const struct buf *b, const char *s, size_t len)
{
  return b->len == len && (len == 0 || memcmp(b->data, s, len) == 0);
}

/* Encoded and decoded again it is what it was. */
static void fuzz_round_trips(const char *s, size_t len)
{
  struct buf code = {0};
  struct buf back = {0};
  must(codec_percent(&code, s, len, len % 2 == 0));
  must(codec_unpercent(&back, buf_str(&code), code.len));
  hold(same(&back, s, len), "percent");
  buf_clear(&code);
  buf_clear(&back);
  must(hash_base64(&code, s, len));
  hold(hash_unbase64(&back, buf_str(&code), code.len), "base64 is read");
  hold(same(&back, s, len), "base64");
  buf_clear(&back);
  if (hash_unbase64(&back, s, len)) {
    buf_clear(&code);
    must(hash_base64(&code, buf_str(&back), back.len));
    hold(same(&code, s, len), "base64 has one spelling");
  }
  buf_release(&code);
  buf_release(&back);
}

static void fuzz_numbers(const char *s)
{
  uint64_t size = 0;
  int64_t ms = 0;
  uint64_t whole = 0;
  bool flag;
  if (codec_size(s, &size))
    hold(size <= INT64_MAX, "a size fits");
  if (codec_duration_ms(s, &ms))
    hold(ms >= 0 && ms <= INT64_MAX / 4, "a duration fits");
  if (codec_epoch_ms(s, &ms))
    hold(ms >= 0, "an epoch fits");
  if (codec_u64(s, 10, 20, &whole))
    hold(whole >= 10 && whole <= 20, "a number keeps its limits");
  codec_bool(s, &flag);
}

void fuzz_codec(const char *s, size_t len)
{
  struct buf text = {0};
  fuzz_numbers(s);
  fuzz_round_trips(s, len);
  must(codec_utf8_clean(&text, s, len));
  hold(codec_is_utf8(buf_str(&text), text.len), "clean is UTF-8");
  hold(!codec_is_utf8(s, len) || same(&text, s, len), "clean stays");
  buf_clear(&text);
  must(codec_visible(&text, s, len));
  hold(codec_is_utf8(buf_str(&text), text.len), "visible is UTF-8");
  for (size_t i = 0; i < text.len; i++)
    hold((unsigned char)text.data[i] >= 0x20 && text.data[i] != 0x7F,
         "visible has no control characters");
  buf_release(&text);
}

void fuzz_date(const char *s, size_t len)
{
  static const int64_t now_ms = INT64_C(1768478400000);
  /* What four digits can say; a leap second or a zone may lead beyond. */
  static const int64_t first_s = INT64_C(-62167219200);
  static const int64_t last_s = INT64_C(253402300799);
  char text[DATE_MAX];
  int64_t t = 0;
  int64_t again = 0;
  (void)len;
  if (date_parse_http(s, now_ms, &t) && t <= last_s) {
    date_http(t, text);
    hold(date_parse_http(text, now_ms, &again) && again == t, "HTTP-date");
  }
  if (date_parse_basic(s, &t) && t <= last_s) {
    date_basic(t, text);
    hold(date_parse_basic(text, &again) && again == t, "basic date");
  }
  if (date_parse_iso(s, &t) && t >= first_s * 1000 && t < last_s * 1000) {
    date_iso_ms(t, text);
    hold(date_parse_iso(text, &again) && again == t, "ISO date");
  }
}

static bool is_trimmed(const char *s)
{
  size_t n = strlen(s);
  return n == 0 || (strchr(" \t\r", s[0]) == NULL && //
                    strchr(" \t\r", s[n - 1]) == NULL);
}

static enum err check_pair(void *ctx, const char *section, const char *name,
                           const char *value, int line, struct error *e)
{
  int *last = ctx;
  (void)e;
  hold(line > *last, "lines go up");
  hold(name[0] != '\0' && strchr(name, '=') == NULL, "a name");
  hold(is_trimmed(section) && is_trimmed(name) && is_trimmed(value), "trimmed");
  *last = line;
  return ERR_OK;
}

void fuzz_ini(const char *s, size_t len)
{
  struct error e = {0};
  int last = 0;
  enum err err = ini_parse(s, len, check_pair, &last, &e);
  hold(err == e.code, "an error is said");
  hold(err == ERR_OK || err == ERR_USAGE, "only usage");
}

void fuzz_xml(const char *s, size_t len)
{
  struct xml_want wants[] = {{.path = "a"}, {.path = "a/b"}, {.path = "a/b/c"}};
  struct buf root = {0};
  struct buf text = {0};
  bool whole = xml_read(s, len, wants, 3, &root);
  hold(!whole || strchr(s, '>') != NULL, "a document has an element");
  for (size_t i = 0; i < 3; i++) {
    hold(wants[i].found || wants[i].text.len == 0, "half an element");
    hold(codec_is_utf8(buf_str(&wants[i].text), wants[i].text.len), "UTF-8");
    buf_release(&wants[i].text);
  }
  must(buf_adds(&text, "<a>"));
  must(xml_escape(&text, s));
  must(buf_adds(&text, "</a>"));
  wants[0] = (struct xml_want){.path = "a"};
  if (xml_read(buf_str(&text), text.len, wants, 1, NULL))
    hold(same(&wants[0].text, s, strlen(s)), "escaped text is read as it was");
  buf_release(&wants[0].text);
  buf_release(&root);
  buf_release(&text);
}

void fuzz_target(const char *s, size_t len)
{
  struct target t = {0};
  struct buf again = {0};
  (void)len;
  if (target_parse(s, &t, NULL) != ERR_OK) {
    hold(t.bucket == NULL && t.key == NULL, "untouched");
    return;
  }
  size_t key = strlen(t.key);
  must(target_place(&again, &t));
  if (strcmp(t.scheme, "oci") != 0) /* which has two forms */
    hold(again.len <= strlen(s) && memcmp(s, buf_str(&again), again.len) == 0,
         "the place as it was");
  hold(key <= strlen(s) && strcmp(s + strlen(s) - key, t.key) == 0,
       "the key byte for byte");
  hold(t.account || !target_bucket_is_label(t.bucket) ||
           uri_is_hostname(t.bucket),
       "a label is a host name");
  buf_release(&again);
  target_release(&t);
}

static enum err no_part(void *ctx, const char *secret)
{
  const char *shown = ctx;
  hold(strlen(secret) < 8 || strstr(shown, secret) == NULL, "nothing secret");
  return ERR_OK;
}

/* The key is the path, decoded once; what is signed is kept as it was; a
 * message holds no signature. */
void fuzz_weburl(const char *s, size_t len)
{
  static const char *const providers[] = {NULL, "s3", "gcs", "azure", "oci"};
  const struct weburl_wish wish = {.provider = providers[len % 5]};
  struct target t = {0};
  struct error e = {0};
  if (weburl_parse(s, &wish, &t, &e) != ERR_OK) {
    hold(t.bucket == NULL && t.web.path == NULL, "untouched");
    must(weburl_is(s) ? weburl_secrets(s, no_part, e.msg) : ERR_OK);
    return;
  }
  struct buf encoded = {0}, again = {0};
  must(codec_percent(&encoded, t.key, strlen(t.key), true));
  must(codec_unpercent(&again, buf_str(&encoded), encoded.len));
  hold(same(&again, t.key, strlen(t.key)), "the key byte for byte");
  hold(t.bucket[0] != '\0', "a bucket");
  hold(!t.web.path || strstr(s, t.web.path), "the path as it was");
  hold(!t.web.query || strstr(s, t.web.query), "the query as it was");
  hold(!target_is_signed(&t) || t.web.endpoint, "the host as it was");
  buf_release(&encoded);
  buf_release(&again);
  target_release(&t);
}

void fuzz_uri(const char *s, size_t len)
{
  struct uri u = {0};
  struct uri v = {0};
  struct error e = {0};
  struct buf text = {0};
  (void)len;
  must(uri_redact(&text, s));
  buf_clear(&text);
  if (uri_parse(s, &u, &e) != ERR_OK) {
    hold(e.code != ERR_OK && u.host == NULL, "untouched, and said why");
    buf_release(&text);
    return;
  }
  say(&text, "%s://", u.https ? "https" : "http");
  must(uri_authority(&text, &u));
  say(&text, "%s", u.path);
  must(uri_parse(buf_str(&text), &v, &e));
  hold(u.https == v.https && u.port == v.port, "scheme and port");
  hold(strcmp(u.host, v.host) == 0 && strcmp(u.path, v.path) == 0, "the rest");
  hold(uri_is_loopback(&u) == uri_is_loopback(&v), "loopback");
  uri_release(&u);
  uri_release(&v);
  buf_release(&text);
}

/* Retry-After first, then a step with it under a deadline. */
void fuzz_retry(const char *s, size_t len)
{
  static const struct retry_policy p = {
      .retries = 2,
      .backoff = {.list_ms = {200, 1000, 5000}, .n = 3},
      .max_retry_after_ms = 300000};
  struct kv headers = {0};
  struct now now = {.mono_ms = 1000, .wall_ms = INT64_C(1768478400000)};
  uint64_t dice = len > 0 ? (uint64_t)(unsigned char)s[len - 1] << 56 : 0;
  int64_t left = (int64_t)len * 97;
  if (kv_add(&headers, "Retry-After", s, NULL) != ERR_OK) {
    kv_release(&headers);
    return;
  }
  struct retry_after after = retry_after_read(&headers, now.wall_ms);
  hold(after.ms >= -1 && after.ms <= INT64_MAX / 4, "a wait fits");
  hold((after.ms < 0) == after.invalid, "read or invalid");
  struct retry_ask ask = {true, after.ms, 0};
  struct retry_state state = {.retries = len % 4};
  struct retry_step step =
      retry_next(&p, &state, &ask, now.mono_ms + left, now, dice);
  if (step.why == RETRY_GO) {
    hold(state.retries < 2, "retries are left");
    hold(step.wait_ms >= after.ms, "never before Retry-After");
    hold(step.wait_ms < left, "something is left for the attempt");
  }
  hold(step.throttled == (step.why != RETRY_GO && after.ms >= 0), "throttled");
  kv_release(&headers);
}
