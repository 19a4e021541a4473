/* SPDX-License-Identifier: MIT
 *
 * registry - see registry.h.
 */
#include "cloud/registry.h"

#include <string.h>

static const struct provider *const all[] = {&prov_s3, &prov_gcs, &prov_azure,
                                             &prov_oci};

enum err registry_find(const struct target *t, const struct provider **out,
                       struct error *e)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->scheme, t->scheme) == 0) {
      *out = all[i];
      return ERR_OK;
    }
  return err_set(e, ERR_USAGE, "%s://: no provider serves it", t->scheme);
}

const char *registry_name(size_t i)
{
  return i < sizeof all / sizeof *all ? all[i]->name : NULL;
}

const struct provider *registry_named(const char *name)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0)
      return all[i];
  return NULL;
}
