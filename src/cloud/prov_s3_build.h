/* SPDX-License-Identifier: MIT
 *
 * prov_s3_build - the S3 provider's side room for requests: which operation
 * says what, by which method (providers.md 2.5 to 2.7).
 */
#ifndef ANK_CLOUD_PROV_S3_BUILD_H
#define ANK_CLOUD_PROV_S3_BUILD_H

#include "cloud/provider.h"

/* As struct provider's build.  ERR_USAGE for an operation on an upload whose
 * id is missing or empty: it would reach the object instead. */
enum err prov_s3_build(const struct op_args *a, struct request *r,
                       struct error *e) __attribute__((warn_unused_result));

/* Which checksum travels with the object's bytes, if any does: the one that was
 * chosen, on Amazon's own hosts SHA-256. */
bool prov_s3_checksum(const struct op_args *a, enum hash_alg *out);

/* Appends the hex SHA-256 of what the operation carries. */
enum err prov_s3_payload(const struct op_args *a, struct buf *out)
    __attribute__((warn_unused_result));

#endif
