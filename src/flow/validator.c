/* SPDX-License-Identifier: MIT
 *
 * validator - see validator.h.
 */
#include "flow/validator.h"

#include <string.h>

#include "base/codec.h"

void validator_keep(struct validator *v, const struct op_result *r)
{
  *v = (struct validator){.known = true};
  memcpy(v->etag, r->etag, sizeof v->etag);
  memcpy(v->version, r->version_id, sizeof v->version);
  memcpy(v->last_modified, r->last_modified, sizeof v->last_modified);
  v->has_total = r->has_size;
  v->total = r->size;
}

/* Those of OCI are UUIDs and have no quotes. */
static bool is_uuid(const char *s)
{
  static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (strlen(s) != sizeof form - 1)
    return false;
  for (size_t i = 0; form[i]; i++)
    if (form[i] == '-' ? s[i] != '-' : codec_hex_digit(s[i]) < 0)
      return false;
  return true;
}

/* A server can be asked to compare it (If-Match). */
static bool is_strong(const struct validator *v)
{
  return (v->etag[0] == '"' && strlen(v->etag) > 2) || is_uuid(v->etag);
}

void validator_ask(const struct validator *v, struct op_args *args)
{
  if (is_strong(v))
    args->resume_etag = v->etag;
  if (v->version[0])
    args->resume_version = v->version;
}

/* -1: not comparable, 0: differ, 1: equal */
static int compare(const char *a, const char *b)
{
  if (!a[0] || !b[0])
    return -1;
  return strcmp(a, b) == 0;
}

bool validator_fits(const struct validator *v, const struct op_result *r)
{
  int etag = compare(v->etag, r->etag);
  int modified = compare(v->last_modified, r->last_modified);
  if (etag == 0 || modified == 0)
    return false;
  if (v->has_total && r->has_size && v->total != r->size)
    return false;
  return etag == 1 || modified == 1;
}
