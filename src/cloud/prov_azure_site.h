/* SPDX-License-Identifier: MIT
 *
 * prov_azure_site - the Azure provider's side room for places: an account's
 * host, or an endpoint that ends in the account, as an emulator's does
 * (providers.md 4.1).
 */
#ifndef ANK_CLOUD_PROV_AZURE_SITE_H
#define ANK_CLOUD_PROV_AZURE_SITE_H

#include "cloud/provider.h"

/* As struct provider's locate. */
enum err prov_azure_locate(const struct target *t, const struct site_wish *w,
                           struct site *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
