/* SPDX-License-Identifier: MIT
 *
 * guard - what runs share of a target, as the engine uses it: asked before
 * each attempt, told of each end (policy.md 5).
 *
 * Between the pure step (policy/breaker) and the file (io/state): it knows
 * when to read without a lock, when a change must be written at once and when
 * it may be added up.  A fault of the file is one warning; the run then goes
 * on as if the breaker were closed.  Decides nothing about waiting or ending:
 * that is flow/admission's.
 */
#ifndef ANK_FLOW_GUARD_H
#define ANK_FLOW_GUARD_H

#include "base/date.h"
#include "cloud/provider.h"
#include "flow/report.h"
#include "io/state.h"

struct guard_options {
  struct breaker_policy breaker;
  bool no_breaker; /* neither asks it nor tells it */
  bool no_share;   /* neither keeps nor tells a hold-off */
  int64_t max_hold_ms;
  struct budget_policy budget;
  bool read_marks; /* reads that spent their retries are refused for a while */
};

struct guard {
  struct state *state;   /* borrowed; NULL = nothing is shared */
  struct report *report; /* borrowed */
  struct guard_options options;
  int64_t start_mono_ms;      /* the first second is counted from here */
  int64_t deadline_mono_ms;   /* no lock is waited for beyond it */
  struct guard_scope *scopes; /* owned; those this run has met */
  struct budget budget; /* of this run alone, where nothing can be shared */
  struct buf opening; /* owned: what a person is told of it if the run fails */
  bool absent_due;    /* a missing folder, told once an attempt has failed */
};

/* A scope as this run knows it, and what it has not written yet. */
struct guard_scope {
  struct guard_scope *next; /* owned */
  struct buf name;          /* "https://host:port/bucket" */
  struct scope_counters counters;
  int64_t successes;       /* that change no decision */
  int64_t success_sent_ms; /* wall clock, of the last one */
  bool dirty;
  int64_t written_mono_ms;
};

/* One job's standing; zeroed at its start. */
struct guard_ticket {
  struct guard_scope *scope; /* borrowed from the guard; NULL = none yet */
  uint64_t probe;            /* holds the machine's one probe; 0 = no */
  int64_t renewed_mono_ms;
  uint64_t renewed_moved;
  int64_t sent_wall_ms;
  int64_t kept_hold_at_ms; /* the hold-off that it has waited for */
  /* What the last telling found, for the report. */
  bool known;
  enum breaker_mode mode;
  int64_t failures;
  int64_t tokens;  /* of the budget, thousandths; -1 = there is none */
  bool suppressed; /* the retry that was to follow must not be made */
  /* A transition that was stored and not yet told of. */
  bool moved, opened;
  enum breaker_mode from, to;
  int64_t open_ms;
};

enum guard_word {
  GUARD_GO = 0,
  GUARD_HELD,   /* a Retry-After is being kept */
  GUARD_REFUSED /* the breaker is open */
};

struct guard_answer {
  enum guard_word word;
  int64_t wait_ms;
  bool probing; /* REFUSED: another's probe is under way, for WAIT_MS at most */
  int64_t hold_at_ms; /* HELD: which one */
};

/* How an attempt ended. */
struct guard_news {
  enum breaker_event event; /* SUCCESS, FAILURE, THROTTLED or NOTHING */
  int64_t hold_ms;          /* a Retry-After for all; -1 = none */
  char error[64];           /* what failed; "" = nothing */
  enum verdict retried;     /* a retry is to follow; VERDICT_OK = none */
  bool failed;              /* it costs a token of the budget */
  uint64_t sent, received;
};

/* Which object is read; VERSION may be NULL. */
struct guard_object {
  const char *key, *version;
};

/* "https://host:port/bucket", appended; without a target, as of a place that
 * gives credentials, no bucket. */
enum err guard_scope_name(struct buf *out, const struct site *site,
                          const struct target *target)
    __attribute__((warn_unused_result));

/* Points the ticket to the scope of these; to none when memory is out. */
void guard_enlist(struct guard *g, struct guard_ticket *t,
                  const struct site *site, const struct target *target);

/* May a request be sent?  Reads without a lock and takes nothing. */
struct guard_answer guard_look(struct guard *g, const struct guard_ticket *t,
                               struct now now);

/* The same at the moment of sending: takes the probe when it is due. */
struct guard_answer guard_enter(struct guard *g, struct guard_ticket *t,
                                struct now now);

/* A request has been sent; FIRST: the first one of its job. */
void guard_sent(struct guard_ticket *t, bool first, struct now now);

/* Keeps the probe's lease while its bytes move. */
void guard_renew(struct guard *g, struct guard_ticket *t, uint64_t moved,
                 struct now now);

/* The attempt ended.  T tells whether the budget lets the retry follow. */
void guard_tell(struct guard *g, struct guard_ticket *t,
                const struct guard_news *news, struct now now);

/* How long a read of O is still refused because an earlier one spent its
 * retries; 0 = it may be made. */
int64_t guard_mark_left(struct guard *g, const struct guard_ticket *t,
                        const struct guard_object *o, struct now now);

/* A read of O spent its retries, or (when OK) succeeded. */
void guard_mark(struct guard *g, const struct guard_ticket *t,
                const struct guard_object *o, bool ok, struct now now);

/* The run ends because of the breaker.  False when that could not be written
 * down for a full or broken disk: a refusal that nobody can ever end must not
 * stop anybody. */
bool guard_reject(struct guard *g, struct guard_ticket *t, struct now now);

/* Writes the report's line of a transition, and the warning of an opening. */
void guard_announce(struct guard *g, struct guard_ticket *t, struct now now);

/* Tells a person of an opening that this run caused: for one that failed. */
void guard_tell_opening(struct guard *g);

/* Writes what was added up; for the run's end. */
void guard_flush(struct guard *g, struct now now);

void guard_release(struct guard *g);

#endif
