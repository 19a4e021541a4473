/* SPDX-License-Identifier: MIT
 *
 * err - one table from code to name and exit status, and the two ways to
 * write a message.  Refuses to know who prints it.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct row {
  const char *name;
  int status;
};

static const struct row rows[ERR_COUNT] = {
    [ERR_OK] = {"ok", 0},
    [ERR_INTERNAL] = {"internal", 1},
    [ERR_USAGE] = {"usage", 2},
    [ERR_LOCAL] = {"local", 3},
    [ERR_CREDENTIALS] = {"credentials", 4},
    [ERR_DENIED] = {"denied", 5},
    [ERR_NOT_FOUND] = {"not_found", 6},
    [ERR_EXISTS] = {"exists", 7},
    [ERR_REJECTED] = {"rejected", 8},
    [ERR_INTEGRITY] = {"integrity", 9},
    [ERR_UNAVAILABLE] = {"unavailable", 10},
    [ERR_THROTTLED] = {"throttled", 11},
    [ERR_BREAKER_OPEN] = {"breaker_open", 12},
    [ERR_DEADLINE] = {"deadline", 13},
    [ERR_UNKNOWN] = {"unknown", 14},
    [ERR_TLS] = {"tls", 15},
    [ERR_INTERRUPTED] = {"interrupted", 128},
    [ERR_NOT_MODIFIED] = {"not_modified", 0},
};

/* A message cut by vsnprintf may end inside a UTF-8 sequence; drop the torn
 * one so that the message can stand in JSON. */
static void trim_torn(char *msg, size_t size)
{
  size_t n = strlen(msg);
  if (n + 1 < size)
    return;
  size_t back = 0;
  while (back < 3 && back < n && (msg[n - 1 - back] & 0xC0) == 0x80)
    back++;
  if (back == n)
    return;
  unsigned char lead = (unsigned char)msg[n - 1 - back];
  size_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  if (want > back)
    msg[n - 1 - back] = '\0';
}

enum err err_set(struct error *e, enum err code, const char *fmt, ...)
{
  if (e == NULL)
    return code;
  /* Not straight into e->msg: an argument may be the old message. */
  char msg[sizeof e->msg];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  if (n < 0)
    msg[0] = '\0';
  else if ((size_t)n >= sizeof msg)
    trim_torn(msg, sizeof msg);
  e->code = code;
  memcpy(e->msg, msg, strlen(msg) + 1);
  return code;
}

enum err err_prefix(struct error *e, const char *fmt, ...)
{
  if (e == NULL)
    return ERR_OK;
  char msg[sizeof e->msg];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  if (n < 0)
    return e->code;
  size_t used = strlen(msg);
  size_t left = sizeof msg - 1 - used;
  size_t old = strlen(e->msg);
  size_t kept = old < left ? old : left;
  memcpy(msg + used, e->msg, kept);
  msg[used + kept] = '\0';
  if (kept < old || (size_t)n >= sizeof msg)
    trim_torn(msg, sizeof msg);
  memcpy(e->msg, msg, strlen(msg) + 1);
  return e->code;
}

static bool known(enum err code)
{
  return (unsigned)code < ERR_COUNT;
}

const char *err_name(enum err code)
{
  return known(code) ? rows[code].name : rows[ERR_INTERNAL].name;
}

int err_exit_status(enum err code, int signum)
{
  if (!known(code))
    return rows[ERR_INTERNAL].status;
  return rows[code].status + (code == ERR_INTERRUPTED ? signum : 0);
}

bool err_is_success(enum err code)
{
  return known(code) && rows[code].status == 0;
}

/* From the one that decides first; a signal ends everything. */
bool err_outranks(enum err a, enum err b)
{
  static const enum err order[] = {
      ERR_INTERRUPTED, ERR_INTERNAL,     ERR_UNKNOWN,     ERR_INTEGRITY,
      ERR_USAGE,       ERR_LOCAL,        ERR_CREDENTIALS, ERR_TLS,
      ERR_DENIED,      ERR_REJECTED,     ERR_EXISTS,      ERR_NOT_FOUND,
      ERR_DEADLINE,    ERR_BREAKER_OPEN, ERR_THROTTLED,   ERR_UNAVAILABLE,
  };
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (order[i] == a || order[i] == b)
      return order[i] == a && a != b;
  return false;
}
