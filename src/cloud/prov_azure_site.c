/* SPDX-License-Identifier: MIT
 *
 * prov_azure_site - see prov_azure_site.h.
 */
#include "cloud/prov_azure_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

static enum err derive(const struct target *t, struct uri *out, struct error *e)
{
  char url[80];
  snprintf(url, sizeof url, "https://%.24s.blob.core.windows.net", t->account);
  return uri_parse(url, out, e);
}

/* The service's front takes ".", ".." and a dot at a segment's end out of a
 * path and reads '\\' as '/' before it looks for the blob, however they are encoded:
 * learn.microsoft.com, naming-and-referencing-containers--blobs--and-metadata;
 * github.com/tsanetgit/Connect_SDK issue 71 measured it.  So such a name would
 * be another one's. */
static bool is_folded(const char *key)
{
  for (const char *s = key; *s; s++)
    if (*s == '\\' || (*s == '.' && (!s[1] || s[1] == '/')))
      return true;
  return false;
}

static enum err check_key(const struct target *t, struct error *e)
{
  if (!is_folded(t->key))
    return ERR_OK;
  return err_set(e, ERR_USAGE,
                 "%.80s: Azure takes dots at a segment's end out of a name and "
                 "reads '\\' as '/', so this one would be another blob's",
                 t->key);
}

enum err prov_azure_locate(const struct target *t, const struct site_wish *w,
                           struct site *out, struct error *e)
{
  struct site s = {.custom = w->endpoint != NULL};
  enum err err = check_key(t, e);
  if (!err)
    err = s.custom ? site_endpoint(w, &s.base, e) : derive(t, &s.base, e);
  if (err)
    return err;
  s.own = codec_ends_with(s.base.host, ".blob.core.windows.net");
  s.region = strdup("");
  if (!s.region) {
    site_release(&s);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  *out = s;
  return ERR_OK;
}
