/* SPDX-License-Identifier: MIT
 *
 * rows - the policies and the scenarios, as data.
 */
#include <string.h>

#include "sim.h"

/* The first is the measure of the others: what is asked for, asked once. */
const struct sim_policy sim_policies[] = {
    {"once", {"--retries", "0", "--no-state"}, SIM_OURS},
    {"ank", {NULL}, SIM_OURS},
    {"ank+budget", {"--retry-budget", "10"}, SIM_OURS},
    {"ank+patience", {"--retries", "10", "--breaker-wait", "5m"}, SIM_OURS},
    {"budget-alone",
     {"--retries", "10", "--no-breaker", "--retry-budget", "10"},
     SIM_OURS},
    {"anole", {"--policy", "anole"}, SIM_OURS},
    {"restic", {"--policy", "restic"}, SIM_OURS},
    {"prismatic", {"--policy", "prismatic"}, SIM_OURS},
    {"curl",
     {"--retries", "20", "--backoff", "exp:1s,x2,max=10m,jitter=none",
      "--no-state"},
     SIM_CURL},
    {"aws",
     {"--retries", "2", "--backoff", "exp:1s,x2,max=20s,jitter=full",
      "--no-state"},
     SIM_AWS},
    {NULL, {NULL}, SIM_OURS},
};

#define MINUTE (INT64_C(60) * 1000)
/* The trouble begins and ends amid a minute. */
#define BEGIN  (3 * MINUTE + 30000)
#define FIVE   .from_ms = BEGIN, .to_ms = BEGIN + 5 * MINUTE, .minutes = 15
#define CRON   .machines = 50, .each = 4, .cron = true
#define STEADY .machines = 50, .each = 12

const struct sim_scenario sim_scenarios[] = {
    {.name = "down-cron",
     .words = "down for 5 minutes, cron",
     .trouble = SIM_DOWN,
     .cold = 300,
     FIVE,
     CRON},
    {.name = "down-steady",
     .words = "down for 5 minutes, steady",
     .trouble = SIM_DOWN,
     .cold = 80,
     FIVE,
     STEADY},
    {.name = "blip-cron",
     .words = "down for 5 seconds, cron",
     .trouble = SIM_DOWN,
     .cold = 300,
     .from_ms = 4 * MINUTE,
     .to_ms = 4 * MINUTE + 5000,
     .minutes = 8,
     CRON},
    {.name = "busy-cron",
     .words = "50 requests/s, then SlowDown, cron",
     .trouble = SIM_BUSY,
     .capacity = 50,
     FIVE,
     CRON},
    {.name = "told-cron",
     .words = "the same with `Retry-After: 10`, cron",
     .trouble = SIM_BUSY,
     .capacity = 50,
     .retry_after_s = 10,
     FIVE,
     CRON},
    {.name = "flaky-steady",
     .words = "every third request fails, steady",
     .trouble = SIM_FLAKY,
     .permille = 333,
     FIVE,
     STEADY},
    {.name = "failing-steady",
     .words = "9 of 10 requests fail, steady",
     .trouble = SIM_FLAKY,
     .permille = 900,
     FIVE,
     STEADY},
    {.name = "slow-steady",
     .words = "answers take 20 s, steady",
     .trouble = SIM_SLOW,
     .slow_ms = 20000,
     FIVE,
     STEADY},
    {.name = NULL},
};

const struct sim_policy *sim_find_policy(const char *name)
{
  for (const struct sim_policy *p = sim_policies; p->name; p++)
    if (strcmp(p->name, name) == 0)
      return p;
  return NULL;
}

const struct sim_scenario *sim_find_scenario(const char *name)
{
  for (const struct sim_scenario *s = sim_scenarios; s->name; s++)
    if (strcmp(s->name, name) == 0)
      return s;
  return NULL;
}
