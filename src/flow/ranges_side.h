/* SPDX-License-Identifier: MIT
 *
 * ranges_side - what the parts of flow/ranges share.
 */
#ifndef ANK_FLOW_RANGES_SIDE_H
#define ANK_FLOW_RANGES_SIDE_H

#include "flow/ranges.h"

enum { RANGES_HASH_SLICE = 256 * 1024 };

/* Of a range's job; its context is the struct ranges. */
extern const struct job_hooks ranges_one_hooks;

static inline uint64_t ranges_min(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static inline struct range_slot *ranges_slot(struct ranges *r,
                                             const struct job *j)
{
  return &r->slots[j - r->jobs];
}

/* All below it came, by answers that were good to their end. */
uint64_t ranges_settled(const struct ranges *r);

bool ranges_complete(const struct ranges *r);

/* Hashes what has come into order, at most MOST bytes of it. */
enum err ranges_hash_some(struct ranges *r, uint64_t most, struct error *e)
    __attribute__((warn_unused_result));

/* What a pipe took, as struct ahead's wrote. */
enum err ranges_wrote(void *ctx, uint64_t at, const char *data, size_t len);

/* The same, all of it up to TO. */
enum err ranges_hash_to(struct ranges *r, uint64_t to, struct error *e)
    __attribute__((warn_unused_result));

/* What is left for a pipe.  ERR_DEADLINE, ERR_INTERRUPTED, and as
 * ahead_write. */
enum err ranges_drain(struct ranges *r, struct error *e)
    __attribute__((warn_unused_result));

#endif
