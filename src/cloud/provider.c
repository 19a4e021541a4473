/* SPDX-License-Identifier: MIT
 *
 * provider - the few helpers all providers share; see provider.h.
 */
#include "cloud/provider.h"

#include <inttypes.h>
#include <stdlib.h>

const unsigned char *op_digest(const struct op_args *a, enum hash_alg alg)
{
  return a->digests && a->digests[alg].present ? a->digests[alg].digest : NULL;
}

enum err range_header(const struct range *r, struct buf *out)
{
  if (r->suffix)
    return buf_addf(out, "bytes=-%" PRIu64, r->last);
  if (r->open)
    return buf_addf(out, "bytes=%" PRIu64 "-", r->first);
  return buf_addf(out, "bytes=%" PRIu64 "-%" PRIu64, r->first, r->last);
}

void site_release(struct site *s)
{
  uri_release(&s->base);
  free(s->region);
  *s = (struct site){0};
}

bool op_result_is_genuine(const struct op_result *r)
{
  return r->etag[0] || r->last_modified[0] || r->request_id[0] ||
         r->version_id[0];
}
