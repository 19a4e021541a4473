/* SPDX-License-Identifier: MIT
 *
 * prov_oci_site - the OCI provider's side room for places: which host a region
 * has (providers.md 5.1).
 */
#ifndef ANK_CLOUD_PROV_OCI_SITE_H
#define ANK_CLOUD_PROV_OCI_SITE_H

#include "cloud/provider.h"

/* As struct provider's. */
enum err prov_oci_locate(const struct target *t, const struct site_wish *w,
                         struct site *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
