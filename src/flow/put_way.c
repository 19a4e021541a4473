/* SPDX-License-Identifier: MIT
 *
 * put_way - see put_way.h.
 */
#include "flow/put_way.h"

#include <inttypes.h>
#include <string.h>

#include "flow/put.h"
#include "flow/put_spool.h"
#include "flow/session.h"
#include "flow/upload_drop.h"
#include "flow/upload_end.h"
#include "flow/upload_plan.h"

/* Where parts take no condition, and keys sign no session, all is one. */
bool put_way_is_single(const struct engine *e, const struct put_wish *w,
                       uint64_t size)
{
  return (put_spool_needed(e) || size <= w->threshold ||
          !upload_plan_parts(e)) &&
         size <= e->provider->max_single;
}

enum err put_way_refuse(const struct engine *e, uint64_t room,
                        struct error *err)
{
  return err_set(
      err, ERR_LOCAL,
      "%s takes no upload in parts, and of a stream more than "
      "%" PRIu64 " bytes are not held in memory; give a file, "
      "or a larger --buffer-limit",
      target_is_signed(e->target) ? "a signed URL" : e->site.quirk->name, room);
}

enum err put_way_room(const struct engine *e, const struct put_wish *w,
                      const struct upload_source *source, uint64_t *room,
                      struct error *err)
{
  struct plan plan;
  if (session_needed(e)) {
    *room = session_chunk(e, w);
    return ERR_OK;
  }
  enum err end = upload_plan(e, w, source, &plan, err);
  if (!end)
    *room = plan_size(&plan, 1);
  return end;
}

bool put_way_is_open(struct engine *e, struct summary *s)
{
  struct job j = {.op = OP_PUT, .asks_only = true, .sink_fd = -1};
  engine_run(e, &j, 1);
  if (summary_of_job(s, &j))
    s->end = ERR_INTERNAL;
  job_release(&j);
  return s->end == ERR_OK;
}

void put_abort(struct engine *e, const char *id, bool dry_run,
               struct summary *s)
{
  struct upload_state u = {.n = 0};
  if (strlen(id) >= sizeof u.id) {
    s->end = err_set(&s->error, ERR_USAGE, "--abort-upload: is too long");
    return;
  }
  memcpy(u.id, id, strlen(id));
  upload_drop(e, &u, dry_run, s);
}
