/* SPDX-License-Identifier: MIT
 *
 * get - fetches one object, or its facts, to a file or a stream.
 *
 * Bytes reach the destination only after status and headers were judged; a cut
 * transfer goes on at the byte reached if the object is provably the same.  A
 * file shows up whole or not at all; a pipe gets each byte once, in order.
 */
#ifndef ANK_FLOW_GET_H
#define ANK_FLOW_GET_H

#include "flow/ranges.h"
#include "flow/summary.h"

struct get_wish {
  const char *output; /* NULL = standard output */
  bool create_dirs;
  bool resume; /* go on with what an earlier run left, and leave it in turn */
  bool head;   /* only the facts */
  bool dry_run;
  struct range range;
  struct ranges_wish ranges; /* how a large one is fetched */
};

/* Fills S; S->end says how it went. */
void get_object(struct engine *e, const struct get_wish *w, struct summary *s);

#endif
