/* SPDX-License-Identifier: MIT
 *
 * summary - how one object fared: what put and get hand to the face, and the
 * report's `result` line made of it.
 */
#ifndef ANK_FLOW_SUMMARY_H
#define ANK_FLOW_SUMMARY_H

#include "flow/engine.h"

struct summary {
  enum err end;
  const char *file;   /* borrowed: which of several; NULL = the only one */
  const char *why;    /* borrowed constant; NULL = nothing to add */
  struct error error; /* words for a person when end is a failure */
  bool has_bytes;
  uint64_t bytes;    /* of the object that were stored or delivered */
  char checksum[80]; /* "sha256:HEX" that was verified or signed */
  bool facts;        /* -I: size, dates and metadata are wanted */
  struct op_result result;
  struct kv metadata; /* names without the provider's prefix */
  bool throttled;
  int64_t throttled_s;
  int64_t open_left_ms; /* ERR_BREAKER_OPEN */
  bool dry_run;
  bool unguarded;            /* a condition was asked for, and is ignored */
  const char *settled;       /* "same_object": it had been there */
  const char *confirmed_by;  /* "head": its answer was lost */
  const char *leftover;      /* "possible": an upload that nobody knows of */
  bool has_aborted, aborted; /* an upload in parts that was begun */
  char upload_id[1024];      /* of one that is left */
  bool has_resumed;
  uint64_t resumed_from; /* bytes that an earlier run had moved */
  bool has_producer_exit;
  int producer_exit;
  struct buf url; /* of a dry run */
  unsigned parts; /* of a dry run in parts; 0 = none */
  uint64_t part_size;
};

/* Takes over what the job learnt. */
enum err summary_of_job(struct summary *s, const struct job *j)
    __attribute__((warn_unused_result));

/* Writes the `result` line; E may lack what was never set up (usage errors). */
void summary_tell(const struct summary *s, const struct engine *e,
                  struct report *r, int exit_status, struct now now);

/* J, which is built and signed but not sent, and where it would go. */
void summary_dry_run(struct summary *s, struct engine *e, struct job *j);

/* "sha256:HEX". */
void summary_checksum(struct summary *s, enum hash_alg alg,
                      const unsigned char *digest);

void summary_release(struct summary *s);

#endif
