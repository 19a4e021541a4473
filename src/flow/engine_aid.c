/* SPDX-License-Identifier: MIT
 *
 * engine_aid - a part of flow/engine: jobs on behalf of those that wait, for
 * the bucket's region or for credentials.
 */
#include "flow/engine_end.h"
#include "flow/engine_loop.h"
#include "flow/repair.h"
#include "flow/token.h"

/* ---- the region ---- */

static void end_region(struct loop *l)
{
  struct job *aid = &l->aids[AID_REGION];
  bool told =
      aid->end == ERR_OK && repair_region(l->e, &aid->result, &aid->error);
  for (size_t i = 0; i < l->n; i++) {
    struct job *j = &l->jobs[i];
    if (j->state == JOB_ASKING && told)
      j->state = JOB_READY;
    else if (j->state == JOB_ASKING)
      engine_end_asker(j, aid);
  }
  job_release(aid);
  *aid = (struct job){.state = JOB_IDLE};
}

/* ---- credentials ---- */

/* Whose credentials are merely about to end goes on with them. */
static void tell(struct job *j, enum token_word word)
{
  bool refused = j->refused;
  j->refused = false;
  j->state = JOB_READY;
  if (word == TOKEN_SAME && refused)
    engine_end_refused(j);
  else if (word == TOKEN_FAILED &&
           (refused || !creds_present(&j->engine->creds)))
    engine_end_wanting(j);
}

static void settle_token(struct loop *l, enum token_word word)
{
  struct job *aid = &l->aids[AID_TOKEN];
  if (word == TOKEN_ASK) {
    aid->state = JOB_READY;
    return;
  }
  aid->state = JOB_IDLE;
  for (size_t i = 0; i < engine_count(l); i++)
    if (engine_nth(l, i)->state == JOB_WANTING)
      tell(engine_nth(l, i), word);
}

static void end_token(struct loop *l)
{
  struct job ended = l->aids[AID_TOKEN];
  l->aids[AID_TOKEN] = (struct job){.state = JOB_IDLE};
  settle_token(l, token_go_on(l->e, &ended, &l->aids[AID_TOKEN]));
  job_release(&ended);
}

/* ---- both ---- */

bool engine_end_aids(struct loop *l)
{
  bool token = l->aids[AID_TOKEN].state == JOB_DONE;
  bool region = l->aids[AID_REGION].state == JOB_DONE;
  if (token)
    end_token(l);
  if (region)
    end_region(l);
  return token || region;
}

static bool is_awaited(struct loop *l, enum loop_aid aid, enum job_state state)
{
  bool awaited = false;
  for (size_t i = 0; i < engine_count(l); i++)
    awaited = awaited || engine_nth(l, i)->state == state;
  return awaited && l->aids[aid].state == JOB_IDLE;
}

bool engine_begin_aids(struct loop *l)
{
  bool region = is_awaited(l, AID_REGION, JOB_ASKING);
  bool token = is_awaited(l, AID_TOKEN, JOB_WANTING);
  if (region)
    l->aids[AID_REGION] =
        (struct job){.op = OP_BUCKET, .engine = l->e, .sink_fd = -1};
  if (token)
    settle_token(l, token_begin(l->e, &l->aids[AID_TOKEN]));
  return region || token;
}
