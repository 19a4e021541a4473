/* SPDX-License-Identifier: MIT
 *
 * prov_oci_region - the OCI provider's side room for the names of regions: a
 * region belongs to a realm, and a realm has a domain of its own.
 */
#ifndef ANK_CLOUD_PROV_OCI_REGION_H
#define ANK_CLOUD_PROV_OCI_REGION_H

#include <stdbool.h>

struct prov_oci_region {
  char name[64];    /* "eu-frankfurt-1" */
  char domain[128]; /* "oraclecloud.com" */
};

/* ASKED is a region's name or its key ("fra"), any case.  One that is not known
 * is looked for in METADATA (JSON as OCI_REGION_METADATA has it, or a list of
 * such; NULL = none), then taken to be of DEFAULT_REALM (a domain; NULL: of
 * Oracle's first realm, where new regions appear).  False when what comes out
 * cannot stand in a host name. */
bool prov_oci_region_find(const char *asked, const char *metadata,
                          const char *default_realm,
                          struct prov_oci_region *out);

#endif
