/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_site - the Google provider's side room for places: one host for all
 * buckets, or the endpoint that was given (providers.md 3.1).
 */
#ifndef ANK_CLOUD_PROV_GCS_SITE_H
#define ANK_CLOUD_PROV_GCS_SITE_H

#include "cloud/provider.h"

/* As struct provider's locate. */
enum err prov_gcs_locate(const struct target *t, const struct site_wish *w,
                         struct site *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
