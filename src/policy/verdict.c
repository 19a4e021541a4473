/* SPDX-License-Identifier: MIT
 *
 * verdict - see verdict.h; the three tables below are policy.md 1.
 */
#include "policy/verdict.h"

#include <string.h>

#include "base/codec.h"

static const struct judgement xport_rows[XPORT_COUNT] = {
    [XPORT_RESOLVE] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_CONNECT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_CONNECT_TIMEOUT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_SEND] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_RECEIVE] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_EMPTY] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_SHORT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_FIRST_BYTE] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_STALL] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_TIMEOUT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_GARBLED] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_TLS_CUT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [XPORT_PROXY] = {VERDICT_TRANSIENT, true, TALLY_NOTHING},
    [XPORT_PROXY_DENIED] = {VERDICT_PERMANENT, false, TALLY_NOTHING},
    [XPORT_NODE] = {VERDICT_LOCAL, true, TALLY_NOTHING},
    [XPORT_STALE] = {VERDICT_RESEND, false, TALLY_NOTHING},
    [XPORT_TLS] = {VERDICT_PERMANENT, false, TALLY_NOTHING},
    [XPORT_UNSUPPORTED] = {VERDICT_PERMANENT, false, TALLY_NOTHING},
    [XPORT_FAILED] = {VERDICT_FAILED, false, TALLY_NOTHING},
    [XPORT_DEADLINE] = {VERDICT_DEADLINE, false, TALLY_NOTHING},
    [XPORT_INTERRUPTED] = {VERDICT_INTERRUPTED, false, TALLY_NOTHING},
    [XPORT_CANCELLED] = {VERDICT_CANCELLED, false, TALLY_NOTHING},
};

static const struct judgement code_rows[] = {
    [CODE_NONE] = {VERDICT_PERMANENT, false, TALLY_NOTHING},
    [CODE_THROTTLE] = {VERDICT_THROTTLED, true, TALLY_NOTHING},
    [CODE_TRANSIENT] = {VERDICT_TRANSIENT, true, TALLY_FAILURE},
    [CODE_CONFLICT] = {VERDICT_TRANSIENT, true, TALLY_NOTHING},
    [CODE_BAD_DIGEST] = {VERDICT_INTEGRITY, true, TALLY_NOTHING},
    [CODE_REAUTH] = {VERDICT_REAUTH, false, TALLY_NOTHING},
    [CODE_RECLOCK] = {VERDICT_RECLOCK, false, TALLY_NOTHING},
    [CODE_REDIRECT] = {VERDICT_REDIRECT, false, TALLY_NOTHING},
    [CODE_CHECKSUM] = {VERDICT_ADD_CHECKSUM, false, TALLY_NOTHING},
    [CODE_EXPECT] = {VERDICT_DROP_EXPECT, false, TALLY_NOTHING},
    [CODE_EXISTS] = {VERDICT_EXISTS, false, TALLY_SUCCESS},
    [CODE_RESTART] = {VERDICT_RESTART, false, TALLY_NOTHING},
    [CODE_REJECTED] = {VERDICT_PERMANENT, false, TALLY_SUCCESS},
    [CODE_DENIED] = {VERDICT_PERMANENT, false, TALLY_SUCCESS},
};

/* What a bare status means; the first line that fits decides. */
static const struct {
  int from, to;
  struct judgement row;
} status_rows[] = {
    {200, 299, {VERDICT_OK, false, TALLY_SUCCESS}},
    {408, 408, {VERDICT_TRANSIENT, true, TALLY_FAILURE}},
    {429, 429, {VERDICT_THROTTLED, true, TALLY_NOTHING}},
    {500, 500, {VERDICT_TRANSIENT, true, TALLY_FAILURE}},
    {502, 504, {VERDICT_TRANSIENT, true, TALLY_FAILURE}},
    {501, 599, {VERDICT_PERMANENT, false, TALLY_NOTHING}},
    {0, 599, {VERDICT_PERMANENT, false, TALLY_SUCCESS}},
};

static const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_OK] = "ok",
    [VERDICT_THROTTLED] = "throttled",
    [VERDICT_TRANSIENT] = "transient",
    [VERDICT_LOCAL] = "local",
    [VERDICT_INTEGRITY] = "integrity",
    [VERDICT_REAUTH] = "reauth",
    [VERDICT_RECLOCK] = "reclock",
    [VERDICT_REDIRECT] = "redirect",
    [VERDICT_ADD_CHECKSUM] = "add_checksum",
    [VERDICT_DROP_EXPECT] = "drop_expect",
    [VERDICT_RESEND] = "resend",
    [VERDICT_EXISTS] = "exists",
    [VERDICT_RESTART] = "restart",
    [VERDICT_PERMANENT] = "permanent",
    [VERDICT_FAILED] = "failed",
    [VERDICT_DEADLINE] = "deadline",
    [VERDICT_INTERRUPTED] = "interrupted",
    [VERDICT_CANCELLED] = "cancelled",
};

static const char *const xport_names[XPORT_COUNT] = {
    [XPORT_OK] = "none",
    [XPORT_RESOLVE] = "resolve",
    [XPORT_CONNECT] = "connect",
    [XPORT_CONNECT_TIMEOUT] = "connect_timeout",
    [XPORT_SEND] = "send",
    [XPORT_RECEIVE] = "receive",
    [XPORT_EMPTY] = "empty_reply",
    [XPORT_SHORT] = "short_body",
    [XPORT_FIRST_BYTE] = "first_byte_timeout",
    [XPORT_STALL] = "stall",
    [XPORT_TIMEOUT] = "timeout",
    [XPORT_GARBLED] = "garbled",
    [XPORT_TLS_CUT] = "tls_cut",
    [XPORT_PROXY] = "proxy",
    [XPORT_PROXY_DENIED] = "proxy_denied",
    [XPORT_NODE] = "node",
    [XPORT_STALE] = "stale_connection",
    [XPORT_TLS] = "tls",
    [XPORT_UNSUPPORTED] = "unsupported",
    [XPORT_FAILED] = "local_io",
    [XPORT_DEADLINE] = "deadline",
    [XPORT_INTERRUPTED] = "interrupted",
    [XPORT_CANCELLED] = "cancelled",
};

static struct judgement status_row(const struct outcome *o)
{
  size_t i = 0;
  if (o->http == 503 && o->retry_after)
    return code_rows[CODE_THROTTLE];
  while (i + 1 < sizeof status_rows / sizeof *status_rows &&
         (o->http < status_rows[i].from || o->http > status_rows[i].to))
    i++;
  return status_rows[i].row;
}

static bool moves(const struct status_set *set, const struct outcome *o)
{
  if (!set)
    return false;
  return o->xport != XPORT_OK ? set->xports >> o->xport & 1
                              : status_set_has(set, o->http);
}

/* Repairs, codes and our own ends are beyond the reach of a list. */
static bool listable(const struct outcome *o, enum verdict v)
{
  if (o->xport == XPORT_OK)
    return o->code == CODE_NONE && v != VERDICT_OK;
  return v == VERDICT_TRANSIENT;
}

struct judgement verdict_of(const struct outcome *o,
                            const struct status_set *more,
                            const struct status_set *less)
{
  struct judgement j;
  if (o->xport != XPORT_OK)
    j = xport_rows[o->xport];
  else if (o->code != CODE_NONE)
    j = code_rows[o->code];
  else
    j = status_row(o);
  if (listable(o, j.verdict)) {
    if (moves(more, o))
      j.retried = true;
    if (moves(less, o))
      j.retried = false;
  }
  return j;
}

bool verdict_is_repair(enum verdict v)
{
  return v == VERDICT_REAUTH || v == VERDICT_RECLOCK || v == VERDICT_REDIRECT ||
         v == VERDICT_ADD_CHECKSUM || v == VERDICT_DROP_EXPECT ||
         v == VERDICT_RESEND;
}

static enum err status_end(int http)
{
  switch (http) {
  case 304:
    return ERR_NOT_MODIFIED;
  case 401:
  case 403:
    return ERR_DENIED;
  case 404:
  case 410:
    return ERR_NOT_FOUND;
  case 412:
    return ERR_EXISTS;
  default:
    return ERR_REJECTED;
  }
}

static enum err permanent_end(const struct outcome *o)
{
  switch ((int)o->xport) {
  case XPORT_OK:
    return o->code == CODE_REJECTED ? ERR_REJECTED
           : o->code == CODE_DENIED ? ERR_DENIED
                                    : status_end(o->http);
  case XPORT_TLS:
    return ERR_TLS;
  case XPORT_PROXY_DENIED:
    return ERR_DENIED;
  case XPORT_UNSUPPORTED:
    return ERR_USAGE;
  default:
    return ERR_REJECTED;
  }
}

enum err verdict_end(enum verdict v, const struct outcome *o)
{
  switch (v) {
  case VERDICT_OK:
    return ERR_OK;
  case VERDICT_THROTTLED:
  case VERDICT_TRANSIENT:
  case VERDICT_RESEND:
  case VERDICT_RESTART:
    return ERR_UNAVAILABLE;
  case VERDICT_LOCAL:
  case VERDICT_FAILED:
    return ERR_LOCAL;
  case VERDICT_INTEGRITY:
    return ERR_INTEGRITY;
  case VERDICT_REAUTH:
    return o->http == 400 ? ERR_CREDENTIALS : status_end(o->http);
  case VERDICT_EXISTS:
    return ERR_EXISTS;
  case VERDICT_RECLOCK:
  case VERDICT_REDIRECT:
  case VERDICT_ADD_CHECKSUM:
  case VERDICT_DROP_EXPECT:
  case VERDICT_PERMANENT:
    return permanent_end(o);
  case VERDICT_DEADLINE:
    return ERR_DEADLINE;
  case VERDICT_INTERRUPTED:
  case VERDICT_CANCELLED:
    return ERR_INTERRUPTED;
  case VERDICT_COUNT:
    break;
  }
  return ERR_INTERNAL;
}

bool status_set_has(const struct status_set *set, int status)
{
  if (status < 0 || status > 599)
    return false;
  return set->bits[status / 8] >> (status % 8) & 1;
}

static void add_range(struct status_set *set, int from, int to)
{
  for (int s = from; s <= to; s++)
    set->bits[s / 8] |= (unsigned char)(1u << (s % 8));
}

static bool add_word(struct status_set *set, const char *s, size_t len)
{
  uint64_t n;
  if (len == 9 && memcmp(s, "transport", 9) == 0)
    return set->xports = ~0u, true;
  if (len != 3)
    return false;
  if (codec_u64_n(s, 3, 300, 599, &n)) {
    add_range(set, (int)n, (int)n);
    return true;
  }
  if (s[0] >= '3' && s[0] <= '5' && memcmp(s + 1, "xx", 2) == 0) {
    add_range(set, (s[0] - '0') * 100, (s[0] - '0') * 100 + 99);
    return true;
  }
  return false;
}

bool status_set_parse(const char *list, struct status_set *out)
{
  struct status_set set = {0};
  const char *s = list;
  for (;;) {
    size_t len = strcspn(s, ",");
    if (!add_word(&set, s, len))
      return false;
    if (!s[len])
      break;
    s += len + 1;
  }
  *out = set;
  return true;
}

const char *verdict_name(enum verdict v)
{
  return verdict_names[v];
}

const char *xport_name(enum xport x)
{
  return xport_names[x];
}
