/* SPDX-License-Identifier: MIT
 *
 * budget - may there be a retry at all?  The token bucket of gRPC's proposal A6
 * (retry throttling), by which a target that fails gets little more load than
 * its first attempts.
 *
 * It is full at first.  A failed attempt costs a token, a success earns RATIO
 * of one, and a retry is made only while more than half of the tokens are left.
 * Pure: which scope it is of, and where it is kept, is flow/guard's.
 */
#ifndef ANK_POLICY_BUDGET_H
#define ANK_POLICY_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* In thousandths of a token; zeroed: there is no budget. */
struct budget_policy {
  int64_t max;
  int64_t ratio; /* earned by a success */
};

/* What has been spent, so that zeroed is full. */
struct budget {
  int64_t spent; /* thousandths */
  int64_t max;   /* of the policy that wrote it last; 0 = none has */
  int64_t at_ms; /* wall clock, when it was last touched */
};

/* So many attempts failed and so many succeeded. */
struct budget budget_step(const struct budget_policy *p, const struct budget *b,
                          int64_t failures, int64_t successes, int64_t wall_ms);

/* Thousandths that are left.  One that nobody touched for 60 s is full again,
 * and so is one whose stamp lies more than a second ahead. */
int64_t budget_left(const struct budget *b, int64_t max, int64_t wall_ms);

bool budget_allows(const struct budget_policy *p, const struct budget *b,
                   int64_t wall_ms);

/* "0", no budget, or "N" or "N,RATIO": a whole number of tokens from 1 to 1000,
 * and what a success earns, more than 0 and at most N, with three decimals at
 * most (0.1).  False leaves *OUT alone. */
bool budget_policy_parse(const char *spec, struct budget_policy *out);

#endif
