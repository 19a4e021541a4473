/* SPDX-License-Identifier: MIT
 *
 * job - one request to be made, with all its attempts, and the run that it is
 * part of: the structs that attempt, repair and engine share.
 *
 * Header only; what a job's bytes mean is asked of its hooks, what a cloud's
 * answer means of the provider.
 */
#ifndef ANK_FLOW_JOB_H
#define ANK_FLOW_JOB_H

#include "cloud/prov_token.h"
#include "flow/guard.h"
#include "flow/progress.h"
#include "flow/report.h"
#include "io/http.h"
#include "policy/retry.h"

/* In ms, 0 = none. */
struct engine_timeouts {
  int64_t small_ms, bulk_ms, completion_ms, connect_ms, stall_ms;
};

/* How a run comes by its credentials; flow/token's but for the first part,
 * which the caller fills. */
struct token {
  /* Looks for ways to them; OUT is zeroed. */
  enum err (*find)(void *ctx, struct ways *out, struct error *e);
  /* Is told of all secrets before they travel. */
  enum err (*keep)(void *ctx, const struct creds *c, struct error *e);
  void *ctx;
  bool no_cache; /* neither looks for what was kept nor keeps */

  struct ways ways; /* owned; those being tried */
  bool found;       /* they are, and were not begun with */
  size_t way, step;
  struct creds hand; /* owned: what the grants have given so far */
  struct token_life life;
  bool taken, heard, busy, refused;
  struct buf body;         /* owned, secret: of the request */
  struct site site;        /* owned: where it goes */
  struct buf troubles;     /* owned: why ways could not be gone */
  int64_t refresh_mono_ms; /* credentials are to be replaced; 0 = never */
  enum err end;            /* how looking for them ended, when it failed */
  struct error error;
  const char *why;
  bool throttled;
  int64_t throttled_s;
};

/* One run: what all its jobs share.  Zeroed, then filled by the caller. */
struct engine {
  const struct provider *provider;
  const struct target *target;
  const struct object_options *options;
  struct http *http;
  struct report *report;
  const struct log *explain; /* NULL = nothing is explained */
  struct progress *progress; /* NULL = nothing is drawn */
  struct retry_policy policy;
  const char *policy_name;              /* for a person */
  const struct status_set *more, *less; /* may be NULL */
  struct engine_timeouts timeouts;
  int64_t start_mono_ms;
  int64_t deadline_mono_ms; /* RETRY_NEVER without one */
  struct guard guard;       /* what runs share of the target; owned */
  int64_t breaker_wait_ms;  /* for an open one, before anything was sent */
  bool sign;
  bool deaf; /* to a signal that came: for what is done after it */
  bool dry;  /* nothing is sent: what is not there to sign with is not used */
  struct token token;
  /* What an answer told must not be shown from now on.  Its ctx is TOKEN's. */
  enum err (*keep_secret)(void *ctx, const char *secret);

  struct site site;   /* owned; repairs replace parts of it */
  struct creds creds; /* owned; flow/token gets and replaces them */
  int64_t clock_offset_ms;
  unsigned hashes; /* HASH_BIT of digests that are sent beside what the
                      provider always has: one was chosen, or an answer asked
                      for Content-MD5 */
  /* Counted up by each repair, so that a job knows what it was signed with. */
  unsigned site_gen, creds_gen, clock_gen, hashes_gen;
  unsigned region_moves, place_moves;

  uint64_t attempts, retries, repairs;
  uint64_t prior_attempts; /* of them for credentials or a namespace */
  int64_t away_ms; /* that a helper took; nothing was seen to meanwhile */
  int64_t waited_ms;
  int64_t breaker_waited_ms; /* of them for an open breaker, all jobs */
  int64_t hold_mono_ms;      /* a Retry-After: no job starts before it */
};

enum job_state {
  JOB_READY = 0,
  JOB_FLYING,
  JOB_WAITING,
  JOB_ASKING,
  JOB_WANTING, /* credentials */
  JOB_DONE,
  JOB_IDLE /* a slot without a job, of a run that is fed */
};

/* Which limits hold (policy.md 3). */
enum job_kind {
  JOB_SMALL = 0, /* moves no object */
  JOB_BULK,      /* moves object bytes */
  JOB_COMPLETION /* may take minutes, and says so byte by byte */
};

/* What a job makes of an answer that the table alone would take as it is. */
struct refusal {
  bool set;
  enum code_class code; /* CODE_NONE: permanent, ends as END */
  enum err end;
  const char *why; /* told, too, when it is set by a prepare that fails */
};

struct job;

struct job_hooks {
  /* Fills what this attempt asks (args->op and the shared parts are set).
   * Long work calls engine_tick between its slices. */
  enum err (*prepare)(struct job *j, struct op_args *args, struct error *e);
  /* 2xx head read: where its bytes go.  NULL: captured. */
  enum http_head (*head)(struct job *j, const struct op_result *r);
  /* Object bytes, as struct http_call's take; on -1 j->error is set. */
  long (*take)(struct job *j, const char *data, unsigned long len);
  /* Any complete answer: a last word (j->refusal).  May be NULL. */
  void (*judge)(struct job *j, const struct op_result *r);
  /* Fills done, total and has_total of what moves.  May be NULL. */
  void (*progress)(struct job *j, struct progress_view *v);
};

struct job {
  enum op op;
  enum job_kind kind;
  unsigned part;                 /* its number, reported; 0 = none */
  const struct job_hooks *hooks; /* borrowed; NULL for a plain request */
  void *ctx;                     /* borrowed, the hooks' */
  int sink_fd;                   /* to poll while the sink is full; -1 */
  /* Of a request that is not the run's provider's; NULL = it is. */
  const struct provider *provider; /* borrowed */
  const struct site *site;         /* borrowed */
  /* At a link-local place: never through a proxy, outside the breaker, within
   * LIMIT_MS, TRIES times, or once while nothing was heard of it. */
  bool direct, heard;
  int64_t limit_ms;
  uint64_t tries;
  /* Ends well as soon as an attempt may start, and makes none. */
  bool asks_only;

  /* Results. */
  enum err end;       /* how it ended */
  struct error error; /* words for a person */
  const char *why;    /* a word for the report; NULL = nothing to add */
  struct op_result result;
  struct kv headers; /* of the last answer */
  int status;
  bool throttled;
  int64_t throttled_s;
  int64_t open_left_ms; /* ERR_BREAKER_OPEN: it may be asked again then */

  /* The engine's. */
  struct engine *engine;
  enum job_state state;
  struct retry_state retry;
  bool ambiguous; /* an attempt may have worked, its answer was lost */
  bool restart;   /* it cannot succeed any more: the flow may start over */
  bool retry_due; /* the next attempt is one; counted when it is made */
  struct refusal refusal;
  bool enough; /* set by a hook that breaks off: what came is what was wanted */
  struct guard_ticket ticket;
  enum err last_end; /* of the attempt before, had it been the last */
  struct error last_error;
  int64_t last_throttled_s; /* ERR_THROTTLED */
  struct request request;
  struct sign_trace trace; /* what was signed of it */
  struct op_args args;
  struct http_call call;
  uint64_t number; /* of this attempt, from 1, reported */
  uint64_t offset; /* first byte this attempt asks for, reported */
  uint64_t gained; /* bytes it delivered that no attempt had before it */
  bool expect, resent, no_expect;
  bool refused; /* it wants credentials for those that it had were not taken */
  int64_t away_ms; /* of the engine's, when this attempt was last looked at */
  bool broken;     /* the last attempt's connection */
  unsigned site_gen, creds_gen, clock_gen, hashes_gen, repairs;
  int64_t begun_mono_ms, wake_mono_ms, timeout_ms;
  const char *wait_why; /* of a wait that is not a retry's */
  int64_t mark_mono_ms, waiting_mono_ms, first_byte_ms;
  int64_t held_mono_ms, held_ms; /* since when, how long the sink was full */
  uint64_t mark_moved;
};

static inline const struct provider *job_provider(const struct job *j)
{
  return j->provider ? j->provider : j->engine->provider;
}

static inline const struct site *job_site(const struct job *j)
{
  return j->site ? j->site : &j->engine->site;
}

#endif
