/* SPDX-License-Identifier: MIT
 *
 * quirk - see quirk.h.
 *
 * "rclone": github.com/rclone/rclone, backend/s3/provider/NAME.yaml.
 */
#include "cloud/quirk.h"

#include <string.h>

#include "base/codec.h"

#define MIB (UINT64_C(1) << 20)
#define TIB (UINT64_C(1) << 40)

static const struct quirk rows[] = {
    /* rclone, Alibaba: no force_path_style; a bucket in the path is answered
     * SecondLevelDomainForbidden, github.com/rclone/rclone issue 2401. */
    {.name = "alibaba", .suffixes = {"aliyuncs.com"}, .style = QUIRK_VIRTUAL},
    /* github.com/sathinduga/obsidian-s3-sync-and-backup issue 78: a PUT with
     * a condition is answered NotImplemented. */
    {.name = "backblaze",
     .suffixes = {"backblazeb2.com"},
     .put = QUIRK_REFUSED},
    /* Measured with radosgw 16.2: a PUT obeys, a completion does not.
     * github.com/ceph/ceph pull 64830 of 2025 is the first that would. */
    {.name = "ceph", .complete = QUIRK_IGNORED},
    /* rclone, DigitalOcean: no force_path_style. */
    {.name = "digitalocean",
     .suffixes = {"digitaloceanspaces.com"},
     .style = QUIRK_VIRTUAL},
    /* rclone, Fastly: use_multipart_uploads false, force_path_style. */
    {.name = "fastly",
     .suffixes = {"object.fastlystorage.app"},
     .no_parts = true},
    /* cloud.google.com/storage/docs/request-preconditions: these headers are
     * for requests that retrieve data; what is stored is guarded by generations
     * alone, which the completion of an XML upload in parts refuses.  Buckets
     * in the host: cloud.google.com/storage/docs/request-endpoints. */
    {.name = "gcs",
     .suffixes = {"storage.googleapis.com"},
     .style = QUIRK_VIRTUAL,
     .put = QUIRK_IGNORED,
     .complete = QUIRK_REFUSED},
    /* rclone, Hetzner: no force_path_style. */
    {.name = "hetzner",
     .suffixes = {"your-objectstorage.com"},
     .style = QUIRK_VIRTUAL},
    /* rclone, Minio: force_path_style.  Conditions are obeyed since 2023,
     * github.com/minio/minio-go pull 1772. */
    {.name = "minio"},
    /* docs.oracle.com, Object Storage, s3-virtual-style: the path at these
     * hosts, since the bucket's own have another name. */
    {.name = "oci",
     .within = "compat.objectstorage.",
     .suffixes = {"oraclecloud.com", "customer-oci.com"}},
    /* rclone, Cloudflare: force_path_style.  developers.cloudflare.com/r2,
     * multipart-objects: parts of one size but for the last; upload-objects:
     * 5 TiB. */
    {.name = "r2",
     .suffixes = {"r2.cloudflarestorage.com"},
     .equal_parts = true,
     .max_object = 5 * TIB},
    /* rclone, Scaleway: max_upload_parts.  scaleway.com/en/docs/object-storage,
     * multipart-uploads: the bucket in the host, 1000 parts, 5 TB. */
    {.name = "scaleway",
     .suffixes = {"scw.cloud"},
     .style = QUIRK_VIRTUAL,
     .max_parts = 1000,
     .max_object = UINT64_C(5000000000000)},
    /* storj.dev/dcs/api/s3/multipart-upload/multipart-part-size: each part is
     * a segment of 64 MB or more of them; rclone, Storj: min_chunk_size. */
    {.name = "storj", .suffixes = {"storjshare.io"}, .usual_part = 64 * MIB},
    /* Measured with Swift's s3api: 501 to a PUT with a condition. */
    {.name = "swift", .put = QUIRK_REFUSED},
    /* rclone, TencentCOS: no force_path_style. */
    {.name = "tencent", .suffixes = {"myqcloud.com"}, .style = QUIRK_VIRTUAL},
    /* rclone, Wasabi: no force_path_style. */
    {.name = "wasabi", .suffixes = {"wasabisys.com"}, .style = QUIRK_VIRTUAL},
};

static bool ends_with_labels(const char *host, const char *suffix)
{
  size_t host_len = strlen(host), len = strlen(suffix);
  return codec_ends_with(host, suffix) &&
         (host_len == len || host[host_len - len - 1] == '.');
}

static bool stands_on(const struct quirk *q, const char *host)
{
  if (q->within && !strstr(host, q->within))
    return false;
  for (size_t i = 0; i < sizeof q->suffixes / sizeof *q->suffixes; i++)
    if (q->suffixes[i] && ends_with_labels(host, q->suffixes[i]))
      return true;
  return false;
}

const struct quirk *quirk_of_host(const char *host)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (stands_on(&rows[i], host))
      return &rows[i];
  return NULL;
}

const char *quirk_name(size_t i)
{
  return i < sizeof rows / sizeof *rows ? rows[i].name : NULL;
}

const struct quirk *quirk_named(const char *name)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].name, name) == 0)
      return &rows[i];
  return NULL;
}
