/* SPDX-License-Identifier: MIT
 *
 * engine_words - see engine_words.h.
 */
#include "flow/engine_words.h"

#include <stdio.h>

/* Where the server shows what it signed, the difference is the cause. */
static void say_refusal(struct job *j, const struct outcome *o)
{
  const struct provider *p = j->engine->provider;
  struct buf cause = {0};
  if (o->http == 403 && j->trace.string_to_sign.len)
    (void)!p->refused_signature(&j->call.response, &j->trace, &cause);
  err_set(&j->error, ERR_REJECTED, "the server answered %d%s%s%s%.*s%s%s",
          o->http, j->result.code[0] ? " " : "", j->result.code,
          j->result.message[0] ? ": " : "", cause.len ? 100 : 300,
          j->result.message, cause.len ? "; " : "", buf_str(&cause));
  buf_release(&cause);
}

void engine_say_answer(struct job *j, const struct attempt_end *end)
{
  const struct outcome *o = &end->outcome;
  if (j->error.code != ERR_OK)
    return;
  if (o->xport != XPORT_OK)
    err_set(&j->error, ERR_UNAVAILABLE, "%s",
            j->call.message[0] ? j->call.message : xport_name(o->xport));
  else
    say_refusal(j, o);
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

void engine_say_fault(const struct job *j, const struct attempt_end *end,
                      char *to, size_t size)
{
  const struct outcome *o = &end->outcome;
  if (o->xport != XPORT_OK)
    (void)snprintf(to, size, "%s", xport_name(o->xport));
  else
    (void)snprintf(to, size, "%d%s%s", o->http, j->result.code[0] ? " " : "",
                   j->result.code);
}
