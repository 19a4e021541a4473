/* SPDX-License-Identifier: MIT
 *
 * ank-sim - how a bucket in trouble fares, by the policy of those who ask it.
 *
 *   ank-sim table [SEED]                 all scenarios and policies, Markdown
 *   ank-sim run SCENARIO POLICY [SEED]   one of them: NAME=NUMBER lines
 *   ank-sim load SCENARIO [SEED]         the second in which the trouble begins
 *                                        TAB that of its end; the names of the
 *                                        policies; requests by second, each
 *                                        line in the order of the names
 *   ank-sim policies                     names and options, Markdown
 *
 * tests/sim/write.py makes docs/simulation of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "sim.h"

enum { MOST_POLICIES = 16 };

static uint64_t seed_of(const char *s)
{
  uint64_t n = 1;
  if (s && !codec_u64(s, 0, INT64_MAX, &n))
    exit(2);
  return n;
}

/* N / OF in hundredths, as 1.23. */
static void put_ratio(int64_t n, int64_t of)
{
  int64_t h = of ? (n * 100 + of / 2) / of : 0;
  if (of)
    printf(" %" PRId64 ".%02" PRId64 " |", h / 100, h % 100);
  else
    printf(" - |");
}

static void put_share(int64_t n, int64_t of)
{
  int64_t t = of ? (n * 1000 + of / 2) / of : 0;
  printf(" %" PRId64 ".%" PRId64 " |", t / 10, t % 10);
}

static void put_row(const struct sim_policy *p, const struct sim_count *c)
{
  printf("| %s |", p->name);
  put_share(c->ok, c->starts);
  put_ratio(c->requests_in, c->starts_in);
  put_ratio(c->requests, c->ok);
  printf(" %" PRId64 " | %" PRId64 " | %" PRId64 " |", c->peak_in,
         c->peak_after, c->herd);
  printf(" %" PRId64 " | %" PRId64 " |\n", (c->bad_ms + 500) / 1000,
         c->outages);
}

static void table(uint64_t seed)
{
  static struct sim_count c;
  for (const struct sim_scenario *s = sim_scenarios; s->name; s++) {
    printf("### %s\n\n", s->words);
    printf("| policy | stored, %% | requests per run in trouble | requests per "
           "object | most in 1 s, until its end | after it | most retries in "
           "100 ms | well again after, s | further outages |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    for (const struct sim_policy *p = sim_policies; p->name; p++) {
      sim_run(s, p, seed, &c);
      put_row(p, &c);
    }
    printf("\n");
  }
}

static void one(const struct sim_scenario *s, const struct sim_policy *p,
                uint64_t seed)
{
  static struct sim_count c;
  sim_run(s, p, seed, &c);
#define SAY(member) printf(#member "=%" PRId64 "\n", c.member)
  SAY(starts);
  SAY(ok);
  SAY(later);
  SAY(failed);
  SAY(requests);
  SAY(starts_in);
  SAY(requests_in);
  SAY(peak_in);
  SAY(peak_after);
  SAY(outages);
  SAY(bad_ms);
  SAY(herd);
  SAY(probes);
  SAY(early);
#undef SAY
}

static void load(const struct sim_scenario *s, uint64_t seed)
{
  static struct sim_count c[MOST_POLICIES];
  int n = 0;
  printf("%" PRId64 "\t%" PRId64 "\n", s->from_ms / 1000, s->to_ms / 1000);
  for (; sim_policies[n].name; n++) {
    sim_run(s, &sim_policies[n], seed, &c[n]);
    printf("%s%s", n ? "\t" : "", sim_policies[n].name);
  }
  printf("\n");
  for (int64_t second = 0; second < s->minutes * 60; second++)
    for (int i = 0; i < n; i++)
      printf("%" PRId64 "%s", c[i].load[second], i + 1 < n ? "\t" : "\n");
}

static void policies(void)
{
  printf("| policy | options |\n|---|---|\n");
  for (const struct sim_policy *p = sim_policies; p->name; p++) {
    printf("| %s | %s", p->name, *p->args ? "`" : "none");
    for (const char *const *a = p->args; *a; a++)
      printf("%s%s", a == p->args ? "" : " ", *a);
    printf("%s%s |\n", *p->args ? "`" : "",
           p->yardstick == SIM_CURL  ? ", and a Retry-After instead of a "
                                       "shorter wait"
           : p->yardstick == SIM_AWS ? ", no Retry-After, and the SDK's bucket "
                                       "of 500 tokens for each machine"
                                     : "");
  }
}

int main(int argc, char **argv)
{
  const struct sim_scenario *s = argc > 2 ? sim_find_scenario(argv[2]) : NULL;
  const struct sim_policy *p = argc > 3 ? sim_find_policy(argv[3]) : NULL;
  /* No setting of whoever runs it gets in. */
  if (clearenv() != 0)
    return 3;
  if (argc >= 2 && argc <= 3 && strcmp(argv[1], "table") == 0)
    table(seed_of(argc > 2 ? argv[2] : NULL));
  else if (argc >= 4 && argc <= 5 && strcmp(argv[1], "run") == 0 && s && p)
    one(s, p, seed_of(argc > 4 ? argv[4] : NULL));
  else if (argc >= 3 && argc <= 4 && strcmp(argv[1], "load") == 0 && s)
    load(s, seed_of(argc > 3 ? argv[3] : NULL));
  else if (argc == 2 && strcmp(argv[1], "policies") == 0)
    policies();
  else {
    fputs("ank-sim policies | table [SEED] | run SCENARIO POLICY [SEED] | "
          "load SCENARIO [SEED]\n",
          stderr);
    return 2;
  }
  return 0;
}
