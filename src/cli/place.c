/* SPDX-License-Identifier: MIT
 *
 * place - see place.h.
 */
#include "cli/place.h"

#include "io/identity.h"

static void fall_back(struct site_wish *w, const struct credload_settings *s)
{
  if (!w->region) {
    w->region = s->region;
    w->region_from = s->region_from;
  }
  if (!w->endpoint) {
    w->endpoint = s->endpoint;
    w->endpoint_from = s->endpoint_from;
  }
  w->region_metadata = s->region_metadata;
  w->default_realm = s->default_realm;
}

enum err place_find(const struct opt *o, const struct provider *p,
                    const struct target *t, struct site *out, struct error *e)
{
  struct site_wish wish = {
      .endpoint = opt_text(o, OPT_ENDPOINT),
      .endpoint_from = opt_source(o, OPT_ENDPOINT),
      .region = opt_text(o, OPT_REGION),
      .region_from = opt_source(o, OPT_REGION),
      .addressing = opt_text(o, OPT_ADDRESSING),
      .addressing_from = opt_source(o, OPT_ADDRESSING),
  };
  struct credload_settings settings = {0};
  const struct credload_ask ask = {.profile = opt_text(o, OPT_PROFILE),
                                   .target = t};
  enum err err = identity_settings(p->name, &ask, &settings, e);
  if (err)
    return err;
  fall_back(&wish, &settings);
  err = p->locate(t, &wish, out, e);
  credload_settings_release(&settings);
  return err;
}
