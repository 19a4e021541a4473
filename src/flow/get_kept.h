/* SPDX-License-Identifier: MIT
 *
 * get_kept - a side room of flow/get: a download that a later run may go on
 * with.  What was fetched is only worth something with what it was fetched
 * of: place, validator, size and checksums stand in the note beside it.
 */
#ifndef ANK_FLOW_GET_KEPT_H
#define ANK_FLOW_GET_KEPT_H

#include "flow/checks.h"
#include "io/file.h"

struct get_kept {
  struct engine *engine;  /* borrowed; NULL = nothing is kept */
  struct file_sink *sink; /* borrowed */
  struct kv facts;        /* of the bytes that are there */
  uint64_t reached;       /* how many */
  uint64_t synced;        /* of them on the disk, as the note says */
  bool fresh;             /* bytes of this run are among them */
  bool doubted;           /* the note cannot be written; told once */
};

/* What an earlier run left of the object: FIRST gets the facts that its first
 * answer told, K->reached the bytes to go on behind.  False when there is
 * nothing, or what is there does not fit, which is told. */
bool get_kept_find(struct get_kept *k, struct op_result *first);

/* Reads them again, for C, within deadline and signals. */
enum err get_kept_reread(struct get_kept *k, const struct job *j,
                         struct checks *c, struct error *e)
    __attribute__((warn_unused_result));

/* The first answer of an object that is fetched from its beginning. */
void get_kept_begin(struct get_kept *k, const struct op_result *first);

/* REACHED bytes are in the sink. */
void get_kept_moved(struct get_kept *k, uint64_t reached);

/* They are of no use any more. */
void get_kept_forget(struct get_kept *k);

/* The run ends without the whole. */
void get_kept_leave(struct get_kept *k);

void get_kept_release(struct get_kept *k);

#endif
