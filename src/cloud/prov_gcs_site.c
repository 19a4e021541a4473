/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_site - see prov_gcs_site.h.
 */
#include "cloud/prov_gcs_site.h"

#include <string.h>

#include "base/codec.h"

#define HOST "storage.googleapis.com"

/* The path is what every name of a bucket can stand in. */
static enum err choose_style(const struct target *t, const struct site_wish *w,
                             struct site *s, struct error *e)
{
  s->virtual_host = w->addressing && strcmp(w->addressing, "virtual") == 0;
  if (s->virtual_host && !uri_is_hostname(t->bucket))
    return err_set(e, ERR_USAGE,
                   "%s: bucket '%.80s' cannot stand in a host name; use path",
                   w->addressing_from ? w->addressing_from : "addressing",
                   t->bucket);
  return ERR_OK;
}

enum err prov_gcs_locate(const struct target *t, const struct site_wish *w,
                         struct site *out, struct error *e)
{
  struct site s = {.custom = w->endpoint != NULL};
  enum err err = s.custom ? site_endpoint(w, &s.base, e)
                          : uri_parse("https://" HOST, &s.base, e);
  if (err)
    return err;
  s.own =
      codec_ends_with(s.base.host, "." HOST) || strcmp(s.base.host, HOST) == 0;
  err = choose_style(t, w, &s, e);
  s.region = strdup("auto"); /* as the scope of a signature has it */
  if (!err && !s.region)
    err = err_set(e, ERR_INTERNAL, "out of memory");
  if (err)
    site_release(&s);
  else
    *out = s;
  return err;
}
