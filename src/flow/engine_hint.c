/* SPDX-License-Identifier: MIT
 *
 * engine_hint - see engine_hint.h.
 */
#include "flow/engine_hint.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/weburl.h"

/* ---- below HTTP ---- */

/* libcurl's words name the cause, for those who know TLS. */
static enum err tls(const struct job *j, struct buf *out)
{
  static const struct {
    const char *words, *hint;
  } hints[] = {
      {"wrong version number",
       "; the port does not speak TLS: is http:// meant?"},
      {"issuer certificate", "; give its authority with --cacert"},
      {"self-signed", "; give it or its authority with --cacert"},
      {"self signed", "; give it or its authority with --cacert"},
      {"subject name", "; the certificate is for another host"},
      {"expired", "; unless this machine's clock is wrong, it must be renewed"},
      {"not yet valid", "; is this machine's clock right?"},
  };
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strstr(j->call.message, hints[i].words))
      return buf_adds(out, hints[i].hint);
  return ERR_OK;
}

/* "connect to HOST port PORT", as libcurl says it of whom J's request is
 * for. */
static enum err own_place(const struct job *j, struct buf *out)
{
  const char *host = j->request.host;
  bool brackets = *host == '[';
  host += brackets;
  size_t len = strcspn(host, brackets ? "]" : ":");
  const char *port = host + len + (brackets && host[len]);
  return buf_addf(out, "connect to %.*s port %s", (int)len, host,
                  *port == ':'       ? port + 1
                  : j->request.https ? "443"
                                     : "80");
}

/* Whom libcurl could not reach need not be whom we named: then it is the proxy,
 * whoever asked for one. */
static enum err connect(const struct job *j, struct buf *out)
{
  const char *message = j->call.message;
  struct buf own = {0};
  if (!strstr(message, "connect to ") || !j->request.host)
    return ERR_OK;
  enum err err = own_place(j, &own);
  const char *at = codec_find_nocase(message, strlen(message), buf_str(&own));
  bool same = at && !(at[own.len] >= '0' && at[own.len] <= '9');
  buf_release(&own);
  return err || same ? err : buf_adds(out, "; that is the proxy (see --proxy)");
}

/* ---- what is no object store's answer ---- */

static bool is_web_page(const struct job *j)
{
  const char *type = kv_get(&j->headers, "content-type");
  return type && codec_starts_nocase(type, strlen(type), "text/html");
}

/* The page's title says whose it is. */
static enum err web_page(const struct job *j, struct buf *out)
{
  const char *body = buf_str(&j->call.response.body);
  const char *title = codec_find_nocase(body, strlen(body), "<title>");
  size_t len = title ? strcspn(title + 7, "<\r\n") : 0;
  enum err err = buf_adds(out, "; that is a web page");
  if (!err && len)
    err = buf_addf(out, " ('%.*s')", (int)(len < 80 ? len : 80), title + 7);
  return err ? err
             : buf_adds(out, ", no object store's answer: a proxy's, or the "
                             "endpoint is wrong");
}

/* ---- refusals ---- */

static enum err identity(const struct job *j, struct buf *out)
{
  const struct creds *c = &j->engine->creds;
  return j->engine->sign
             ? buf_addf(out, "; signed as %s, from %s", buf_str(&c->key_id),
                        buf_str(&c->source))
             : buf_adds(out, "; the request was not signed (--no-sign)");
}

static bool is_clock_off(const struct job *j, struct now now)
{
  const char *date = kv_get(&j->headers, "date");
  int64_t most = j->engine->provider->skew_ms, off, s;
  if (!most || !date || !date_parse_http(date, now.wall_ms, &s))
    return false;
  off = s * 1000 - now.wall_ms;
  return off > most || off < -most;
}

static enum err old_token(const struct job *j, struct buf *out)
{
  const struct creds *c = &j->engine->creds;
  if (c->kind == CREDS_RSA && !c->token.len)
    return identity(j, out);
  enum err err = buf_adds(out, "; get new credentials");
  if (!err && c->renew.len)
    err = buf_addf(out, " by '%s'", buf_str(&c->renew));
  return err ? err
             : buf_addf(out, ": those in use are from %s", buf_str(&c->source));
}

static enum err clock_off(const struct job *j, struct now now, struct buf *out)
{
  const char *date = kv_get(&j->headers, "date");
  int64_t s;
  if (!date || !date_parse_http(date, now.wall_ms, &s))
    return buf_adds(out, "; set this machine's clock");
  int64_t off = now.wall_ms / 1000 - s;
  return buf_addf(out,
                  "; set this machine's clock: it is %" PRId64 " s %s the "
                  "server's",
                  off < 0 ? -off : off, off < 0 ? "behind" : "ahead of");
}

static enum err refused(const struct job *j, struct buf *out)
{
  const struct provider *p = job_provider(j);
  size_t len = out->len;
  enum err err = buf_adds(out, "; ");
  if (!err)
    err = p->refused_signature
              ? p->refused_signature(&j->call.response, &j->trace, out)
              : ERR_OK;
  if (err || out->len > len + 2)
    return err;
  buf_cut(out, len);
  return identity(j, out);
}

/* In whatever words: no store says it as another does. */
static bool refuses_checksum(const struct job *j, const struct outcome *o)
{
  const char *words = j->result.message;
  size_t len = strlen(words);
  return j->engine->options->has_checksum &&
         (o->http == 501 ||
          (o->http == 400 && (codec_find_nocase(words, len, "checksum") ||
                              codec_find_nocase(words, len, "header"))));
}

static enum err checksum(const struct job *j, struct buf *out)
{
  return buf_addf(out,
                  "; does the store know --checksum %s? It may take another "
                  "one, or none",
                  hash_name(j->engine->options->checksum));
}

/* What the provider knows of its own codes. */
static enum err known(const struct job *j, struct buf *out)
{
  const struct provider *p = j->engine->provider;
  const struct provider_code *c = provider_code(p, j->result.code);
  return c && c->hint ? buf_addf(out, "; %s", c->hint) : ERR_OK;
}

/* S3 answers 400 to a token that is over, Oracle 404 to a request that is. */
static bool is_refusal(int status)
{
  return status == 400 || status == 401 || status == 403 || status == 404;
}

/* Its maker has signed what may be asked, and until when. */
static enum err signed_url(const struct job *j, struct now now, struct buf *out)
{
  int64_t end_ms;
  char end[DATE_MAX];
  if (!weburl_expiry(j->engine->target, &end_ms))
    return buf_adds(out, "; the signature is the URL's own: it may have "
                         "expired, or be for something else");
  date_iso_ms(end_ms, end);
  return now.wall_ms > end_ms
             ? buf_addf(out, "; the URL has expired at %s: get a new one", end)
             : buf_addf(out,
                        "; the signature is the URL's own, until %s: is it for "
                        "this method and these headers?",
                        end);
}

enum err engine_hint(const struct job *j, const struct attempt_end *end,
                     struct now now, struct buf *out)
{
  const struct outcome *o = &end->outcome;
  if (o->xport == XPORT_CONNECT)
    return connect(j, out);
  if (o->xport != XPORT_OK)
    return o->xport == XPORT_TLS ? tls(j, out) : ERR_OK;
  if (is_web_page(j) && !j->result.code[0])
    return web_page(j, out);
  if (target_is_signed(j->engine->target) && is_refusal(o->http))
    return signed_url(j, now, out);
  if (j->op == OP_TOKEN)
    return o->code == CODE_RECLOCK ? clock_off(j, now, out) : ERR_OK;
  if (refuses_checksum(j, o))
    return checksum(j, out);
  size_t len = out->len;
  enum err err = known(j, out);
  if (err || out->len > len)
    return err;
  switch ((int)o->code) {
  case CODE_REAUTH:
    return is_clock_off(j, now) ? clock_off(j, now, out) : old_token(j, out);
  case CODE_RECLOCK:
    return clock_off(j, now, out);
  case CODE_REDIRECT:
    return buf_adds(out, "; give the bucket's region with --region");
  default:
    if (o->http == 404 && j->engine->provider->not_found_hint)
      return buf_addf(out, "; %s", j->engine->provider->not_found_hint);
    return o->http == 401 || o->http == 403 ? refused(j, out) : ERR_OK;
  }
}
