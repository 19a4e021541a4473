/* SPDX-License-Identifier: MIT
 *
 * creds - see creds.h.
 */
#include "cloud/creds.h"

#include <string.h>

void creds_init(struct creds *c)
{
  *c = (struct creds){0};
  c->secret.secret = true;
  c->token.secret = true;
}

bool creds_present(const struct creds *c)
{
  switch (c->kind) {
  case CREDS_NONE:
    break;
  case CREDS_KEYS:
  case CREDS_RSA:
    return c->key_id.len && c->secret.len;
  case CREDS_BEARER:
  case CREDS_SAS:
    return c->token.len;
  }
  return false;
}

static bool same(const struct buf *a, const struct buf *b)
{
  return strcmp(buf_str(a), buf_str(b)) == 0;
}

bool creds_equal(const struct creds *a, const struct creds *b)
{
  return a->kind == b->kind && same(&a->key_id, &b->key_id) &&
         same(&a->secret, &b->secret) && same(&a->token, &b->token);
}

static enum err set(struct buf *to, const char *text)
{
  return buf_sets(to, text ? text : "");
}

/* C, which is gone then, takes OUT's place unless ERR. */
static enum err replace(struct creds *out, struct creds *c, enum err err)
{
  creds_release(err ? c : out);
  if (!err)
    *out = *c;
  return err;
}

enum err creds_set(struct creds *out, enum creds_kind kind, const char *key_id,
                   const char *secret, const char *token, const char *source)
{
  struct creds c;
  creds_init(&c);
  c.kind = kind;
  enum err err = set(&c.key_id, key_id);
  if (!err)
    err = set(&c.secret, secret);
  if (!err)
    err = set(&c.token, token);
  if (!err)
    err = set(&c.source, source);
  return replace(out, &c, err);
}

enum err creds_copy(struct creds *out, const struct creds *from)
{
  struct creds c;
  creds_init(&c);
  enum err err =
      creds_set(&c, from->kind, buf_str(&from->key_id), buf_str(&from->secret),
                buf_str(&from->token), buf_str(&from->source));
  if (!err)
    err = set(&c.project, buf_str(&from->project));
  if (!err)
    err = set(&c.renew, buf_str(&from->renew));
  return replace(out, &c, err);
}

void creds_release(struct creds *c)
{
  c->kind = CREDS_NONE;
  buf_release(&c->key_id);
  buf_release(&c->secret);
  buf_release(&c->token);
  buf_release(&c->project);
  buf_release(&c->source);
  buf_release(&c->renew);
}
