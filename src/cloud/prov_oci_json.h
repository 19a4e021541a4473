/* SPDX-License-Identifier: MIT
 *
 * prov_oci_json - the OCI provider's side room for documents: those it sends
 * and those it is answered.
 */
#ifndef ANK_CLOUD_PROV_OCI_JSON_H
#define ANK_CLOUD_PROV_OCI_JSON_H

#include "cloud/provider.h"

/* The document that begins an upload.  ERR_USAGE when a text in it is not
 * UTF-8. */
enum err prov_oci_json_create(const struct op_args *a, struct buf *out,
                              struct error *e)
    __attribute__((warn_unused_result));

/* As struct provider's complete_body. */
enum err prov_oci_json_commit(const struct upload_part *parts, size_t n,
                              const struct op_args *a, struct buf *out)
    __attribute__((warn_unused_result));

/* Code and message of an error; false when the body is none. */
bool prov_oci_json_error(const struct response *r, struct op_result *out);

/* The id of an upload that begins; false when there is none that fits. */
bool prov_oci_json_upload(const struct response *r, struct op_result *out);

/* The namespace; false when it is no such name. */
bool prov_oci_json_namespace(const struct response *r, struct op_result *out);

/* As struct provider's read_parts. */
bool prov_oci_json_parts(const char *body, size_t len, listed_part_fn *fn,
                         void *ctx, struct parts_page *out);

#endif
