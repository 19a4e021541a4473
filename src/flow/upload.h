/* SPDX-License-Identifier: MIT
 *
 * upload - an object in parts, several at once:
 *
 *   START --created--> PARTS --all stored--> FINISH --completed--> DONE
 *     ^                  |                     |
 *     +--the upload was lost, and the source can be read again, once--+
 *
 *   any --failure, signal, deadline--> ABORT --> FAILED
 *
 * Each part is a job of the engine with attempts of its own; what the parts
 * share (deadline, breaker, pause, repairs) is the engine's.
 */
#ifndef ANK_FLOW_UPLOAD_H
#define ANK_FLOW_UPLOAD_H

#include "flow/summary.h"
#include "io/file.h"
#include "io/stream.h"

/* What is to be stored, and how. */
struct put_wish {
  const char *path;   /* NULL: standard input, or COMMAND */
  char **command;     /* ended by NULL; NULL = none */
  bool dry_run;       /* stops before the request */
  uint64_t threshold; /* larger ones travel in parts */
  uint64_t part_size; /* 0 = as the plan has it */
  uint64_t buffer_limit;
  unsigned parallel;
  bool has_expected_size;
  uint64_t expected_size;
  const char *expect_sha256; /* hex; NULL = none */
  bool no_clobber;
  char nonce[33]; /* with no_clobber, made by put_object */
  bool resume;    /* what another run began is continued, ours is kept */
  const char *state_file; /* the journal is beside it; NULL = by default */
  const char *spool_dir;  /* where a stream may be kept before it is sent */
};

/* Where the parts come from: FILE, from OFFSET, or STREAM, whose first bytes
 * have been read already.  Borrows all but HEAD. */
struct upload_source {
  struct file_source *file;
  uint64_t offset, size; /* of the file's bytes that are meant */
  struct stream *stream;
  char *head; /* owned: malloc'd, room for a first part */
  uint64_t head_len;
  struct hash whole; /* of the stream's bytes so far, those of HEAD too */
  struct checksum digests[HASH_ALG_COUNT]; /* of the whole, once known */
};

/* Stores it; S is filled as put_object does.  Takes SOURCE's head. */
void upload_run(struct engine *e, const struct put_wish *w,
                struct upload_source *source, struct summary *s);

#endif
