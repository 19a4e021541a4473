/* SPDX-License-Identifier: MIT
 *
 * t_oci - Oracle's cloud as commands: keys out of PEM, signatures.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash_rsa.h"
#include "cloud/sign_jwt.h"
#include "cloud/sign_oci.h"
#include "tool.h"

/* All that is signed, and with what. */
struct oci_case {
  struct request request;
  struct creds creds;
  struct buf pem, pass, lines, body;
  int64_t wall_ms;
};

static enum method method_of(const char *name)
{
  for (int i = METHOD_GET; i <= METHOD_DELETE; i++)
    if (strcmp(message_method((enum method)i), name) == 0)
      return (enum method)i;
  bad_line();
}

static char *copy(const struct buf *b)
{
  char *own = strdup(buf_str(b));
  if (own == NULL)
    must(ERR_INTERNAL);
  return own;
}

static void take(struct buf *to, const struct buf *value)
{
  buf_clear(to);
  must(buf_add(to, buf_str(value), value->len));
}

static bool read_texts(struct oci_case *c, const char *name,
                       const struct buf *value)
{
  const struct {
    const char *name;
    struct buf *to;
  } texts[] = {{"id", &c->creds.key_id},
               {"key", &c->pem},
               {"pass", &c->pass},
               {"lines", &c->lines},
               {"body", &c->body}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(name, texts[i].name) == 0) {
      take(texts[i].to, value);
      return true;
    }
  return false;
}

static void read_case(struct oci_case *c, const char *name,
                      const struct buf *value)
{
  uint64_t at;
  if (read_texts(c, name, value))
    return;
  if (strcmp(name, "method") == 0)
    c->request.method = method_of(buf_str(value));
  else if (strcmp(name, "host") == 0)
    c->request.host = copy(value);
  else if (strcmp(name, "target") == 0)
    c->request.path = copy(value);
  else if (strcmp(name, "header") == 0)
    read_headers(&c->request.headers, buf_str(value));
  else if (strcmp(name, "at") != 0 ||
           !codec_u64(buf_str(value), 0, INT64_MAX / 1000, &at))
    bad_line();
  else
    c->wall_ms = (int64_t)at * 1000;
}

static void sign(struct oci_case *c, struct buf *out)
{
  struct error e = {0};
  struct buf string = {0};
  enum err err = ERR_OK;
  c->request.body = (struct body){true, c->body.len, buf_str(&c->body), 0, 0};
  if (c->pem.len > 0)
    err = hash_rsa_open(buf_str(&c->pem), c->pem.len, buf_str(&c->pass),
                        &c->creds.secret, &e);
  if (!err)
    err = sign_oci(&c->request, buf_str(&c->lines), &c->creds, c->wall_ms,
                   &string, &e);
  if (err)
    say(out, "%s: %s", err_name(err), e.msg);
  else
    say(out, "%s\n--\n%s", buf_str(&string),
        kv_get(&c->request.headers, "authorization"));
  buf_release(&string);
}

/* Settings: method host target header id key pass lines body at. */
static void sign_oci_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct oci_case c = {0};
  struct buf name = {0}, value = {0};
  creds_init(&c.creds);
  c.creds.kind = CREDS_RSA;
  while (setting(&rest, &name, &value))
    read_case(&c, buf_str(&name), &value);
  sign(&c, out);
  request_release(&c.request);
  creds_release(&c.creds);
  buf_release(&c.pem);
  buf_release(&c.pass);
  buf_release(&c.lines);
  buf_release(&c.body);
  buf_release(&name);
  buf_release(&value);
}

/* "PEM PASS": the fingerprint, and the first line of what was made of it. */
static void rsa_open_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct error e = {0};
  struct buf pem = {0}, pass = {0}, key = {.secret = true}, print = {0};
  field(&rest, &pem, false);
  bool given = field(&rest, &pass, true);
  enum err err = hash_rsa_open(buf_str(&pem), pem.len,
                               given ? buf_str(&pass) : NULL, &key, &e);
  if (!err)
    err = hash_rsa_fingerprint(&key, &print, &e);
  if (err)
    say(out, "%s: %s%s", err_name(err), e.msg, key.len ? ", after all" : "");
  else
    say(out, "%s %.*s", buf_str(&print), (int)strcspn(buf_str(&key), "\n"),
        buf_str(&key));
  buf_release(&pem);
  buf_release(&pass);
  buf_release(&key);
  buf_release(&print);
}

/* "HEAD PAYLOAD PEM": the token. */
static void sign_jwt_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct error e = {0};
  struct buf head = {0}, payload = {0}, pem = {0}, key = {.secret = true};
  struct buf jwt = {.secret = true};
  field(&rest, &head, false);
  field(&rest, &payload, false);
  field(&rest, &pem, true);
  enum err err = hash_rsa_open(buf_str(&pem), pem.len, NULL, &key, &e);
  if (!err)
    err = sign_jwt(buf_str(&head), buf_str(&payload), &key, &jwt, &e);
  if (err)
    say(out, "%s: %s", err_name(err), e.msg);
  else
    say(out, "%s", buf_str(&jwt));
  buf_release(&head);
  buf_release(&payload);
  buf_release(&pem);
  buf_release(&key);
  buf_release(&jwt);
}

const struct command oci_commands[] = {
    {"sign-jwt", sign_jwt_line, true},
    {"rsa-open", rsa_open_line, true},
    {"sign-oci", sign_oci_line, true},
    {NULL, NULL, false},
};
