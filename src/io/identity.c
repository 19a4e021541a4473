/* SPDX-License-Identifier: MIT
 *
 * identity - see identity.h.
 */
#include "io/identity.h"

#include <string.h>

#include "io/credload_azure.h"
#include "io/credload_gcs.h"
#include "io/credload_oci.h"

static const struct row {
  const char *provider;
  enum err (*load)(const struct credload_ask *, struct creds *, struct error *);
  enum err (*settings)(const struct credload_ask *, struct credload_settings *,
                       struct error *);
} rows[] = {
    {"s3", credload_aws, credload_aws_settings},
    {"gcs", credload_gcs, credload_gcs_settings},
    {"azure", credload_azure, credload_azure_settings},
    {"oci", credload_oci, credload_oci_settings},
};

static const struct row *row_of(const char *provider)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].provider, provider) == 0)
      return &rows[i];
  return NULL;
}

enum err identity_load(const char *provider, const struct credload_ask *ask,
                       struct creds *out, struct error *e)
{
  const struct row *row = row_of(provider);
  return row ? row->load(ask, out, e)
             : err_set(e, ERR_CREDENTIALS, "%s: no place keeps credentials",
                       provider);
}

enum err identity_settings(const char *provider, const struct credload_ask *ask,
                           struct credload_settings *out, struct error *e)
{
  const struct row *row = row_of(provider);
  return row ? row->settings(ask, out, e) : ERR_OK;
}
