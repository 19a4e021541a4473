/* SPDX-License-Identifier: MIT
 *
 * aws_host - see aws_host.h.
 */
#include "cloud/aws_host.h"

#include <string.h>

#include "base/codec.h"
#include "base/uri.h"

/* Partitions are known by how the names of their regions begin; the first that
 * fits counts. */
static const struct partition {
  const char *begins, *suffix, *dualstack;
} partitions[] = {
    {"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
    {"us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
    {"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
    {"", "amazonaws.com", "api.aws"},
};

enum { PARTITIONS = sizeof partitions / sizeof *partitions };

static const struct partition *partition_of(const char *region)
{
  const struct partition *p = partitions;
  while (!codec_starts_with(region, p->begins))
    p++;
  return p;
}

bool aws_host_is_region(const char *region)
{
  return *region && strlen(region) <= 63 && !strchr(region, '.') &&
         uri_is_hostname(region);
}

bool aws_host_is_own(const char *host)
{
  for (size_t i = 0; i < PARTITIONS; i++) {
    size_t len = strlen(host), end = strlen(partitions[i].suffix);
    if (len > end && host[len - end - 1] == '.' &&
        codec_ends_with(host, partitions[i].suffix))
      return true;
  }
  return false;
}

const char *aws_host_suffix(const char *region)
{
  return partition_of(region)->suffix;
}

enum err aws_host_s3(const char *region, struct aws_host_kind kind,
                     struct buf *out)
{
  return buf_addf(out, "s3%s.%s%s.%s", kind.fips ? "-fips" : "",
                  kind.dualstack ? "dualstack." : "", region,
                  aws_host_suffix(region));
}

/* In the regions of a government all hosts are such as FIPS wants. */
enum err aws_host_sts(const char *region, struct aws_host_kind kind,
                      struct buf *out)
{
  const struct partition *p = partition_of(region);
  bool fips =
      kind.fips && (kind.dualstack || !codec_starts_with(region, "us-gov-"));
  return buf_addf(out, "sts%s.%s.%s", fips ? "-fips" : "", region,
                  kind.dualstack ? p->dualstack : p->suffix);
}
