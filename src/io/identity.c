/* SPDX-License-Identifier: MIT
 *
 * identity - see identity.h.
 */
#include "io/identity.h"

#include <string.h>

#include "base/codec.h"
#include "io/credload_azure.h"
#include "io/credload_entra.h"
#include "io/credload_gcs.h"
#include "io/credload_google.h"
#include "io/credload_oci.h"
#include "io/credload_oci_principal.h"

/* How a room says that there is nothing in the places behind it. */
#define NONE "no credentials: looked at "

static const struct row {
  const char *provider;
  /* What is there without asking anybody; NULL where FIND knows that, too. */
  enum err (*load)(const struct credload_ask *, struct creds *, struct error *);
  enum err (*settings)(const struct credload_ask *, struct credload_settings *,
                       struct error *);
  /* The ways behind it. */
  enum err (*find)(const struct credload_ask *, struct ways *, struct error *);
  enum err (*region)(struct way *, struct error *); /* NULL: nobody knows */
} rows[] = {
    {"s3", NULL, credload_aws_settings, credload_aws_ways, NULL},
    {"gcs", credload_gcs, credload_gcs_settings, credload_google_ways, NULL},
    {"azure", credload_azure, credload_azure_settings, credload_entra_ways,
     NULL},
    {"oci", NULL, credload_oci_settings, credload_oci_ways,
     credload_oci_region},
};

static const struct row *row_of(const char *provider)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].provider, provider) == 0)
      return &rows[i];
  return NULL;
}

/* *ENOUGH: nothing behind it is to be looked at. */
static enum err load(const struct row *row, const struct credload_ask *ask,
                     struct ways *out, bool *enough, struct error *e)
{
  struct error why = {0};
  struct way *w = ways_add(out);
  if (!w)
    return err_set(e, ERR_INTERNAL, "out of memory");
  enum err err = row->load(ask, &w->start, &why);
  *enough = !err;
  w->named = true;
  if (!err)
    return ERR_OK;
  if (err != ERR_CREDENTIALS)
    return err_set(e, err, "%s", why.msg);
  if (codec_starts_with(why.msg, NONE)) {
    ways_drop(out);
    return buf_addf(&out->looked, "%s, ", why.msg + strlen(NONE))
               ? err_set(e, ERR_INTERNAL, "out of memory")
               : ERR_OK;
  }
  w->named = false;
  w->error = why;
  return ERR_OK;
}

enum err identity_find(const char *provider, const struct credload_ask *ask,
                       struct ways *out, struct error *e)
{
  const struct row *row = row_of(provider);
  bool enough = false;
  enum err err = ERR_OK;
  if (!row)
    return err_set(e, ERR_CREDENTIALS, "%s: no place keeps credentials",
                   provider);
  if (row->load)
    err = load(row, ask, out, &enough, e);
  return err || enough ? err : row->find(ask, out, e);
}

enum err identity_settings(const char *provider, const struct credload_ask *ask,
                           struct credload_settings *out, struct error *e)
{
  const struct row *row = row_of(provider);
  return row ? row->settings(ask, out, e) : ERR_OK;
}

enum err identity_region(const char *provider, struct way *out, struct error *e)
{
  const struct row *row = row_of(provider);
  return row && row->region
             ? row->region(out, e)
             : err_set(e, ERR_CREDENTIALS, "%s: no place tells the region",
                       provider);
}
