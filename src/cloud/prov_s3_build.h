/* SPDX-License-Identifier: MIT
 *
 * prov_s3_build - the S3 provider's side room for requests: what it says in
 * words of its own (providers.md 2.5 to 2.7).
 */
#ifndef ANK_CLOUD_PROV_S3_BUILD_H
#define ANK_CLOUD_PROV_S3_BUILD_H

#include "cloud/xmlapi_build.h"

/* As struct provider's build.  ERR_USAGE for an operation on an upload whose
 * id is missing or empty: it would reach the object instead. */
enum err prov_s3_build(const struct op_args *a, struct request *r,
                       struct error *e) __attribute__((warn_unused_result));

/* Which checksum travels with the object's bytes, if any does: the one that was
 * chosen, on Amazon's own hosts SHA-256. */
bool prov_s3_checksum(const struct op_args *a, enum hash_alg *out);

#endif
