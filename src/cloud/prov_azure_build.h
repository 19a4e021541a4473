/* SPDX-License-Identifier: MIT
 *
 * prov_azure_build - the Azure provider's side room for requests: which
 * operation says what (providers.md 4.4 to 4.6), and the ids of blocks.
 */
#ifndef ANK_CLOUD_PROV_AZURE_BUILD_H
#define ANK_CLOUD_PROV_AZURE_BUILD_H

#include "cloud/provider.h"

/* As struct provider's build.  ERR_USAGE for what Azure has not: a range from
 * the end, names of metadata that are no identifiers, --sse. */
enum err prov_azure_build(const struct op_args *a, struct request *r,
                          struct error *e) __attribute__((warn_unused_result));

/* As struct provider's own_upload_id: there are no uploads in Azure; the id is
 * what all its blocks' ids begin with. */
enum err prov_azure_upload_id(const unsigned char *dice, struct buf *out)
    __attribute__((warn_unused_result));

/* Appends the id of block NUMBER as it stands in queries and lists: base64 of
 * 48 bytes for every block, as all of a blob's must have one length and most
 * other writers' have that.  ERR_USAGE when UPLOAD is no such id. */
enum err prov_azure_block_id(const char *upload, unsigned number,
                             struct buf *out)
    __attribute__((warn_unused_result));

/* The number in a block's id; 0 for somebody else's. */
unsigned prov_azure_block_number(const char *id);

#endif
