/* SPDX-License-Identifier: MIT
 *
 * credload_oci_principal - a side room of io/credload: what a function or an
 * instance of Oracle's cloud is by itself, without a user's key.
 */
#ifndef ANK_IO_CREDLOAD_OCI_PRINCIPAL_H
#define ANK_IO_CREDLOAD_OCI_PRINCIPAL_H

#include "cloud/grant.h"

/* A resource principal of version 2.2: OCI_RESOURCE_PRINCIPAL_RPST and its key,
 * each a text or, as an absolute path, a file that is read now.
 * ERR_CREDENTIALS names the variable or file and what is wrong. */
enum err credload_oci_resource(struct creds *out, struct error *e)
    __attribute__((warn_unused_result));

/* The way of an instance: its region, certificates and key from the metadata
 * service (OCI_METADATA_BASE_URL), then a token for a key that is made here,
 * from the region's service (OCI_SDK_AUTH_CLIENT_REGION_URL). */
enum err credload_oci_instance(struct way *w, struct error *e)
    __attribute__((warn_unused_result));

/* The one request that tells an instance's region. */
enum err credload_oci_region(struct way *w, struct error *e)
    __attribute__((warn_unused_result));

#endif
