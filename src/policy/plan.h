/* SPDX-License-Identifier: MIT
 *
 * plan - how an object is cut into parts.
 *
 * A file is cut evenly, as fine as the provider's number of parts allows.  A
 * stream has no known end, so its parts grow, within the memory that may hold
 * them.  Sizes and counts alone; reads and sends nothing, knows no provider
 * (its limits are values) and no option but by the names in its messages.
 * Pure; all sizes are bytes, parts are numbered from 1.  Source: cli.md.
 */
#ifndef ANK_POLICY_PLAN_H
#define ANK_POLICY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define PLAN_PART   (UINT64_C(8) << 20)   /* --part-size by default */
#define PLAN_BUFFER (UINT64_C(256) << 20) /* --buffer-limit by default */

/* The provider's; each of the first four at least 1. */
struct plan_limits {
  uint64_t min_part, max_part; /* of a part that is not the last */
  unsigned max_parts;
  uint64_t max_object;
  uint64_t usual_part; /* without a wish; 0: PLAN_PART */
  bool equal;          /* all parts but the last must be of one size */
};

/* The user's. */
struct plan_wish {
  uint64_t part_size;    /* --part-size; 0: none given */
  uint64_t buffer_limit; /* --buffer-limit; PLAN_BUFFER if none is given */
  unsigned parallel;     /* --parallel, at least 1 */
  uint64_t expected;     /* --expected-size of a stream; 0: none given */
};

struct plan {
  bool stream;
  bool expected;    /* the stream's size was told */
  uint64_t size;    /* of the file */
  uint64_t first;   /* the file's parts; the stream's first ones */
  uint64_t ceiling; /* beyond which the stream's do not grow */
  unsigned step;    /* parts of one size before they double */
  uint64_t most;
  unsigned max_parts;
  uint64_t buffer_limit;
  unsigned parallel;
};

/* For a file of SIZE bytes: parts of --part-size or PLAN_PART, or larger where
 * there would be too many.  An empty file is one empty part.  ERR_USAGE for a
 * --part-size outside the limits, ERR_LOCAL when no object holds SIZE. */
enum err plan_file(struct plan *p, const struct plan_limits *limits,
                   const struct plan_wish *wish, uint64_t size, struct error *e)
    __attribute__((warn_unused_result));

/* For a stream: parts begin at --part-size or PLAN_PART and double after each
 * twentieth of the provider's number of them, 500 at most, up to half the
 * buffer limit.  Where they must be equal, they are from the first one as large
 * as what is expected needs, or as fit the buffer limit while as many as
 * wished are sent.  ERR_USAGE when a part does not fit in the buffer limit or
 * what is expected does not fit in all of them. */
enum err plan_stream(struct plan *p, const struct plan_limits *limits,
                     const struct plan_wish *wish, struct error *e)
    __attribute__((warn_unused_result));

/* Parts of a file. */
unsigned plan_count(const struct plan *p);

/* Where part NUMBER of a file is. */
void plan_part(const struct plan *p, unsigned number, uint64_t *offset,
               uint64_t *length);

/* Bytes of part NUMBER, of a stream unless it ends there; 0 when there is no
 * such part. */
uint64_t plan_size(const struct plan *p, unsigned number);

/* The most bytes that the parts, and an object, may hold. */
uint64_t plan_most(const struct plan *p);

/* Parts that may be in memory at once when NUMBER is read, which is one of
 * them: as many as are sent at once and one more, or fewer, so that they stay
 * within the buffer limit.  At least 1 for a stream; 0 for a file whose parts
 * are too large to be held and have to be read again. */
unsigned plan_held(const struct plan *p, unsigned number);

/* Half of the parts are used up with NUMBER, and nobody said how much there is:
 * once a stream. */
bool plan_warns(const struct plan *p, unsigned number);

#endif
