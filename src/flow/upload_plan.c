/* SPDX-License-Identifier: MIT
 *
 * upload_plan - see upload_plan.h.
 */
#include "flow/upload_plan.h"

#include "cloud/weburl.h"
#include "io/sys.h"

static void in_one(struct plan_limits *l, const struct provider *p)
{
  l->equal = true;
  l->max_parts = 1;
  l->max_part = l->max_object = p->max_single;
}

/* What takes no upload in parts has one, which is all. */
static struct plan_limits limits_of(const struct engine *e)
{
  const struct provider *p = e->provider;
  const struct quirk *q = e->site.quirk;
  struct plan_limits l = {.min_part = p->min_part,
                          .max_part = p->max_part,
                          .max_parts = p->max_parts,
                          .max_object = p->max_object};
  if (weburl_is_one_request(e->target))
    in_one(&l, p);
  if (!q || weburl_is_one_request(e->target))
    return l;
  l.usual_part = q->usual_part;
  l.equal = q->equal_parts;
  if (q->max_parts)
    l.max_parts = q->max_parts;
  if (q->max_object)
    l.max_object = q->max_object;
  if (q->no_parts)
    in_one(&l, p);
  return l;
}

enum err upload_plan(const struct engine *e, const struct put_wish *w,
                     const struct upload_source *source, struct plan *out,
                     struct error *err)
{
  const struct plan_limits limits = limits_of(e);
  const struct plan_wish wish = {
      .part_size = limits.max_parts > 1 ? w->part_size : 0,
      .buffer_limit = w->buffer_limit,
      .parallel = w->parallel,
      .expected = w->has_expected_size ? w->expected_size : 0};
  return source->file ? plan_file(out, &limits, &wish, source->size, err)
                      : plan_stream(out, &limits, &wish, err);
}

bool upload_plan_parts(const struct engine *e)
{
  return !weburl_is_one_request(e->target) &&
         (!e->site.quirk || !e->site.quirk->no_parts);
}

void upload_plan_warn(const struct engine *e, const struct plan *plan,
                      unsigned number)
{
  if (plan_warns(plan, number))
    report_warning(e->report, sys_now().wall_ms, "half_of_the_parts", NULL,
                   "half of the parts are used up; with --expected-size or a "
                   "larger --buffer-limit they would be larger");
}
