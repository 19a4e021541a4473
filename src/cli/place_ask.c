/* SPDX-License-Identifier: MIT
 *
 * place_ask - see place_ask.h.
 */
#include "cli/place_ask.h"

#include "cli/place.h"
#include "flow/namespace.h"
#include "io/identity.h"

static enum err locate(struct engine *e, const struct opt *o,
                       const struct creds *told, struct summary *s)
{
  const struct place_region in = {buf_str(&told->key_id),
                                  buf_str(&told->token)};
  return s->end =
             place_find_in(o, e->provider, e->target, &in, &e->site, &s->error);
}

enum err place_ask(struct engine *e, const struct opt *o, bool dry_run,
                   struct summary *s)
{
  struct ways ways = {.n = 0};
  struct creds told;
  creds_init(&told);
  struct way *w = ways_add(&ways);
  s->end = w ? identity_region(e->provider->name, w, &s->error)
             : err_set(&s->error, ERR_INTERNAL, "out of memory");
  if (!s->end && !namespace_ask_region(e, w, dry_run, &told, s))
    (void)locate(e, o, &told, s);
  creds_release(&told);
  ways_release(&ways);
  return s->end;
}
