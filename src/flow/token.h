/* SPDX-License-Identifier: MIT
 *
 * token - how a run comes by its credentials, and by others when they end.
 *
 * Walks the ways that were found, grant by grant, each a job of the engine like
 * any other: within the deadline, in the report, under the policy.  One at a
 * time: all jobs of a run wait for the same one.  Keeps what was given for
 * later runs (io/tokens).  Credentials are replaced before they end, AWS's
 * keys ten minutes, bearer tokens five, and those that cannot be are used on
 * until they are refused.
 */
#ifndef ANK_FLOW_TOKEN_H
#define ANK_FLOW_TOKEN_H

#include "flow/job.h"

enum token_word {
  TOKEN_ASK = 0, /* there is a request to be made for them */
  TOKEN_HAVE,    /* the engine has them now */
  TOKEN_SAME,    /* they are those that it had */
  TOKEN_FAILED   /* engine.token says why */
};

/* Before the run: takes credentials that are on this machine, or finds out
 * which way to ask for.  ERR_CREDENTIALS when there is neither. */
enum err token_prepare(struct engine *e, struct error *err)
    __attribute__((warn_unused_result));

/* Must the next request wait for credentials? */
bool token_is_due(const struct engine *e, struct now now);

/* Credentials were refused: looks for others on this machine.  Words of a
 * failure in ERR. */
enum token_word token_reload(struct engine *e, struct error *err);

/* Begins to ask; TOKEN_ASK fills J. */
enum token_word token_begin(struct engine *e, struct job *j);

/* J, which was for them, has ended: what comes next.  TOKEN_ASK fills NEXT. */
enum token_word token_go_on(struct engine *e, const struct job *j,
                            struct job *next);

void token_release(struct token *t);

#endif
