/* SPDX-License-Identifier: MIT
 *
 * engine_words - see engine_words.h.
 */
#include "flow/engine_words.h"

#include <stdio.h>
#include <string.h>

#include "flow/engine_hint.h"
#include "io/sys.h"

/* A hint that says more than the server's own words takes their place when
 * both are long. */
enum { SERVER_WORDS = 300, SHORT_WORDS = 120 };

/* How much of the server's message is told; no full stop before a hint. */
static int shown_words(const char *message, size_t hint)
{
  size_t len = strlen(message);
  size_t most = hint > SHORT_WORDS ? SHORT_WORDS : SERVER_WORDS;
  if (len > most)
    len = most;
  return (int)(hint && len && message[len - 1] == '.' ? len - 1 : len);
}

/* "200" alone would be no reason to have failed. */
static bool is_empty_success(const struct outcome *o, const struct op_result *r)
{
  return o->http >= 200 && o->http < 300 && !r->code[0];
}

void engine_say_answer(struct job *j, const struct attempt_end *end)
{
  const struct outcome *o = &end->outcome;
  const struct op_result *r = &j->result;
  struct buf hint = {0};
  if (j->error.code != ERR_OK)
    return;
  (void)!engine_hint(j, end, sys_now(), &hint);
  if (o->xport != XPORT_OK)
    err_set(&j->error, ERR_UNAVAILABLE, "%s%s",
            j->call.message[0] ? j->call.message : xport_name(o->xport),
            buf_str(&hint));
  else
    err_set(&j->error, ERR_REJECTED, "the server answered %d%s%s%s%s%.*s%s",
            o->http,
            is_empty_success(o, r) ? ", but not what was asked for" : "",
            r->code[0] ? " " : "", r->code, r->message[0] ? ": " : "",
            shown_words(r->message, hint.len), r->message, buf_str(&hint));
  buf_release(&hint);
}

const char *engine_limit_words(enum xport x)
{
  switch ((int)x) {
  case XPORT_DEADLINE:
    return "the deadline has passed";
  case XPORT_INTERRUPTED:
    return "interrupted by a signal";
  case XPORT_TIMEOUT:
    return "the attempt took too long";
  case XPORT_CONNECT_TIMEOUT:
    return "connecting took too long";
  case XPORT_FIRST_BYTE:
    return "no answer within 120 s";
  case XPORT_STALL:
    return "no bytes moved within the stall timeout";
  default:
    return NULL;
  }
}

/* The server may put anything in there; what is no word of a code is not kept,
 * and cut where it is too long it stays one. */
static bool is_word(const char *code)
{
  return code[0] &&
         strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                      "0123456789._-") == strlen(code);
}

void engine_say_fault(const struct job *j, const struct attempt_end *end,
                      char *to, size_t size)
{
  const struct outcome *o = &end->outcome;
  struct buf text = {0};
  enum err err = o->xport != XPORT_OK ? buf_adds(&text, xport_name(o->xport))
                                      : buf_addf(&text, "%d", o->http);
  if (!err && o->xport == XPORT_OK && is_word(j->result.code))
    err = buf_addf(&text, " %s", j->result.code);
  /* It leaves the process as much as a line of the report does. */
  if (!err)
    err = log_scrub(j->engine->report->log, &text);
  (void)snprintf(to, size, "%s", err ? "" : buf_str(&text));
  buf_release(&text);
}
