/* SPDX-License-Identifier: MIT
 *
 * prov_oci_site - see prov_oci_site.h.
 */
#include "cloud/prov_oci_site.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_oci_region.h"

static enum err no_region(struct error *e)
{
  return err_set(e, ERR_USAGE,
                 "no region: give --region, OCI_REGION or a profile's region");
}

static enum err find_region(const struct site_wish *w,
                            struct prov_oci_region *out, struct error *e)
{
  if (prov_oci_region_find(w->region, w->region_metadata, w->default_realm,
                           out))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: '%.80s' is not a region name",
                 w->region_from ? w->region_from : "region", w->region);
}

/* Oracle's first realm alone has hosts with the namespace in them. */
static enum err check_dedicated(const struct target *t,
                                const struct site_wish *w,
                                const struct prov_oci_region *r,
                                struct error *e)
{
  const char *from = w->addressing_from ? w->addressing_from : "addressing";
  if (strcmp(r->domain, "oraclecloud.com") != 0)
    return err_set(e, ERR_USAGE,
                   "%s: virtual is for regions of oraclecloud.com, not of %s",
                   from, r->domain);
  if (!t->account || strchr(t->account, '_') || !uri_is_hostname(t->account))
    return err_set(e, ERR_USAGE,
                   "%s: virtual puts the namespace into the host name: write "
                   "oci://NAMESPACE/BUCKET/KEY",
                   from);
  return ERR_OK;
}

static enum err derive(const struct target *t, const struct site_wish *w,
                       const struct prov_oci_region *r, struct site *s,
                       struct error *e)
{
  struct buf url = {0};
  enum err err = ERR_OK;
  s->virtual_host = w->addressing && strcmp(w->addressing, "virtual") == 0;
  if (s->virtual_host)
    err = check_dedicated(t, w, r, e);
  if (err)
    return err;
  err = s->virtual_host
            ? buf_addf(&url, "https://%s.objectstorage.%s.oci.customer-oci.com",
                       t->account, r->name)
            : buf_addf(&url, "https://objectstorage.%s.%s", r->name, r->domain);
  err = err ? err_set(e, err, "out of memory")
            : uri_parse(buf_str(&url), &s->base, e);
  buf_release(&url);
  return err;
}

static enum err take_endpoint(const struct site_wish *w, struct site *s,
                              struct error *e)
{
  if (w->addressing && strcmp(w->addressing, "virtual") == 0)
    return err_set(e, ERR_USAGE, "%s: virtual needs a region, not an endpoint",
                   w->addressing_from ? w->addressing_from : "addressing");
  return site_endpoint(w, &s->base, e);
}

enum err prov_oci_locate(const struct target *t, const struct site_wish *w,
                         struct site *out, struct error *e)
{
  struct site s = {.custom = w->endpoint != NULL};
  struct prov_oci_region region = {.name = ""};
  if (!w->region && !s.custom)
    return no_region(e);
  enum err err = w->region ? find_region(w, &region, e) : ERR_OK;
  if (!err)
    err = s.custom ? take_endpoint(w, &s, e) : derive(t, w, &region, &s, e);
  s.own = !s.custom;
  s.region = err ? NULL : strdup(region.name);
  if (!err && !s.region)
    err = err_set(e, ERR_INTERNAL, "out of memory");
  if (err)
    site_release(&s);
  else
    *out = s;
  return err;
}
