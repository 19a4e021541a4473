/* SPDX-License-Identifier: MIT
 *
 * prov_oci_build - the OCI provider's side room for requests: which operation
 * says what, by which method (providers.md 5.4).
 */
#ifndef ANK_CLOUD_PROV_OCI_BUILD_H
#define ANK_CLOUD_PROV_OCI_BUILD_H

#include "cloud/provider.h"

/* As struct provider's build.  ERR_USAGE for what cannot be said: a key or a
 * text that is not UTF-8 in a document, encryption by --sse, an upload without
 * its id. */
enum err prov_oci_build(const struct op_args *a, struct request *r,
                        struct error *e) __attribute__((warn_unused_result));

/* Is what OP carries a document, all of it signed? */
bool prov_oci_is_document(enum op op);

#endif
