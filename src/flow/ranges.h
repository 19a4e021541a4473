/* SPDX-License-Identifier: MIT
 *
 * ranges - the further ranges of a large object, fetched beside the request
 * that began to read it.
 *
 * That request is one like any other, a plain GET, so a small object costs no
 * more than it did.  When its head shows a large object whose versions can be
 * told apart, it keeps the first range and is broken off there (a connection
 * lost, and what was on its way in it), while the others are asked for: each a
 * job of the engine with attempts of its own, held to the one validator,
 * written at its own place in the file.  For a pipe they are held in memory
 * until it is their turn, the first job's as well: no transfer waits for the
 * reader, so none breaks for it.
 *
 *   ALONE --split--> ON --a range was not given as asked for--> OFF
 *     ^               |
 *     +---void--------+
 *
 * A server that does not give a range as asked for gets no more of them: the
 * first job goes on alone from where its range ended.  When the bytes turn out
 * to be void, the job that noticed starts over as the first one.
 */
#ifndef ANK_FLOW_RANGES_H
#define ANK_FLOW_RANGES_H

#include "flow/ahead.h"
#include "flow/engine.h"
#include "flow/validator.h"
#include "io/file.h"

struct ranges_wish {
  uint64_t threshold;    /* larger reads are split */
  uint64_t part_size;    /* 0 = as the plan has it */
  unsigned parallel;     /* at once; 1 = none beside the first */
  uint64_t buffer_limit; /* of memory for what a pipe cannot take yet */
};

struct ranges;

/* What the read answers for.  The context of each job is the struct ranges,
 * which the read has as its first member. */
struct ranges_owner {
  const struct job_hooks *hooks; /* the first job's */
  /* J found another object: J's attempt is refused and ranges_void called. */
  enum http_head (*changed)(struct job *j);
  /* J brought the last bytes: WHOLE is set, or J refused and ranges_void
   * called. */
  void (*finish)(struct job *j);
  /* The next bytes in order that the first job did not bring itself. */
  enum err (*hash)(struct ranges *r, const char *data, size_t len);
  /* How the run ended, J being the job that ended it. */
  void (*ended)(struct job *j);
};

/* One of the engine's slots: what is left of its range. */
struct range_slot {
  uint64_t first, end, reached; /* of the object; END 0 = no range */
  struct ahead_piece *piece;    /* its bytes, for a pipe; else NULL */
  bool done;                    /* and its answer was a good one */
  bool dropped;
};

/* Zeroed, then filled up to the blank line; ranges_run does the rest. */
struct ranges {
  struct engine *engine;
  struct ranges_wish wish;
  struct ranges_owner owner;
  struct file_sink *sink;
  const struct validator *validator;
  uint64_t *reached; /* the first job's next byte */
  bool hashing;      /* the owner wants to see the bytes in order */
  bool whole;        /* all is done */

  struct job *jobs; /* NULL: nothing will be split */
  struct range_slot *slots;
  struct job *lead; /* the first job; NULL when its range has been brought */
  bool on, off, lead_done, dropping, ended;
  struct job *noticed; /* while dropping: the job that starts over */
  uint64_t begin, end; /* of the object's bytes that are wanted */
  uint64_t limit;      /* where the first job's range ends */
  uint64_t part, next; /* the ranges' size; where the next one begins */
  uint64_t hashed;
  char *slice;
  struct ahead ahead;             /* for a pipe */
  struct ahead_piece *lead_piece; /* the first job's, while ON; else NULL */
  struct error fault;             /* what ended the run beside all jobs */
  uint64_t got, most;             /* bytes in this start, in any of them */
  unsigned voids;
};

/* ERR_USAGE for a --part-size that cannot be. */
enum err ranges_check(const struct ranges_wish *w, struct error *e)
    __attribute__((warn_unused_result));

/* Runs the first job, and what comes of it, to the end.  ERR_OK when the owner
 * was told how; else that goes before it: ERR_INTERNAL, why nothing was begun,
 * or why a pipe did not get what was fetched. */
enum err ranges_run(struct ranges *r, struct error *e)
    __attribute__((warn_unused_result));

/* The first answer's head tells that [BEGIN, END) is to be fetched; END is
 * UINT64_MAX when it does not tell.  Sets limit. */
void ranges_split(struct ranges *r, uint64_t begin, uint64_t end);

/* True when the first job, J, has brought its range and its answer goes on: J
 * is to break off. */
bool ranges_cut(const struct ranges *r, struct job *j);

/* Takes up to LEN bytes of the first job's for a pipe: how many, or -1. */
long ranges_pass_on(struct ranges *r, const char *data, unsigned long len,
                    struct error *e);

/* Counts N new bytes of J's. */
void ranges_gain(struct ranges *r, struct job *j, uint64_t n);

/* J, the first job, has brought its range.  True when that is all. */
bool ranges_lead_done(struct ranges *r);

/* Hashes what is left.  ERR_LOCAL, ERR_DEADLINE, ERR_INTERRUPTED. */
enum err ranges_hash_rest(struct ranges *r, struct error *e)
    __attribute__((warn_unused_result));

/* All bytes so far are void; J will start over when its next attempt is made,
 * or is the end. */
void ranges_void(struct ranges *r, struct job *j);

#endif
