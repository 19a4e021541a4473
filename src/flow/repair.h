/* SPDX-License-Identifier: MIT
 *
 * repair - what mends a request so that it may be sent again at once: another
 * region, clock, token or header (policy.md 1).
 *
 * Shared by a run: what one job learnt serves all, and a job that was signed
 * before the change is simply signed again.  Refused twice with the same is
 * permanent.
 */
#ifndef ANK_FLOW_REPAIR_H
#define ANK_FLOW_REPAIR_H

#include "flow/attempt.h"

enum repair {
  REPAIR_NONE = 0,
  REPAIR_DONE,
  REPAIR_ASK_REGION,
  REPAIR_ASK_TOKEN
};

/* Tries to mend J, whose attempt ended as END. */
enum repair repair_job(struct job *j, const struct attempt_end *end,
                       struct now now, struct error *e);

/* Applies the region that OP_BUCKET's answer told. */
bool repair_region(struct engine *e, const struct op_result *r,
                   struct error *err);

#endif
