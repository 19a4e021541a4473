/* SPDX-License-Identifier: MIT
 *
 * aws_host - the names of Amazon's hosts, by service and region.
 *
 * Source: the partitions of botocore 1.43, and its rules for s3 and sts.
 */
#ifndef ANK_CLOUD_AWS_HOST_H
#define ANK_CLOUD_AWS_HOST_H

#include <stdbool.h>

#include "base/buf.h"

/* AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT. */
struct aws_host_kind {
  bool fips, dualstack;
};

/* Part of a host's name: one label. */
bool aws_host_is_region(const char *region);

/* Is HOST one of Amazon's own? */
bool aws_host_is_own(const char *host);

/* What the hosts of REGION end in: "amazonaws.com" and kin. */
const char *aws_host_suffix(const char *region);

/* Appends the host of S3, or of the service that gives credentials for roles,
 * in REGION, which is one. */
enum err aws_host_s3(const char *region, struct aws_host_kind kind,
                     struct buf *out) __attribute__((warn_unused_result));
enum err aws_host_sts(const char *region, struct aws_host_kind kind,
                      struct buf *out) __attribute__((warn_unused_result));

#endif
