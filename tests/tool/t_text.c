/* SPDX-License-Identifier: MIT
 *
 * t_text - base/err, base/buf, base/kv and base/uri as commands.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/uri.h"
#include "tool.h"

/* The status of an outcome's name; "interrupted" is asked for SIGTERM. */
static void exit_line(const struct buf *in, struct buf *out)
{
  for (int code = 0; code < ERR_COUNT; code++)
    if (strcmp(err_name((enum err)code), buf_str(in)) == 0)
      say(out, "%d%s", err_exit_status((enum err)code, 15),
          err_is_success((enum err)code) ? " success" : "");
  if (out->len == 0)
    say(out, "no such outcome");
}

/* "N TEXT [PREFIX]": N times TEXT as a message, a prefix put before it; how
 * long it got and whether it is whole UTF-8. */
static void message_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  struct buf text = {0};
  struct error e = {0};
  uint64_t times;
  if (!field(&rest, &part, false) ||
      !codec_u64(buf_str(&part), 0, 10000, &times) ||
      !field(&rest, &part, false))
    bad_line();
  while (times-- > 0)
    say_bytes(&text, buf_str(&part), part.len);
  enum err code = err_set(&e, ERR_LOCAL, "%s", buf_str(&text));
  if (field(&rest, &part, true))
    code = err_prefix(&e, "%s: ", buf_str(&part));
  size_t len = strlen(e.msg);
  say(out, "%s %zu %s %.12s", err_name(code), len,
      codec_is_utf8(e.msg, len) ? "whole" : "torn", e.msg);
  buf_release(&part);
  buf_release(&text);
}

/* One operation of a script on a buffer; false when it failed. */
static bool buf_step(struct buf *b, const char *op, const struct buf *arg)
{
  uint64_t n = 0;
  codec_u64(buf_str(arg), 0, UINT64_MAX, &n);
  if (strcmp(op, "max") == 0)
    b->max = (size_t)n;
  else if (strcmp(op, "secret") == 0)
    b->secret = true;
  else if (strcmp(op, "cut") == 0)
    buf_cut(b, (size_t)n);
  else if (strcmp(op, "clear") == 0)
    buf_clear(b);
  else if (strcmp(op, "add") == 0)
    return buf_add(b, buf_str(arg), arg->len) == ERR_OK;
  else if (strcmp(op, "addf") == 0)
    return buf_addf(b, "<%s>", buf_str(arg)) == ERR_OK;
  else if (strcmp(op, "sets") == 0)
    return buf_sets(b, buf_str(arg)) == ERR_OK;
  else if (strcmp(op, "reserve") == 0)
    return buf_reserve(b, (size_t)n) == ERR_OK;
  else
    bad_line();
  return true;
}

/* "OP [ARG] ; OP [ARG] ...": which steps failed, and what is left. */
static void buf_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf b = {0};
  struct buf op = {0};
  struct buf arg = {0};
  for (int step = 1; field(&rest, &op, false); step++) {
    buf_clear(&arg);
    if (strncmp(rest, " ;", 2) != 0)
      field(&rest, &arg, false);
    if (!buf_step(&b, buf_str(&op), &arg))
      say(out, "step %d failed, ", step);
    rest += strncmp(rest, " ;", 2) == 0 ? 2 : 0;
  }
  say(out, "%zu ", b.len);
  if (strlen(buf_str(&b)) > b.len)
    say(out, "without a NUL ");
  char *taken = buf_take(&b);
  say(out, "%s", taken != NULL ? taken : "none");
  say(out, "%s", b.data == NULL && b.len == 0 ? "" : " and not emptied");
  free(taken);
  buf_release(&b);
  buf_release(&op);
  buf_release(&arg);
}

static void print_pairs(const struct kv *kv, struct buf *out)
{
  for (size_t i = 0; i < kv->n; i++)
    say(out, "%s%s=%s", i > 0 ? "," : "", kv->pairs[i].name,
        kv->pairs[i].value);
}

static void kv_step(struct kv *kv, const char *op, const struct buf *name,
                    const struct buf *value, struct buf *out)
{
  struct error e = {0};
  enum err err = ERR_OK;
  const char *n = buf_str(name);
  if (strcmp(op, "add") == 0)
    err = kv_addn(kv, n, name->len, buf_str(value), value->len, &e);
  else if (strcmp(op, "addf") == 0)
    err = kv_addf(kv, &e, n, "<%s>", buf_str(value));
  else if (strcmp(op, "set") == 0)
    err = kv_set(kv, n, buf_str(value), &e);
  else if (strcmp(op, "get") == 0)
    say(out, "[%s]", kv_get(kv, n) != NULL ? kv_get(kv, n) : "none");
  else if (strcmp(op, "sort") == 0)
    kv_sort(kv);
  else if (strcmp(op, "double") == 0)
    err = kv_copy(kv, kv, &e);
  else if (strcmp(op, "clear") == 0)
    kv_clear(kv);
  else
    bad_line();
  if (err != ERR_OK)
    say(out, "(%s: %s)", err_name(err), e.msg);
}

/* "OP [NAME [VALUE]] ; OP ...": what the steps said, then the pairs. */
static void kv_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct kv kv = {0};
  struct buf op = {0};
  struct buf args[2] = {{0}, {0}};
  while (field(&rest, &op, false)) {
    for (int i = 0; i < 2; i++) {
      buf_clear(&args[i]);
      if (strncmp(rest, " ;", 2) != 0)
        field(&rest, &args[i], false);
    }
    kv_step(&kv, buf_str(&op), &args[0], &args[1], out);
    rest += strncmp(rest, " ;", 2) == 0 ? 2 : 0;
  }
  print_pairs(&kv, out);
  kv_release(&kv);
  buf_release(&op);
  buf_release(&args[0]);
  buf_release(&args[1]);
}

/* Scheme, host, port, path, authority, or why not. */
static void uri_line(const struct buf *in, struct buf *out)
{
  struct uri u = {0};
  struct error e = {0};
  enum err err = uri_parse(buf_str(in), &u, &e);
  if (err != ERR_OK) {
    bool untouched = u.host == NULL && u.path == NULL && u.port == 0;
    say(out, "%s: %s%s", err_name(err), e.msg, untouched ? "" : " (touched)");
    return;
  }
  say(out, "%s %s %d '%s' ", u.https ? "https" : "http", u.host, u.port,
      u.path);
  must(uri_authority(out, &u));
  say(out, "%s", uri_is_loopback(&u) ? " loopback" : "");
  uri_release(&u);
}

static void hostname_line(const struct buf *in, struct buf *out)
{
  say_bool(out, uri_is_hostname(buf_str(in)));
}

static void redact_line(const struct buf *in, struct buf *out)
{
  must(uri_redact(out, buf_str(in)));
}

const struct command text_commands[] = {
    {"exit", exit_line, false},     {"message", message_line, true},
    {"buf", buf_line, true},        {"kv", kv_line, true},
    {"uri", uri_line, false},       {"hostname", hostname_line, false},
    {"redact", redact_line, false}, {NULL, NULL, false},
};
