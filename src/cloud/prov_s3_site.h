/* SPDX-License-Identifier: MIT
 *
 * prov_s3_site - the S3 provider's side room for places: endpoints from
 * regions, and what a redirect may change of them (providers.md 2.1, 2.2).
 */
#ifndef ANK_CLOUD_PROV_S3_SITE_H
#define ANK_CLOUD_PROV_S3_SITE_H

#include "cloud/provider.h"

/* As struct provider's locate and relocate. */
enum err prov_s3_locate(const struct target *t, const struct site_wish *w,
                        struct site *out, struct error *e)
    __attribute__((warn_unused_result));
enum err prov_s3_relocate(struct site *s, const struct target *t,
                          const struct op_result *r, bool *changed,
                          struct error *e) __attribute__((warn_unused_result));

#endif
