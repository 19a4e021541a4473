/* SPDX-License-Identifier: MIT
 *
 * message - see message.h.
 */
#include "cloud/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

const char *message_method(enum method m)
{
  static const char *const names[] = {
      [METHOD_GET] = "GET",   [METHOD_HEAD] = "HEAD",     [METHOD_PUT] = "PUT",
      [METHOD_POST] = "POST", [METHOD_DELETE] = "DELETE",
  };
  return names[m];
}

static enum err encode_pair(struct kv *to, const struct kv_pair *p, bool slash)
{
  struct buf name = {0}, value = {.secret = true};
  enum err err = codec_percent(&name, p->name, strlen(p->name), false);
  if (!err)
    err = codec_percent(&value, p->value, strlen(p->value), slash);
  if (!err)
    err = kv_add(to, buf_str(&name), buf_str(&value), NULL);
  buf_release(&name);
  buf_release(&value);
  return err;
}

static enum err add_query(struct buf *out, const struct kv *query, bool sorted,
                          bool slash)
{
  struct kv encoded = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < query->n && !err; i++)
    err = encode_pair(&encoded, &query->pairs[i], slash);
  if (sorted)
    kv_sort(&encoded);
  for (size_t i = 0; i < encoded.n && !err; i++)
    err = buf_addf(out, "%s%s=%s", i ? "&" : "", encoded.pairs[i].name,
                   encoded.pairs[i].value);
  kv_release(&encoded);
  return err;
}

enum err message_query(struct buf *out, const struct kv *query, bool sorted)
{
  return add_query(out, query, sorted, false);
}

enum err message_target(struct buf *out, const struct request *r)
{
  enum err err = buf_adds(out, r->path);
  if (!err && (r->query.n || r->raw_query.len))
    err = buf_addc(out, '?');
  if (!err)
    err = add_query(out, &r->query, false, r->slash_in_query);
  if (!err && r->query.n && r->raw_query.len)
    err = buf_addc(out, '&');
  return err ? err : buf_adds(out, buf_str(&r->raw_query));
}

enum err message_url(struct buf *out, const struct request *r)
{
  enum err err = buf_addf(out, "%s://%s", r->https ? "https" : "http", r->host);
  return err ? err : message_target(out, r);
}

void sign_trace_release(struct sign_trace *t)
{
  buf_release(&t->canonical_request);
  buf_release(&t->string_to_sign);
}

void request_release(struct request *r)
{
  free(r->host);
  free(r->path);
  kv_release(&r->query);
  buf_release(&r->raw_query);
  buf_release(&r->document);
  kv_release(&r->headers);
  *r = (struct request){0};
}

void response_header(const struct response *r, const char *name, char *to,
                     size_t room)
{
  const char *value = kv_get(&r->headers, name);
  if (value && strlen(value) < room)
    memcpy(to, value, strlen(value) + 1);
}

void response_clear(struct response *r)
{
  r->status = 0;
  r->framed = false;
  kv_clear(&r->headers);
  buf_clear(&r->body);
}

void response_release(struct response *r)
{
  kv_release(&r->headers);
  buf_release(&r->body);
  r->status = 0;
}
