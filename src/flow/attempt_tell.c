/* SPDX-License-Identifier: MIT
 *
 * attempt_tell - the report's line of an attempt: a part of flow/attempt kept
 * apart for its length.
 */
#include <string.h>

#include "flow/attempt.h"

static void tell_request(struct report_line *l, const struct job *j)
{
  const struct engine *en = j->engine;
  struct buf url = {.secret = true}, endpoint = {0};
  if (!message_url(&url, &j->request))
    report_text(l, REPORT_URL, buf_str(&url));
  const struct uri *base = &job_site(j)->base;
  if (!buf_adds(&endpoint, base->https ? "https://" : "http://") &&
      !uri_authority(&endpoint, base))
    report_text(l, REPORT_ENDPOINT, buf_str(&endpoint));
  report_text(l, REPORT_METHOD, message_method(j->request.method));
  report_text(l, REPORT_PROVIDER, en->provider->name);
  if (j->op != OP_TOKEN) {
    report_text(l, REPORT_ACCOUNT, en->target->account);
    report_text(l, REPORT_BUCKET, en->target->bucket);
  }
  if (j->op != OP_BUCKET && j->op != OP_NAMESPACE && j->op != OP_TOKEN)
    report_key(l, en->target->key);
  buf_release(&url);
  buf_release(&endpoint);
}

static const char *errno_name(int err)
{
  return err ? strerrorname_np(err) : NULL;
}

/* libcurl says why a transfer failed, the server why it refused. */
static void tell_answer(struct report_line *l, const struct job *j,
                        const struct attempt_end *end)
{
  bool failed = end->outcome.xport != XPORT_OK;
  report_text(l, REPORT_VERDICT, verdict_name(end->judgement.verdict));
  report_number(l, REPORT_STATUS, j->status ? j->status : -1);
  if (failed) {
    report_text(l, REPORT_ERROR, xport_name(end->outcome.xport));
    report_text(l, REPORT_MESSAGE, j->call.message);
    report_text(l, REPORT_ERRNO, errno_name(j->call.os_errno));
  } else {
    report_text(l, REPORT_CODE, j->result.code);
    report_text(l, REPORT_MESSAGE,
                j->result.message[0] || !j->refusal.set ? j->result.message
                                                        : j->error.msg);
  }
  report_text(l, REPORT_REQUEST_ID, j->result.request_id);
  report_number(l, REPORT_RETRY_AFTER_MS, end->after.ms);
  report_text(l, REPORT_RETRY_AFTER_FROM, end->after.from);
  if (end->after.invalid)
    report_flag(l, REPORT_RETRY_AFTER_INVALID, true);
}

static void tell_facts(struct report_line *l, const struct job *j)
{
  const struct http_facts *f = &j->call.facts;
  report_number(l, REPORT_BYTES_SENT, (int64_t)f->sent);
  report_number(l, REPORT_BYTES_RECEIVED, (int64_t)f->received);
  report_number(l, REPORT_OFFSET, j->offset ? (int64_t)j->offset : -1);
  report_number(l, REPORT_DNS_MS, f->dns_ms);
  report_number(l, REPORT_CONNECT_MS, f->connect_ms);
  report_number(l, REPORT_TLS_MS, f->tls_ms);
  report_number(l, REPORT_FIRST_BYTE_MS, j->first_byte_ms);
  report_number(l, REPORT_TOTAL_MS, f->total_ms);
  report_text(l, REPORT_REMOTE_IP, f->remote_ip);
  report_text(l, REPORT_HTTP_VERSION, f->http_version);
  if (j->call.connected)
    report_flag(l, REPORT_REUSED, f->reused);
}

/* Absent where there is no limit. */
static int64_t of_attempts(const struct job *j)
{
  uint64_t most = j->direct ? j->tries - 1 : j->engine->policy.retries;
  return most < INT64_MAX ? (int64_t)most + 1 : -1;
}

void attempt_tell(struct job *j, const struct attempt_end *end,
                  const char *next, int64_t wait_ms, const char *why,
                  struct now now)
{
  const struct engine *en = j->engine;
  struct report_line l =
      report_begin(en->report, REPORT_EVENT_ATTEMPT, now.wall_ms);
  int64_t left = retry_left(en->deadline_mono_ms, now);
  report_text(&l, REPORT_OP, op_name(j->op));
  report_number(&l, REPORT_PART, j->part ? (int64_t)j->part : -1);
  report_number(&l, REPORT_ATTEMPT, (int64_t)j->number);
  report_number(&l, REPORT_OF, of_attempts(j));
  tell_request(&l, j);
  tell_answer(&l, j, end);
  report_number(&l, REPORT_TIMEOUT_MS,
                j->timeout_ms == RETRY_NEVER ? -1 : j->timeout_ms);
  report_number(&l, REPORT_DEADLINE_LEFT_MS, left == RETRY_NEVER ? -1 : left);
  tell_facts(&l, j);
  if (j->ticket.known) {
    report_text(&l, REPORT_BREAKER, breaker_mode_name(j->ticket.mode));
    report_number(&l, REPORT_FAILURES, j->ticket.failures);
  }
  report_decimal(&l, REPORT_BUDGET, j->ticket.tokens);
  report_text(&l, REPORT_NEXT, next);
  report_number(&l, REPORT_WAIT_MS, wait_ms);
  report_text(&l, REPORT_WHY, why);
  report_end(&l);
}
