/* SPDX-License-Identifier: MIT
 *
 * token_ask - a side room of flow/token: one request for what a grant gives.
 */
#ifndef ANK_FLOW_TOKEN_ASK_H
#define ANK_FLOW_TOKEN_ASK_H

#include "flow/job.h"

/* Fills J for the grant that is due; what it gives is then in hand.
 * ERR_INTERNAL: memory is out. */
enum err token_ask(struct engine *e, struct job *j)
    __attribute__((warn_unused_result));

#endif
