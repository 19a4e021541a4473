/* SPDX-License-Identifier: MIT
 *
 * namespace - see namespace.h.
 */
#include "flow/namespace.h"

#include <stdlib.h>
#include <string.h>

#include "flow/engine.h"

static enum err take(struct target *t, const struct job *j, struct summary *s)
{
  t->account = strdup(j->result.account);
  return t->account ? ERR_OK
                    : err_set(&s->error, ERR_INTERNAL, "out of memory");
}

enum err namespace_ask(struct engine *e, struct target *t, bool dry_run,
                       struct summary *s)
{
  struct job j = {.op = OP_NAMESPACE, .sink_fd = -1};
  if (dry_run)
    return s->end = err_set(&s->error, ERR_USAGE,
                            "--dry-run: the namespace is not in the URL, and "
                            "would have to be asked for");
  engine_run(e, &j, 1);
  s->end = j.end;
  if (j.end == ERR_OK)
    s->end = take(t, &j, s);
  else if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  job_release(&j);
  return s->end;
}
