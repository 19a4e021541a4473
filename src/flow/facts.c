/* SPDX-License-Identifier: MIT
 *
 * facts - see facts.h.
 */
#include "flow/facts.h"

bool facts_has_checksum(const struct engine *e, const struct op_result *r,
                        struct error *e_out)
{
  const struct object_options *o = e->options;
  bool has = !o->has_checksum || r->checksums[o->checksum].present;
  if (!has)
    err_set(e_out, ERR_INTEGRITY,
            "--checksum: the answer has no %s of the whole object",
            hash_name(o->checksum));
  return has;
}

static void judge(struct job *j, const struct op_result *r)
{
  if (j->call.response.status >= 300)
    return;
  if (op_result_is_genuine(r)) {
    if (!facts_has_checksum(j->engine, r, &j->error))
      j->refusal =
          (struct refusal){true, CODE_NONE, ERR_INTEGRITY, "no_checksum"};
    return;
  }
  err_set(&j->error, ERR_REJECTED, "the answer is not one to what was asked");
  j->refusal =
      (struct refusal){true, CODE_TRANSIENT, ERR_REJECTED, "unexpected_answer"};
}

static const struct job_hooks hooks = {.judge = judge};

void facts_ask(struct engine *e, struct summary *s)
{
  struct job j = {
      .op = OP_HEAD, .kind = JOB_SMALL, .hooks = &hooks, .sink_fd = -1};
  const struct object_options *o = e->options;
  s->facts = true;
  engine_run(e, &j, 1);
  if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  if (s->end == ERR_OK && o->has_checksum)
    summary_checksum(s, o->checksum, s->result.checksums[o->checksum].digest);
  job_release(&j);
}
