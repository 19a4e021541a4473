/* SPDX-License-Identifier: MIT
 *
 * provider - the few helpers all providers share; see provider.h.
 */
#include "cloud/provider.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool checksum_read(struct checksum *out, enum hash_alg alg, const char *text,
                   size_t len)
{
  struct buf raw = {0};
  bool good = hash_unbase64(&raw, text, len) && raw.len == hash_len(alg);
  if (good) {
    memcpy(out->digest, raw.data, raw.len);
    out->present = true;
  }
  buf_release(&raw);
  return good;
}

const struct provider_code *provider_code(const struct provider *p,
                                          const char *code)
{
  for (size_t i = 0; i < p->n_codes; i++)
    if (strcmp(p->codes[i].code, code) == 0)
      return &p->codes[i];
  return NULL;
}

enum code_class provider_class(const struct provider *p, const char *code,
                               int status)
{
  const struct provider_code *c = provider_code(p, code);
  if (!c)
    return CODE_NONE;
  return c->class == CODE_TRANSIENT && status >= 500 ? CODE_NONE : c->class;
}

const char *op_name(enum op op)
{
  const char *const names[OP_COUNT] = {
      [OP_PUT] = "put",
      [OP_GET] = "get",
      [OP_HEAD] = "head",
      [OP_BUCKET] = "region",
      [OP_CREATE] = "create",
      [OP_PART] = "part",
      [OP_COMPLETE] = "complete",
      [OP_ABORT] = "abort",
      [OP_PARTS] = "list_parts",
      [OP_SESSION] = "session",
      [OP_CHUNK] = "chunk",
      [OP_STATUS] = "status",
      [OP_CANCEL] = "cancel",
      [OP_DELETE] = "delete",
      [OP_NAMESPACE] = "namespace",
      [OP_TOKEN] = "token",
  };
  return names[op];
}

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

enum err site_endpoint(const struct site_wish *w, struct uri *out,
                       struct error *e)
{
  const char *from = w->endpoint_from ? w->endpoint_from : "endpoint";
  if (!strpbrk(w->endpoint, "/@?#"))
    return err_set(e, ERR_USAGE,
                   "%s: '%.80s' has no scheme: write http://%.80s or "
                   "https://%.80s",
                   from, w->endpoint, w->endpoint, w->endpoint);
  enum err err = uri_parse(w->endpoint, out, e);
  return err ? err_prefix(e, "%s: ", from) : ERR_OK;
}

enum err site_host(const struct site *s, const struct target *t, char **out)
{
  struct buf host = {0};
  enum err err = s->virtual_host ? buf_addf(&host, "%s.", t->bucket) : ERR_OK;
  if (!err)
    err = uri_authority(&host, &s->base);
  if (!err)
    *out = buf_take(&host);
  buf_release(&host);
  return err ? err : (*out ? ERR_OK : ERR_INTERNAL);
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
