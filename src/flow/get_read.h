/* SPDX-License-Identifier: MIT
 *
 * get_read - a side room of flow/get: the read itself, as the hooks of its job
 * - what is asked, what an answer brings, whether it is whole.
 */
#ifndef ANK_FLOW_GET_READ_H
#define ANK_FLOW_GET_READ_H

#include "flow/checks.h"
#include "flow/get.h"
#include "flow/get_kept.h"
#include "flow/ranges.h"
#include "flow/validator.h"
#include "io/file.h"

enum get_state { GET_FIRST = 0, GET_MOVING, GET_WHOLE };

struct get {
  struct ranges ranges; /* first: the jobs' context is both */
  struct engine *engine;
  struct get_wish wish;
  struct file_sink sink;
  struct job job;
  enum get_state state;
  struct validator validator;
  struct range range; /* as asked; absolute once the first answer came */
  bool has_end;
  uint64_t begin, end; /* of the object: [begin, end) is wanted */
  uint64_t reached;    /* next byte the sink needs */
  uint64_t skip;       /* bytes of this answer that it has or must not get */
  bool whole_object;   /* checksums speak of what we deliver */
  bool over;           /* what is in the sink is void */
  struct get_kept kept;
  bool stale; /* what an earlier run left is of an older object */
  struct summary *summary;
  struct checks checks;
};

/* Of the read's first job. */
extern const struct job_hooks get_read_hooks;

/* As struct ranges_owner's. */
enum http_head get_read_changed(struct job *j);
void get_read_finish(struct job *j);
enum err get_read_hash(struct ranges *r, const char *data, size_t len);

#endif
