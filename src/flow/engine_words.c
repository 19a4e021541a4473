/* SPDX-License-Identifier: MIT
 *
 * engine_words - see engine_words.h.
 */
#include "flow/engine_words.h"

#include <stdio.h>
#include <string.h>

void engine_say_answer(struct job *j, const struct attempt_end *end)
{
  const struct outcome *o = &end->outcome;
  if (j->error.code != ERR_OK)
    return;
  if (o->xport != XPORT_OK)
    err_set(&j->error, ERR_UNAVAILABLE, "%s",
            j->call.message[0] ? j->call.message : xport_name(o->xport));
  else
    err_set(&j->error, ERR_REJECTED, "the server answered %d%s%s%s%.300s",
            o->http, j->result.code[0] ? " " : "", j->result.code,
            j->result.message[0] ? ": " : "", j->result.message);
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
