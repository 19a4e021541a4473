/* SPDX-License-Identifier: MIT
 *
 * credload_grant - see credload_grant.h.
 */
#include "io/credload_grant.h"

#include <string.h>

#include "base/codec.h"
#include "io/file.h"

enum { MAX_TOKEN = 65536 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* URL up to its query, which becomes QUERY. */
static enum err split_url(const char *url, struct uri *base, struct kv *query,
                          struct error *e)
{
  size_t len = strcspn(url, "?");
  struct buf front = {0};
  enum err err = buf_add(&front, url, len)
                     ? no_memory(e)
                     : uri_parse(buf_str(&front), base, e);
  const char *p = url[len] ? url + len + 1 : "";
  while (!err && *p) {
    size_t pair = strcspn(p, "&"), name = strcspn(p, "=&");
    struct buf n = {0}, v = {0};
    if (codec_unpercent(&n, p, name) ||
        (name < pair && codec_unpercent(&v, p + name + 1, pair - name - 1)))
      err = no_memory(e);
    if (!err && n.len)
      err = kv_addn(query, n.data, n.len, buf_str(&v), v.len, e);
    buf_release(&n);
    buf_release(&v);
    p += pair + (p[pair] == '&');
  }
  buf_release(&front);
  return err;
}

enum err credload_grant(struct way *w, enum method method, const char *url,
                        struct grant **out, struct error *e)
{
  struct grant *g = way_add(w);
  if (!g)
    return no_memory(e);
  g->method = method;
  *out = g;
  return split_url(url, &g->base, &g->query, e);
}

enum err credload_token_file(const char *path, struct buf *out, struct error *e)
{
  struct error why = {0};
  struct buf text = {.secret = true};
  enum err err = file_slurp(path, MAX_TOKEN, &text, &why);
  if (err)
    err = err_set(e, ERR_CREDENTIALS, "%s", why.msg);
  size_t from = strspn(buf_str(&text), " \t\r\n"), to = text.len;
  while (to > from && strchr(" \t\r\n", text.data[to - 1]))
    to--;
  buf_clear(out);
  if (!err && to == from)
    err = err_set(e, ERR_CREDENTIALS, "%s: holds no token", path);
  if (!err && buf_add(out, text.data + from, to - from))
    err = no_memory(e);
  buf_release(&text);
  return err;
}

bool credload_is_near(const struct uri *u)
{
  return uri_is_loopback(u) || codec_starts_with(u->host, "169.254.") ||
         codec_starts_with(u->host, "[fe80:") ||
         codec_starts_with(u->host, "[fd00:ec2:");
}

enum err credload_settle(struct ways *ws, enum err err, bool found,
                         const struct error *why, struct error *e)
{
  struct way *w = &ws->items[ws->n - 1];
  if (err == ERR_CREDENTIALS || err == ERR_USAGE) {
    w->error = *why;
    w->error.code = ERR_CREDENTIALS;
    return ERR_OK;
  }
  if (err)
    return err_set(e, err, "%s", why->msg);
  if (!found)
    ways_drop(ws);
  return ERR_OK;
}
