/* SPDX-License-Identifier: MIT
 *
 * piece - one request's worth of an object, from a file or from memory: hashed
 * before it is sent, and found unchanged before its last byte leaves.
 */
#ifndef ANK_FLOW_PIECE_H
#define ANK_FLOW_PIECE_H

#include "flow/job.h"
#include "io/file.h"

struct piece {
  struct file_source *file; /* borrowed; NULL: DATA */
  const char *data;         /* borrowed */
  uint64_t offset, length;  /* in the file */
  const char *doing;        /* for progress; NULL: hashing is not shown */
  struct error *error;      /* where reading fails; the job's */
  struct checksum digests[HASH_ALG_COUNT]; /* those that were asked for */
};

/* The digest ALG of it when it is known; borrowed, else NULL. */
const unsigned char *piece_digest(const struct piece *p, enum hash_alg alg);

/* Only hashes it, by SHA-256 and what the engine wants on top, for a job of a
 * running engine that need not be started. */
enum err piece_hash(struct piece *p, const struct job *j, struct error *e)
    __attribute__((warn_unused_result));

/* Hashes what is still to be hashed and fills body and digests of ARGS.  As
 * a job's prepare. */
enum err piece_prepare(struct piece *p, struct job *j, struct op_args *args,
                       struct error *e) __attribute__((warn_unused_result));

/* A last word on the answer to it: a digest that the server refused though
 * the source is the same, or one of its own that is another.  As a job's
 * judge. */
void piece_judge(struct piece *p, struct job *j, const struct op_result *r);

#endif
