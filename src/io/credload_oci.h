/* SPDX-License-Identifier: MIT
 *
 * credload_oci - a side room of io/credload: API keys and sessions of Oracle's
 * cloud, from the environment and ~/.oci/config.
 */
#ifndef ANK_IO_CREDLOAD_OCI_H
#define ANK_IO_CREDLOAD_OCI_H

#include "io/credload.h"

/* A profile of the file (OCI_CONFIG_FILE, OCI_CLI_CONFIG_FILE, ~/.oci/config,
 * ~/.oraclebmc/config): the one that was named, OCI_CLI_PROFILE's, DEFAULT,
 * whose values the others inherit.  Unless a profile was named by flag, the
 * variables of Oracle's command line (OCI_CLI_USER ...) go before.  The private
 * key is opened here.  ERR_CREDENTIALS names the file and what is wrong. */
enum err credload_oci(const struct credload_ask *ask, struct creds *out,
                      struct error *e) __attribute__((warn_unused_result));

/* Region (OCI_CLI_REGION, OCI_REGION, the profile's), endpoint
 * (OCI_CLI_ENDPOINT), regions that no table has (OCI_REGION_METADATA,
 * ~/.oci/regions-config.json), OCI_DEFAULT_REALM. */
enum err credload_oci_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
