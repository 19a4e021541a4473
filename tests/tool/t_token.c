/* SPDX-License-Identifier: MIT
 *
 * t_token - requests for credentials, and what their answers give, as commands.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/prov_token.h"
#include "policy/retry.h"
#include "tool.h"

static const char *const replies[] = {
    [GRANT_TEXT_TOKEN] = "text",       [GRANT_TEXT_NAME] = "name",
    [GRANT_JSON_TOKEN] = "json",       [GRANT_STS_KEYS] = "sts",
    [GRANT_SSO_KEYS] = "sso",          [GRANT_AWS_KEYS] = "aws",
    [GRANT_OAUTH] = "oauth",           [GRANT_IMPERSONATED] = "impersonated",
    [GRANT_OCI_PLACE] = "oci-host",    [GRANT_OCI_TOKEN] = "oci-token",
    [GRANT_OCI_REGION] = "oci-region",
};

static const char *const proofs[] = {
    [GRANT_NOTHING] = "nothing", [GRANT_HEADER] = "header",
    [GRANT_BEARER] = "bearer",   [GRANT_FORM] = "form",
    [GRANT_SIGV4] = "sigv4",
};

#define N(a) (sizeof(a) / sizeof *(a))

static int find(const char *const *names, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (names[i] && strcmp(names[i], name) == 0)
      return (int)i;
  bad_line();
}

static char *own(const char *text)
{
  char *copy = strdup(text);
  if (!copy)
    must(ERR_INTERNAL);
  return copy;
}

static void say_creds(const struct creds *c, const struct token_life *life,
                      struct buf *out)
{
  say(out, " gives id='%s' secret='%s' token='%s'", buf_str(&c->key_id),
      buf_str(&c->secret), buf_str(&c->token));
  if (life->ms)
    say(out, " lasts=%" PRId64, life->ms);
  if (life->ends_ms)
    say(out, " ends=%" PRId64, life->ends_ms);
}

/* "REPLY STATUS HEADERS [BODY]": the verdict, what was read, what it gives.  A
 * metadata server has to show "Flavor: Right" where REPLY ends with "!"; "404?"
 * is one that is said for a while. */
static void token_read_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct grant g = {.reply_member = own("a/token"), .session_key = own("key")};
  struct creds hand;
  struct token_life life;
  struct response r = {0};
  struct op_result result;
  struct buf part = {0};
  uint64_t status;
  creds_init(&hand);
  field(&rest, &part, false);
  if (part.len && part.data[part.len - 1] == '!') {
    g.reply_header = own("Flavor: Right");
    buf_cut(&part, part.len - 1);
  }
  g.reply = (enum grant_reply)find(replies, N(replies), buf_str(&part));
  field(&rest, &part, false);
  if (part.len && part.data[part.len - 1] == '?') {
    g.retry_not_found = true;
    buf_cut(&part, part.len - 1);
  }
  if (!codec_u64(buf_str(&part), 0, 999, &status))
    bad_line();
  r.status = (int)status;
  if (field(&rest, &part, false))
    read_headers(&r.headers, buf_str(&part));
  field(&rest, &r.body, true);
  struct op_args args = {.op = OP_TOKEN, .grant = &g, .hand = &hand};
  prov_token.read(&args, &r, &result);
  struct outcome o = {.http = r.status, .code = result.code_class};
  say_judgement(out, &o, NULL, NULL);
  say_result(&result, out);
  if (status < 300 && prov_token_take(&g, &r, &hand, &life))
    say_creds(&hand, &life, out);
  grant_release(&g);
  creds_release(&hand);
  response_release(&r);
  buf_release(&part);
}

/* ---- building ---- */

struct token_case {
  struct grant grant;
  struct creds hand;
  int64_t wall_ms;
};

static void read_place(struct grant *g, const char *url)
{
  uri_release(&g->base);
  must(uri_parse(url, &g->base, NULL));
}

static bool read_text(struct token_case *c, const char *name, const char *v)
{
  struct grant *g = &c->grant;
  const struct {
    const char *name;
    char **at;
  } texts[] = {{"token-as", &g->token_as},
               {"secret-as", &g->secret_as},
               {"json", &g->json},
               {"region", &g->region}};
  for (size_t i = 0; i < N(texts); i++)
    if (strcmp(name, texts[i].name) == 0) {
      free(*texts[i].at);
      *texts[i].at = own(v);
      return true;
    }
  return false;
}

static void read_case(struct token_case *c, const char *name, const char *v)
{
  struct grant *g = &c->grant;
  if (read_text(c, name, v))
    return;
  if (strcmp(name, "url") == 0)
    read_place(g, v);
  else if (strcmp(name, "post") == 0)
    g->method = METHOD_POST;
  else if (strcmp(name, "proof") == 0)
    g->proof = (enum grant_proof)find(proofs, N(proofs), v);
  else if (strcmp(name, "form") == 0)
    read_headers(&g->form, v);
  else if (strcmp(name, "query") == 0)
    read_headers(&g->query, v);
  else if (strcmp(name, "header") == 0)
    read_headers(&g->headers, v);
  else if (strcmp(name, "metadata") == 0)
    g->metadata = true;
  else if (strcmp(name, "add-name") == 0)
    g->add_name = true;
  else if (strcmp(name, "host-in-hand") == 0)
    g->host_in_hand = true;
  else if (strcmp(name, "id") == 0)
    must(buf_sets(&c->hand.key_id, v));
  else if (strcmp(name, "secret") == 0)
    must(buf_sets(&c->hand.secret, v));
  else if (strcmp(name, "token") == 0)
    must(buf_sets(&c->hand.token, v));
  else
    bad_line();
}

static void say_request(const struct request *r, struct buf *out)
{
  must(buf_adds(out, message_method(r->method)));
  must(buf_adds(out, " "));
  must(message_url(out, r));
  for (size_t i = 0; i < r->headers.n; i++)
    say(out, "\n%s: %s", r->headers.pairs[i].name, r->headers.pairs[i].value);
  if (r->body.present)
    say(out, "\n\n%s", r->body.data);
}

/* Settings: url post proof form query header token-as secret-as json region
 * metadata add-name host-in-hand, and what is in hand: id secret token. */
static void token_build_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct token_case c = {.grant = {.method = METHOD_GET},
                         .wall_ms = INT64_C(1700000000000)};
  struct buf name = {0}, value = {0}, body = {0};
  struct request r = {0};
  struct error e = {0};
  creds_init(&c.hand);
  c.hand.kind = CREDS_KEYS;
  while (setting(&rest, &name, &value))
    read_case(&c, buf_str(&name), buf_str(&value));
  struct op_args args = {.op = OP_TOKEN, .grant = &c.grant, .hand = &c.hand};
  enum err err = prov_token_body(&c.grant, &c.hand, c.wall_ms, &body,
                                 &args.body.present, &e);
  args.body.length = body.len;
  args.body.data = buf_str(&body);
  if (!err)
    err = prov_token.build(&args, &r, &e);
  if (!err)
    err = prov_token.sign(&r, &args, NULL, c.wall_ms, NULL, &e);
  if (err)
    say(out, "%s: %s", err_name(err), e.msg);
  else
    say_request(&r, out);
  request_release(&r);
  grant_release(&c.grant);
  creds_release(&c.hand);
  buf_release(&body);
  buf_release(&name);
  buf_release(&value);
}

const struct command token_commands[] = {
    {"token-read", token_read_line, true},
    {"token-build", token_build_line, true},
    {NULL, NULL, false},
};
