/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_build - the Google provider's side room for requests of the XML API:
 * what it says in words of its own (providers.md 3.4 to 3.7).
 */
#ifndef ANK_CLOUD_PROV_GCS_BUILD_H
#define ANK_CLOUD_PROV_GCS_BUILD_H

#include "cloud/xmlapi_build.h"

/* As struct provider's build.  ERR_USAGE for a condition, a version or a mode
 * of encryption that Google has not. */
enum err prov_gcs_build(const struct op_args *a, struct request *r,
                        struct error *e) __attribute__((warn_unused_result));

#endif
