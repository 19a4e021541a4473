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

enum err creds_copy(struct creds *out, const struct creds *from)
{
  struct creds c;
  creds_init(&c);
  c.kind = from->kind;
  enum err err = buf_sets(&c.key_id, buf_str(&from->key_id));
  if (!err)
    err = buf_sets(&c.secret, buf_str(&from->secret));
  if (!err)
    err = buf_sets(&c.token, buf_str(&from->token));
  if (!err)
    err = buf_sets(&c.project, buf_str(&from->project));
  if (!err)
    err = buf_sets(&c.source, buf_str(&from->source));
  if (!err)
    err = buf_sets(&c.renew, buf_str(&from->renew));
  if (err) {
    creds_release(&c);
    return err;
  }
  creds_release(out);
  *out = c;
  return ERR_OK;
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
