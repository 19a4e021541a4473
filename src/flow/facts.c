/* SPDX-License-Identifier: MIT
 *
 * facts - see facts.h.
 */
#include "flow/facts.h"

static void judge(struct job *j, const struct op_result *r)
{
  if (j->call.response.status >= 300 || op_result_is_genuine(r))
    return;
  err_set(&j->error, ERR_REJECTED, "the answer is not one to what was asked");
  j->refusal =
      (struct refusal){true, CODE_TRANSIENT, ERR_REJECTED, "unexpected_answer"};
}

static const struct job_hooks hooks = {.judge = judge};

void facts_ask(struct engine *e, struct summary *s)
{
  struct job j = {
      .op = OP_HEAD, .kind = JOB_SMALL, .hooks = &hooks, .sink_fd = -1};
  s->facts = true;
  engine_run(e, &j, 1);
  if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  job_release(&j);
}
