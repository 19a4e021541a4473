/* SPDX-License-Identifier: MIT
 *
 * fuzz_token - what must hold of answers about credentials, whatever they are.
 */
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_token.h"
#include "fuzz.h"
#include "tool.h"

static void check_clean(const struct buf *b, const char *what)
{
  hold(strlen(buf_str(b)) == b->len, what);
  for (size_t i = 0; i < b->len; i++)
    hold((unsigned char)b->data[i] >= ' ' && b->data[i] != 0x7F, what);
}

static void check_given(const struct grant *g, const struct creds *c,
                        const struct token_life *life)
{
  check_clean(&c->token, "a token is one line");
  check_clean(&c->key_id, "a name is one line");
  hold(c->token.len || c->key_id.len, "something is given");
  hold(life->ms >= 0 && life->ends_ms >= 0, "no life before its start");
  if (g->reply == GRANT_STS_KEYS || g->reply == GRANT_SSO_KEYS ||
      g->reply == GRANT_AWS_KEYS)
    hold(c->key_id.len && c->secret.len && c->token.len, "keys are whole");
  if (g->reply == GRANT_OAUTH || g->reply == GRANT_IMPERSONATED)
    hold(c->kind == CREDS_BEARER && !c->secret.len, "a bearer's token");
}

/* A byte that says what is asked for, a byte for the status, then the body.
 * Certificates and keys are OpenSSL's to read. */
void fuzz_token(const char *s, size_t len)
{
  static const enum grant_reply replies[] = {
      GRANT_TEXT_TOKEN,   GRANT_TEXT_NAME, GRANT_JSON_TOKEN, GRANT_STS_KEYS,
      GRANT_SSO_KEYS,     GRANT_AWS_KEYS,  GRANT_OAUTH,      GRANT_OCI_PLACE,
      GRANT_IMPERSONATED, GRANT_OCI_TOKEN, GRANT_OCI_REGION};
  char member[] = "a/token", key[] = "key";
  struct grant g = {.reply_member = member, .session_key = key};
  struct op_args args = {.op = OP_TOKEN, .grant = &g};
  struct response r = {0};
  struct op_result result;
  struct token_life life;
  struct creds c;
  if (len < 2)
    return;
  creds_init(&c);
  g.reply = replies[(unsigned char)s[0] % (sizeof replies / sizeof *replies)];
  r.status = 100 + (unsigned char)s[1] * 2;
  must(buf_add(&r.body, s + 2, len - 2));
  prov_token.read(&args, &r, &result);
  bool given = prov_token_take(&g, &r, &c, &life);
  if (given)
    check_given(&g, &c, &life);
  if (r.status / 100 == 2)
    hold(given || result.code_class != CODE_NONE || result.code[0],
         "a success that gives nothing is no success");
  creds_release(&c);
  response_release(&r);
}
