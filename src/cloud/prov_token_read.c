/* SPDX-License-Identifier: MIT
 *
 * prov_token_read - see prov_token_read.h.
 */
#include "cloud/prov_token_read.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/json.h"
#include "base/xml.h"
#include "cloud/prov_token_oci.h"

/* ---- what it gives ---- */

/* Becomes part of a header or a form: one line of visible bytes. */
static bool is_clean(const struct buf *b)
{
  for (size_t i = 0; i < b->len; i++)
    if (b->data[i] < ' ' || b->data[i] == 0x7F)
      return false;
  return b->len > 0;
}

static bool take_text(const struct response *r, bool name, struct buf *out)
{
  const char *body = buf_str(&r->body);
  size_t len = strcspn(body, "\r\n");
  buf_clear(out);
  if (!name && strspn(body + len, "\r\n") != strlen(body + len))
    return false;
  return !buf_add(out, body, len) && is_clean(out);
}

static bool member(const struct response *r, const char *path, struct buf *out)
{
  return json_get(buf_str(&r->body), r->body.len, path, out) && out->len;
}

static int64_t ends_of(const char *text)
{
  int64_t ms;
  return date_parse_iso(text, &ms) && ms > 0 ? ms : 0;
}

static bool keys_are_whole(struct creds *c)
{
  c->kind = CREDS_KEYS;
  return is_clean(&c->key_id) && is_clean(&c->secret) && is_clean(&c->token);
}

static bool take_sts(const struct response *r, struct creds *c,
                     struct token_life *life)
{
  static const char *const roots[] = {
      "AssumeRoleResponse/AssumeRoleResult/Credentials/",
      "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/"
      "Credentials/"};
  static const char *const names[] = {"AccessKeyId", "SecretAccessKey",
                                      "SessionToken", "Expiration"};
  bool good = false;
  for (size_t k = 0; k < sizeof roots / sizeof *roots && !good; k++) {
    struct xml_want wants[4] = {0};
    char paths[4][128];
    for (size_t i = 0; i < 4; i++) {
      snprintf(paths[i], sizeof paths[i], "%s%s", roots[k], names[i]);
      wants[i] = (struct xml_want){.path = paths[i], .text = {.secret = true}};
    }
    good = xml_read(buf_str(&r->body), r->body.len, wants, 4, NULL) &&
           wants[0].found && wants[1].found && wants[2].found &&
           !buf_sets(&c->key_id, buf_str(&wants[0].text)) &&
           !buf_sets(&c->secret, buf_str(&wants[1].text)) &&
           !buf_sets(&c->token, buf_str(&wants[2].text));
    life->ends_ms = good ? ends_of(buf_str(&wants[3].text)) : 0;
    for (size_t i = 0; i < 4; i++)
      buf_release(&wants[i].text);
  }
  return good && keys_are_whole(c);
}

static bool take_sso(const struct response *r, struct creds *c,
                     struct token_life *life)
{
  struct buf ends = {0};
  uint64_t ms;
  bool good = member(r, "roleCredentials/accessKeyId", &c->key_id) &&
              member(r, "roleCredentials/secretAccessKey", &c->secret) &&
              member(r, "roleCredentials/sessionToken", &c->token);
  if (member(r, "roleCredentials/expiration", &ends) &&
      codec_u64(buf_str(&ends), 1, INT64_MAX, &ms))
    life->ends_ms = (int64_t)ms;
  buf_release(&ends);
  return good && keys_are_whole(c);
}

static bool take_aws(const struct response *r, struct creds *c,
                     struct token_life *life)
{
  struct buf ends = {0};
  bool good = member(r, "AccessKeyId", &c->key_id) &&
              member(r, "SecretAccessKey", &c->secret) &&
              member(r, "Token", &c->token);
  if (member(r, "Expiration", &ends))
    life->ends_ms = ends_of(buf_str(&ends));
  buf_release(&ends);
  return good && keys_are_whole(c);
}

static bool bearer_is_whole(struct creds *c)
{
  buf_clear(&c->key_id);
  buf_clear(&c->secret);
  c->kind = CREDS_BEARER;
  return is_clean(&c->token);
}

/* The lifetime may be a text; some give the moment, too. */
static bool take_oauth(const struct response *r, struct creds *c,
                       struct token_life *life)
{
  struct buf n = {0};
  uint64_t s;
  bool good = member(r, "access_token", &c->token);
  if (member(r, "expires_in", &n) &&
      codec_u64(buf_str(&n), 1, INT64_MAX / 4000, &s))
    life->ms = (int64_t)s * 1000;
  else if (member(r, "expires_on", &n) &&
           codec_u64(buf_str(&n), 1, INT64_MAX / 4000, &s))
    life->ends_ms = (int64_t)s * 1000;
  buf_release(&n);
  return good && bearer_is_whole(c);
}

static bool take_impersonated(const struct response *r, struct creds *c,
                              struct token_life *life)
{
  struct buf ends = {0};
  bool good = member(r, "accessToken", &c->token);
  if (member(r, "expireTime", &ends))
    life->ends_ms = ends_of(buf_str(&ends));
  buf_release(&ends);
  return good && bearer_is_whole(c);
}

/* What tells a metadata server from anybody who answers at its address. */
static bool is_genuine(const struct grant *g, const struct response *r)
{
  const char *colon = g->reply_header ? strchr(g->reply_header, ':') : NULL;
  char name[64];
  if (!colon)
    return true;
  snprintf(name, sizeof name, "%.*s", (int)(colon - g->reply_header),
           g->reply_header);
  const char *value = kv_get(&r->headers, name);
  return value && codec_equal_nocase(value, colon + 2);
}

bool prov_token_take(const struct grant *g, const struct response *r,
                     struct creds *hand, struct token_life *life)
{
  *life = (struct token_life){0, 0};
  if (!is_genuine(g, r))
    return false;
  switch (g->reply) {
  case GRANT_TEXT_TOKEN:
    return take_text(r, false, &hand->token);
  case GRANT_TEXT_NAME:
    return take_text(r, true, &hand->key_id);
  case GRANT_JSON_TOKEN:
    return member(r, g->reply_member, &hand->token) && is_clean(&hand->token);
  case GRANT_STS_KEYS:
    return take_sts(r, hand, life);
  case GRANT_SSO_KEYS:
    return take_sso(r, hand, life);
  case GRANT_AWS_KEYS:
    return take_aws(r, hand, life);
  case GRANT_OAUTH:
    return take_oauth(r, hand, life);
  case GRANT_IMPERSONATED:
    return take_impersonated(r, hand, life);
  case GRANT_OCI_PLACE:
  case GRANT_OCI_REGION:
  case GRANT_OCI_CERTIFICATE:
  case GRANT_OCI_KEY:
  case GRANT_OCI_TOKEN:
    return prov_token_oci_take(g, r, hand, life);
  }
  return false;
}

/* ---- what is said of a refusal ---- */

/* Codes that outrank their status. */
static const struct {
  const char *code;
  enum code_class class;
} codes[] = {
    {"IDPCommunicationError", CODE_TRANSIENT},
    {"InternalFailure", CODE_TRANSIENT},
    {"ServiceUnavailable", CODE_TRANSIENT},
    {"temporarily_unavailable", CODE_TRANSIENT},
    {"server_error", CODE_TRANSIENT},
    {"Throttling", CODE_THROTTLE},
    {"ThrottlingException", CODE_THROTTLE},
    {"RequestLimitExceeded", CODE_THROTTLE},
    {"TooManyRequestsException", CODE_THROTTLE},
    {"slow_down", CODE_THROTTLE},
    {"RequestExpired", CODE_RECLOCK},
    {"RequestTimeTooSkewed", CODE_RECLOCK},
};

/* Some say it in words only, under a code that means many things. */
static const char *const skewed[] = {
    "Signature expired",
    "Signature not yet current",
    "reasonable timeframe",
};

static void keep_text(char *to, size_t size, const struct buf *from)
{
  snprintf(to, size, "%s", buf_str(from));
}

/* Members by which the services name what is wrong, and explain it. */
static void read_json(const struct response *r, struct op_result *out)
{
  static const char *const code_of[] = {"error/status", "error/code", "error",
                                        "code",         "Code",       "__type"};
  static const char *const words_of[] = {"error_description", "error/message",
                                         "message", "Message", "error_message"};
  struct buf text = {0};
  for (size_t i = 0; i < sizeof code_of / sizeof *code_of && !out->code[0]; i++)
    if (member(r, code_of[i], &text))
      keep_text(out->code, sizeof out->code, &text);
  for (size_t i = 0; i < sizeof words_of / sizeof *words_of && !out->message[0];
       i++)
    if (member(r, words_of[i], &text))
      keep_text(out->message, sizeof out->message, &text);
  buf_release(&text);
}

static void read_xml(const struct response *r, struct op_result *out)
{
  struct xml_want wants[] = {{.path = "ErrorResponse/Error/Code"},
                             {.path = "ErrorResponse/Error/Message"}};
  (void)!xml_read(buf_str(&r->body), r->body.len, wants, 2, NULL);
  if (wants[0].found)
    keep_text(out->code, sizeof out->code, &wants[0].text);
  if (wants[1].found)
    keep_text(out->message, sizeof out->message, &wants[1].text);
  buf_release(&wants[0].text);
  buf_release(&wants[1].text);
}

static enum code_class class_of(const struct grant *g, int status,
                                const struct op_result *out)
{
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (strcmp(codes[i].code, out->code) == 0 &&
        (codes[i].class != CODE_TRANSIENT || status < 500))
      return codes[i].class;
  for (size_t i = 0; i < sizeof skewed / sizeof *skewed; i++)
    if (strstr(out->message, skewed[i]))
      return CODE_RECLOCK;
  if (g->retry_not_found && (status == 404 || status == 410))
    return CODE_TRANSIENT;
  return CODE_NONE;
}

static void read_request_id(const struct response *r, struct op_result *out)
{
  static const char *const names[] = {"x-amzn-requestid", "x-ms-request-id",
                                      "opc-request-id"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *id = kv_get(&r->headers, names[i]);
    if (id && !out->request_id[0])
      snprintf(out->request_id, sizeof out->request_id, "%s", id);
  }
}

static bool gives(const struct grant *g, const struct response *r)
{
  struct creds c;
  struct token_life life;
  creds_init(&c);
  bool good = prov_token_take(g, r, &c, &life);
  creds_release(&c);
  return good;
}

void prov_token_read(const struct op_args *a, const struct response *r,
                     struct op_result *out)
{
  *out = (struct op_result){0};
  read_request_id(r, out);
  if (r->status >= 200 && r->status < 300 && gives(a->grant, r))
    return;
  if (r->status >= 200 && r->status < 300 && !is_genuine(a->grant, r)) {
    snprintf(out->message, sizeof out->message,
             "it answered without '%s': it is another server",
             a->grant->reply_header);
    return;
  }
  read_json(r, out);
  if (!out->code[0])
    read_xml(r, out);
  out->code_class = class_of(a->grant, r->status, out);
  /* A metadata service says in a 200 that it has nothing for us; a page that
   * somebody puts in its place says nothing at all. */
  if (r->status >= 200 && r->status < 300 && !out->code[0])
    out->code_class = CODE_TRANSIENT;
}
