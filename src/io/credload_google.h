/* SPDX-License-Identifier: MIT
 *
 * credload_google - io/credload's side room for Google's application default
 * credentials: what has to be asked for.
 */
#ifndef ANK_IO_CREDLOAD_GOOGLE_H
#define ANK_IO_CREDLOAD_GOOGLE_H

#include "io/credload.h"

/* The file that GOOGLE_APPLICATION_CREDENTIALS names, or gcloud's own
 * (CLOUDSDK_CONFIG, ~/.config/gcloud): a service account, a person's login, an
 * identity from elsewhere, each perhaps on behalf of a service account; else
 * the metadata service (GCE_METADATA_HOST, METADATA_SERVER_DETECTION,
 * NO_GCE_CHECK).  As credload_aws_ways. */
enum err credload_google_ways(const struct credload_ask *ask, struct ways *out,
                              struct error *e)
    __attribute__((warn_unused_result));

#endif
