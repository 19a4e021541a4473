/* SPDX-License-Identifier: MIT
 *
 * fuzz_input - what must hold of the configuration file, of options' values and
 * headers, of what a server says it signed, and of the line on a terminal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/xml.h"
#include "cli/config_header.h"
#include "cli/opt.h"
#include "cli/opt_check.h"
#include "cli/opt_file.h"
#include "cloud/sign_diff.h"
#include "cloud/xmlapi.h"
#include "flow/progress.h"
#include "fuzz.h"
#include "policy/backoff.h"
#include "tool.h"

/* ---- the configuration file ---- */

static enum err read_config(const char *path, enum opt_programs program,
                            char *url, struct opt *o, struct error *e)
{
  *o = (struct opt){.program = program, .operands = &url, .n_operands = 1};
  must(opt_store(o, OPT_CONFIG, OPT_RANK_FLAG, "--config", path, strlen(path),
                 NULL));
  return opt_file_read(o, e);
}

/* A value stands where its option may, has passed the check and knows its
 * line. */
static void check_values(const struct opt *o, const char *path)
{
  char variable[48];
  for (int id = 0; id < OPT_COUNT; id++) {
    const struct opt_value *v = &o->values[id];
    if (id == OPT_CONFIG || !v->n)
      continue;
    hold(opt_env_name((enum opt_id)id, variable), "no flag of the line alone");
    hold(opt_rows[id].programs & o->program, "one of this program's");
    hold(v->rank == OPT_RANK_FILE || v->rank == OPT_RANK_BUCKET, "a file's");
    hold(codec_starts_with(v->source, path) && v->source[strlen(path)] == ':',
         "knows its line");
    for (size_t i = 0; i < v->n; i++)
      hold(opt_check((enum opt_id)id, "x", v->texts[i], NULL) == ERR_OK,
           "is a value");
  }
}

/* Whether the file is right does not depend on who reads it. */
void fuzz_config(const char *s, size_t len)
{
  static const struct {
    enum opt_programs program;
    const char *url;
  } readers[] = {{OPT_PUT, "s3://bucket/k"},
                 {OPT_GET, "s3://other/k"},
                 {OPT_STATE, "list"}};
  char path[40];
  enum err first = ERR_OK;
  int fd = memfd_create("config", 0);
  if (fd < 0 || fchmod(fd, 0600) != 0 || write(fd, s, len) != (ssize_t)len)
    exit(TOOL_BAD_LINE);
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int i = 0; i < 3; i++) {
    struct opt o;
    struct error e = {0};
    char url[16];
    (void)snprintf(url, sizeof url, "%s", readers[i].url);
    enum err err = read_config(path, readers[i].program, url, &o, &e);
    hold(err == ERR_OK || err == ERR_USAGE, "right or wrong");
    hold(err == ERR_OK || codec_starts_with(e.msg, path), "names the file");
    hold(i == 0 || err == first, "for all programs");
    first = err;
    check_values(&o, path);
    opt_release(&o);
  }
  close(fd);
}

/* ---- values and headers ---- */

/* An option's number, then its value. */
/* What is read can be printed, and that means the same. */
static void hold_backoff(const char *s)
{
  struct backoff b, again;
  char text[BACKOFF_TEXT_MAX], twice[BACKOFF_TEXT_MAX];
  if (backoff_parse(s, &b) != NULL)
    return;
  backoff_text(&b, text);
  hold(backoff_parse(text, &again) == NULL, "its text is one");
  backoff_text(&again, twice);
  hold(strcmp(text, twice) == 0, "the same text");
  int64_t wait = backoff_wait(&b, (uint64_t)s[0] * 7, 1000, UINT64_MAX);
  hold(wait >= 0 && wait <= BACKOFF_LONGEST_MS * INT64_C(3) / 2, "a wait");
}

void fuzz_value(const char *s, size_t len)
{
  struct error e = {0};
  struct range range;
  if (len == 0)
    return;
  enum opt_id id = (enum opt_id)((unsigned char)s[0] % OPT_COUNT);
  enum err err = opt_check(id, "SOURCE", s + 1, &e);
  hold(err == e.code && (err == ERR_OK || err == ERR_USAGE),
       "an error is said");
  hold(err == ERR_OK || codec_starts_with(e.msg, "SOURCE"), "names its source");
  if (opt_range(s + 1, &range))
    hold(s[1 + strspn(s + 1, "0123456789-")] == 0, "a range is digits");
  hold_backoff(s + 1);
}

void fuzz_header(const char *s, size_t len)
{
  struct kv kv = {0};
  struct error e = {0};
  (void)len;
  if (s[0] == '@')
    return;
  enum err err = config_header(&kv, "-H", s, &e);
  hold(err == ERR_OK || (err == ERR_USAGE && kv.n == 0), "all or nothing");
  for (size_t i = 0; i < kv.n; i++) {
    const struct kv_pair *p = &kv.pairs[i];
    hold(codec_is_token(p->name, strlen(p->name)), "a name");
    hold(!strpbrk(p->value, "\r\n"), "one line");
    hold(!codec_equal_nocase(p->name, "authorization") &&
             !codec_equal_nocase(p->name, "host") &&
             !codec_equal_nocase(p->name, "x-amz-content-sha256"),
         "not ours");
  }
  kv_release(&kv);
}

void fuzz_range(const char *s, size_t len)
{
  uint64_t first = 1, last = 0, total = 0;
  struct buf text = {0};
  (void)len;
  if (xmlapi_content_range(s, &first, &last, &total)) {
    hold(first <= last && last < total && total <= INT64_MAX, "in order");
    say(&text, "bytes %llu-%llu/%llu", (unsigned long long)first,
        (unsigned long long)last, (unsigned long long)total);
    uint64_t f, l, t;
    hold(xmlapi_content_range(buf_str(&text), &f, &l, &t) && f == first &&
             l == last && t == total,
         "reads the same");
  }
  if (xmlapi_unsatisfied_range(s, &total))
    hold(total <= INT64_MAX && strncmp(s, "bytes */", 8) == 0, "a total");
  buf_release(&text);
}

/* ---- a refused signature ---- */

static const char token[] = "FwoGZXIvYXdzEBYaDKsecret/Token+0123456789==";

/* S, each $ replaced by the token. */
static void with_token(struct buf *out, const char *s)
{
  for (; *s; s++)
    if (*s == '$')
      say(out, "%s", token);
    else
      say_bytes(out, s, 1);
}

static bool has_part(const char *s)
{
  enum { PART = 8 };
  char part[PART + 1] = "";
  for (size_t i = 0; i + PART < sizeof token; i++) {
    memcpy(part, token + i, PART);
    if (strstr(s, part))
      return true;
  }
  return false;
}

/* The scrubber knows the whole token; no part of it may get there. */
static void check_words(const struct buf *words)
{
  hold(strpbrk(buf_str(words), "\r\n") == NULL, "one line");
  hold(!has_part(buf_str(words)), "no part of a token");
}

static void ours(struct sign_trace *t)
{
  say(&t->canonical_request,
      "PUT\n/b/k\na=1\nhost:h\nx-amz-date:20260115T120000Z\n"
      "x-amz-security-token:%s\n\nhost;x-amz-date;x-amz-security-token\nd",
      token);
  say(&t->string_to_sign, "AWS4-HMAC-SHA256\n20260115T120000Z\nscope\nhash");
}

/* What a server says that it signed: the canonical request, and behind a byte
 * of 1 the string to sign. */
void fuzz_diff(const char *s, size_t len)
{
  struct sign_trace trace = {{0}, {0}};
  struct buf theirs = {0}, words = {0};
  (void)len;
  /* Half a token that a server made up is nothing we can know. */
  if (has_part(s))
    return;
  ours(&trace);
  with_token(&theirs, s);
  char *second = strchr(theirs.data ? theirs.data : (char[]){""}, 1);
  if (second)
    *second++ = '\0';
  must(sign_diff(&trace, buf_str(&theirs), second, &words));
  check_words(&words);
  hold((words.len == 0) == (!*buf_str(&theirs) && (!second || !*second)),
       "something is said when there is something");
  buf_clear(&words);
  must(sign_diff(&trace, buf_str(&trace.canonical_request), NULL, &words));
  hold(strstr(buf_str(&words), "the same text") != NULL,
       "the same is the same");
  buf_release(&words);
  buf_release(&theirs);
  sign_trace_release(&trace);
}

static bool body_has_part(const char *s)
{
  struct xml_want wants[] = {{.path = "Error/CanonicalRequest"},
                             {.path = "Error/StringToSign"}};
  bool part = false;
  (void)xml_read(s, strlen(s), wants, 2, NULL);
  for (size_t i = 0; i < 2; i++) {
    part = part || has_part(buf_str(&wants[i].text));
    buf_release(&wants[i].text);
  }
  return part;
}

/* The same out of an answer's body. */
void fuzz_refused(const char *s, size_t len)
{
  struct sign_trace trace = {{0}, {0}};
  struct response r = {.status = 403};
  struct op_result result = {0};
  struct buf words = {0};
  (void)len;
  if (body_has_part(s))
    return;
  ours(&trace);
  with_token(&r.body, s);
  must(xmlapi_refused_signature(&r, &trace, &words));
  check_words(&words);
  if (xmlapi_error(&r, &result)) {
    hold(codec_is_utf8(result.code, strlen(result.code)), "code");
    hold(codec_is_utf8(result.message, strlen(result.message)), "message");
    hold(codec_is_utf8(result.region, strlen(result.region)), "region");
  }
  buf_release(&words);
  response_release(&r);
  sign_trace_release(&trace);
}

/* ---- the line on a terminal ---- */

/* Eight bytes of numbers, then the key and the why. */
void fuzz_progress(const char *s, size_t len)
{
  struct buf words = {0};
  uint64_t n;
  if (len < sizeof n)
    return;
  memcpy(&n, s, sizeof n);
  size_t columns = n % 200;
  struct progress_view v = {.key = s + sizeof n,
                            .done = n,
                            .total = n ^ n << 7,
                            .has_total = n & 1,
                            .attempt = n % 5,
                            .of = 4,
                            .wait_ms = n & 2 ? (int64_t)(n >> 2) : -1,
                            .why = s + sizeof n + (len - sizeof n) / 2};
  must(progress_words(&v, progress_rate(0, n, (int64_t)(n >> 32)), columns,
                      &words));
  hold(words.len <= columns, "fits");
  for (size_t i = 0; i < words.len; i++)
    hold(words.data[i] >= ' ' && words.data[i] <= '~', "plain");
  buf_release(&words);
}
