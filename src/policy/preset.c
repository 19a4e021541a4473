/* SPDX-License-Identifier: MIT
 *
 * preset - see preset.h.  Where the rows come from: ank is this project's own;
 * anole follows the resilience package of the anole server, restic the client
 * of that backup program, prismatic the retry module of a platform of that
 * name.
 */
#include "policy/preset.h"

#include <string.h>

#include "policy/verdict.h"

enum { FIFTEEN_MINUTES_MS = 15 * 60 * 1000 };

/* What is neither a timeout nor refused nor closed. */
#define NOT_PRISMATIC \
  (1u << XPORT_RESOLVE | 1u << XPORT_GARBLED | 1u << XPORT_PROXY)

const struct preset presets[] = {
    {
        .name = "ank",
        .retries = 2,
        .most_retries = RETRY_NO_LIMIT,
        .backoff = "full:200ms,1s,5s",
        .after = RETRY_AFTER_LEAST,
    },
    {
        .name = "anole",
        .retries = 2,
        .most_retries = 9,
        .backoff = "exp:100ms,x2,max=2s",
        .no_retry_on = "500",
        .after = RETRY_AFTER_LEAST,
        .retry_budget = "10,0.1",
    },
    {
        .name = "restic",
        .retries = RETRY_NO_LIMIT,
        .most_retries = RETRY_NO_LIMIT,
        .elapsed_ms = FIFTEEN_MINUTES_MS,
        .backoff = "exp:1s,x2,max=60s,jitter=around",
        .retry_on = "4xx,5xx",
        .no_retry_on = "401,403,404,416,507",
        .after = RETRY_AFTER_IGNORED,
        .no_breaker = true,
        .no_share_throttle = true,
        .read_marks = true,
    },
    {
        .name = "prismatic",
        .retries = 2,
        .most_retries = RETRY_NO_LIMIT,
        .backoff = "exp:200ms,x2,max=10s,jitter=nonzero",
        .no_retry_on = "408",
        .no_retry_xports = NOT_PRISMATIC,
        .after = RETRY_AFTER_REPLACES,
        .breaker = "failures=5,within=60s,calls=0,open=30s,max=30s",
    },
    {.name = NULL},
};

const struct preset *preset_find(const char *name)
{
  for (const struct preset *p = presets; p->name; p++)
    if (strcmp(p->name, name) == 0)
      return p;
  return NULL;
}
