/* SPDX-License-Identifier: MIT
 *
 * grant - see grant.h.
 */
#include "cloud/grant.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct way *ways_add(struct ways *w)
{
  struct way *more = realloc(w->items, (w->n + 1) * sizeof *more);
  if (!more)
    return NULL;
  w->items = more;
  struct way *way = &more[w->n++];
  *way = (struct way){.n = 0};
  creds_init(&way->start);
  return way;
}

struct grant *way_add(struct way *w)
{
  struct grant *more = realloc(w->grants, (w->n + 1) * sizeof *more);
  if (!more)
    return NULL;
  w->grants = more;
  more[w->n] = (struct grant){.method = METHOD_GET};
  return &more[w->n++];
}

/* ---- the fingerprint ---- */

/* Lengths keep neighbours apart. */
static enum err add_text(struct buf *out, const char *text)
{
  return text ? buf_addf(out, "%zu:%s,", strlen(text), text)
              : buf_adds(out, "-,");
}

static enum err add_pairs(struct buf *out, const struct kv *kv)
{
  enum err err = buf_addf(out, "%zu;", kv->n);
  for (size_t i = 0; i < kv->n && !err; i++) {
    err = add_text(out, kv->pairs[i].name);
    if (!err)
      err = add_text(out, kv->pairs[i].value);
  }
  return err;
}

static enum err add_grant(struct buf *out, const struct grant *g)
{
  enum err err = buf_addf(out, "%d %d %d %d;", (int)g->method, (int)g->proof,
                          (int)g->reply, (int)g->base.https);
  if (!err)
    err = uri_authority(out, &g->base);
  if (!err)
    err = add_text(out, g->base.path);
  if (!err)
    err = add_pairs(out, &g->query);
  if (!err)
    err = add_pairs(out, &g->form);
  if (!err)
    err = add_pairs(out, &g->claims);
  if (!err)
    err = add_text(out, g->json);
  return err ? err : add_text(out, g->region);
}

enum err way_fingerprint(const struct way *w, char out[65])
{
  struct buf all = {.secret = true};
  enum err err = add_text(&all, buf_str(&w->start.key_id));
  if (!err)
    err = add_text(&all, buf_str(&w->start.secret));
  if (!err)
    err = add_text(&all, buf_str(&w->start.token));
  for (size_t i = 0; i < w->n && !err; i++)
    err = add_grant(&all, &w->grants[i]);
  if (!err)
    err = hash_sha256_hex(all.data, all.len, out);
  buf_release(&all);
  return err;
}

bool way_may_be_kept(const struct way *w)
{
  for (size_t i = 0; i < w->n; i++)
    if (w->grants[i].metadata)
      return false;
  return w->n > 0;
}

/* ---- release ---- */

void grant_release(struct grant *g)
{
  uri_release(&g->base);
  kv_release(&g->query);
  kv_release(&g->headers);
  kv_release(&g->form);
  kv_release(&g->claims);
  buf_wipe_free(g->session_key);
  free(g->json);
  free(g->region);
  free(g->key_name);
  free(g->token_as);
  free(g->secret_as);
  free(g->reply_member);
  free(g->reply_header);
}

static void way_release(struct way *w)
{
  for (size_t i = 0; i < w->n; i++)
    grant_release(&w->grants[i]);
  free(w->grants);
  creds_release(&w->start);
  buf_release(&w->name);
}

void ways_drop(struct ways *w)
{
  if (w->n)
    way_release(&w->items[--w->n]);
}

void ways_release(struct ways *w)
{
  for (size_t i = 0; i < w->n; i++)
    way_release(&w->items[i]);
  free(w->items);
  buf_release(&w->looked);
  *w = (struct ways){.n = 0};
}
