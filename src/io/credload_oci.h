/* SPDX-License-Identifier: MIT
 *
 * credload_oci - a side room of io/credload: who we are in Oracle's cloud: API
 * keys, sessions and principals, from the environment and ~/.oci/config.
 */
#ifndef ANK_IO_CREDLOAD_OCI_H
#define ANK_IO_CREDLOAD_OCI_H

#include "io/credload.h"

/* The one way that OCI_CLI_AUTH, or the profile's authentication_type, chooses:
 * a key or session of a profile, a resource principal, an instance principal;
 * nobody falls from one to another.  The profile is one of the file
 * (OCI_CONFIG_FILE, OCI_CLI_CONFIG_FILE, ~/.oci/config, ~/.oraclebmc/config):
 * the one that was named, OCI_CLI_PROFILE's, DEFAULT, whose values the others
 * inherit.  Unless a profile was named by flag, the variables of Oracle's
 * command line (OCI_CLI_USER ...) go before.  The private key is opened here.
 * Errors as credload_aws_ways; a way's error names the file and what is
 * wrong. */
enum err credload_oci_ways(const struct credload_ask *ask, struct ways *out,
                           struct error *e) __attribute__((warn_unused_result));

/* Region (OCI_CLI_REGION, OCI_REGION, a resource principal's, the profile's),
 * endpoint (OCI_CLI_ENDPOINT), regions that no table has (OCI_REGION_METADATA,
 * ~/.oci/regions-config.json), OCI_DEFAULT_REALM. */
enum err credload_oci_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
