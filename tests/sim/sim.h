/* SPDX-License-Identifier: MIT
 *
 * sim - many machines and one bucket on a virtual clock.
 *
 * Each invocation runs the programs' own engine, with its admission, guard and
 * all of src/policy, from the values that cli/config makes of a command line;
 * what is simulated are the three doors below it: io/sys (time, dice), io/http
 * (the server) and io/state (what one machine's runs share, in memory).  One
 * seed, one result.
 */
#ifndef ANK_SIM_H
#define ANK_SIM_H

#include "cli/config.h"
#include "flow/engine.h"

enum {
  SIM_SECONDS = 3600, /* the most that a run lasts, its tail included */
  SIM_TOKENS = 500,   /* of the AWS SDK's bucket */
  SIM_HERD_MS = 100
};

/* ---- the rows: who asks, and whom ---- */

/* Rules that no option of ours says. */
enum sim_yardstick { SIM_OURS = 0, SIM_CURL, SIM_AWS };

struct sim_policy {
  const char *name;
  const char *args[16]; /* of ankput, beside those that all rows share */
  enum sim_yardstick yardstick;
};

enum sim_trouble {
  SIM_DOWN,  /* 503 */
  SIM_BUSY,  /* 503 SlowDown beyond CAPACITY */
  SIM_FLAKY, /* 503 by chance */
  SIM_SLOW   /* an answer takes SLOW_MS */
};

struct sim_scenario {
  const char *name;
  const char *words; /* for the table */
  enum sim_trouble trouble;
  int64_t from_ms, to_ms; /* while it lasts */
  int64_t capacity;       /* BUSY: requests a second */
  int64_t retry_after_s;  /* BUSY: 0 = none */
  int64_t permille;       /* FLAKY */
  int64_t slow_ms;        /* SLOW */
  int64_t cold;           /* DOWN: requests a second when it is warm again */
  int64_t machines, each; /* invocations a machine and minute */
  bool cron;              /* all of a minute in its first moment */
  int64_t minutes;
};

extern const struct sim_policy sim_policies[];
extern const struct sim_scenario sim_scenarios[]; /* both end with a NULL */

const struct sim_policy *sim_find_policy(const char *name);
const struct sim_scenario *sim_find_scenario(const char *name);

/* ---- what is measured ---- */

struct sim_count {
  int64_t starts, ok, later, failed; /* invocations; LATER: exits 10 to 13 */
  int64_t requests;
  int64_t load[SIM_SECONDS];      /* requests by second */
  int64_t starts_in, requests_in; /* while the trouble lasts */
  int64_t peak_in, peak_after;    /* requests in a second */
  int64_t outages;                /* beyond the first */
  int64_t bad_ms; /* the last failed request, or run, that began behind it */
  int64_t herd;   /* most requests after a wait within SIM_HERD_MS */
  int64_t
      probes;    /* most requests of a machine in one cool-down, and after it */
  int64_t early; /* requests of machines whose breaker was in its cool-down */
};

/* Runs SCENARIO with POLICY. */
void sim_run(const struct sim_scenario *scenario,
             const struct sim_policy *policy, uint64_t seed,
             struct sim_count *out);

/* ---- the world, for the doors ---- */

/* One host: what its runs share. */
struct machine {
  struct state state; /* first: what the guard holds is this machine */
  struct scope scope;
  int64_t tokens;       /* of a long-lived AWS SDK */
  int64_t opened_at_ms; /* the cool-down that PROBES belongs to */
  int64_t probes;
};

struct fiber; /* an invocation that can be put off */

/* One invocation. */
struct invocation {
  struct machine *machine;
  struct engine engine;
  struct job job;
  int64_t begun_ms, wake_ms; /* WAKE: the end of its last wait */
  int64_t cost;              /* AWS: of its last retry */
  bool timed_out;
};

/* One server. */
struct server {
  const struct sim_scenario *scenario;
  int64_t back_ms; /* since when it answers again; 0 = has not been down */
  int64_t tokens, at_ms;      /* of its capacity, in thousandths */
  int64_t slot_at, slots[10]; /* requests of the last second */
};

struct answer {
  int status;
  int64_t after_ms;
  bool slow_down;
  int64_t retry_after_s;
};

struct world {
  const struct sim_scenario *scenario;
  const struct sim_policy *policy;
  struct config config;
  struct site site;
  int64_t now_ms; /* 0 at the start */
  uint64_t dice;  /* of clients */
  uint64_t luck;  /* of the server and of starts: the same for all policies */
  struct machine *machines;
  struct server server;
  struct invocation *current;
  struct sim_count *count;
  int64_t herd_at[1024]; /* moments of the last requests after a wait */
  size_t herd_n;
};

extern struct world *sim;

uint64_t sim_throw(uint64_t *seed);

/* Puts the current invocation off. */
void sim_sleep_until(int64_t at_ms);

/* Fills the heap and empties it; BODY is called for each invocation, in a
 * context of its own. */
void sim_begin_at(int64_t at_ms, struct machine *machine);
void sim_go(void (*body)(struct invocation *i));

struct answer server_ask(struct server *s);

/* Takes down that the current invocation asks, and is answered. */
void count_request(void);
void count_answer(bool ok);
void count_end(const struct invocation *i);

#endif
