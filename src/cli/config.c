/* SPDX-License-Identifier: MIT
 *
 * config - see config.h.
 */
#include "cli/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "cli/config_continue.h"
#include "cli/config_header.h"
#include "cli/config_operands.h"
#include "cli/config_policy.h"
#include "cli/opt_check.h"
#include "cloud/registry.h"

static enum err usage(struct error *e, const char *source, const char *what)
{
  return err_set(e, ERR_USAGE, "%s: %s", source, what);
}

/* A completion's own limit, unless one is given for all that moves objects. */
enum { COMPLETION_MS = 600000 };

/* ---- retry ---- */

static int64_t millis(const struct opt *o, enum opt_id id)
{
  uint64_t n = 0;
  (void)codec_u64(opt_text(o, id), 0, INT32_MAX, &n);
  return (int64_t)n;
}

static int64_t duration(const struct opt *o, enum opt_id id)
{
  int64_t ms = 0;
  (void)codec_duration_ms(opt_text(o, id), &ms);
  return ms;
}

/* An absolute moment is turned into the clock that counts suspend once, here;
 * a wall clock that jumps later moves nothing. */
static int64_t deadline(const struct opt *o, struct now now)
{
  const char *text = opt_text(o, OPT_DEADLINE);
  int64_t ms = 0;
  if (!text)
    return RETRY_NEVER;
  if (*text != '@')
    return (void)codec_duration_ms(text, &ms), now.mono_ms + ms;
  (void)codec_epoch_ms(text + 1, &ms);
  return now.mono_ms + (ms - now.wall_ms);
}

static void make_limits(struct config *c, const struct opt *o, struct now now)
{
  c->timeouts = (struct engine_timeouts){
      .small_ms = millis(o, OPT_TIMEOUT_MS),
      .bulk_ms = millis(o, OPT_UPLOAD_TIMEOUT_MS),
      .completion_ms = opt_given(o, OPT_UPLOAD_TIMEOUT_MS)
                           ? millis(o, OPT_UPLOAD_TIMEOUT_MS)
                           : COMPLETION_MS,
      .connect_ms = millis(o, OPT_CONNECT_TIMEOUT_MS),
      .stall_ms = duration(o, OPT_STALL_TIMEOUT),
  };
  c->deadline_mono_ms = deadline(o, now);
  c->breaker_wait_ms = duration(o, OPT_BREAKER_WAIT);
  c->state_file = opt_text(o, OPT_STATE_FILE);
  c->no_state = opt_flag(o, OPT_NO_STATE);
}

/* ---- object ---- */

static bool printable_ascii(const char *s)
{
  for (; *s; s++)
    if (*s < ' ' || *s > '~')
      return false;
  return true;
}

static enum err add_metadata(struct config *c, const char *source,
                             const char *text, struct error *e)
{
  const char *eq = strchr(text, '=');
  if (!eq)
    return usage(e, source, "is NAME=VALUE");
  if (!codec_is_token(text, (size_t)(eq - text)))
    return usage(e, source, "the name is made of letters, digits, - and .");
  if (!printable_ascii(eq + 1))
    return usage(e, source, "the value is printable ASCII (encode the rest)");
  return kv_addn(&c->metadata, text, (size_t)(eq - text), eq + 1,
                 strlen(eq + 1), e);
}

static void choose_checksum(struct config *c, const struct opt *o)
{
  const char *name = opt_text(o, OPT_CHECKSUM);
  for (int alg = 0; name && alg < HASH_ALG_COUNT; alg++)
    if (strcmp(hash_name((enum hash_alg)alg), name) == 0) {
      c->object.has_checksum = true;
      c->object.checksum = (enum hash_alg)alg;
    }
}

static enum err check_checksum(const struct config *c, const struct opt *o,
                               struct error *e)
{
  const char *source = opt_source(o, OPT_CHECKSUM);
  if (!c->object.has_checksum)
    return ERR_OK;
  if (!(c->provider->checksums & HASH_BIT(c->object.checksum)))
    return err_set(e, ERR_USAGE, "%s: %s does not take %s", source,
                   c->provider->name, hash_name(c->object.checksum));
  return c->range.present ? usage(e, source,
                                  "is of whole objects, so it does not go "
                                  "with --range")
                          : ERR_OK;
}

static enum err make_object(struct config *c, const struct opt *o,
                            struct error *e)
{
  const struct opt_value *headers = &o->values[OPT_HEADER];
  const struct opt_value *metadata = &o->values[OPT_METADATA];
  enum err err = ERR_OK;
  for (size_t i = 0; i < headers->n && !err; i++)
    err = config_header(&c->headers, headers->source, headers->texts[i], e);
  for (size_t i = 0; i < metadata->n && !err; i++)
    err = add_metadata(c, metadata->source, metadata->texts[i], e);
  c->object = (struct object_options){
      .headers = &c->headers,
      .content_type = opt_text(o, OPT_CONTENT_TYPE),
      .metadata = &c->metadata,
      .storage_class = opt_text(o, OPT_STORAGE_CLASS),
      .sse = opt_text(o, OPT_SSE),
      .if_match = opt_text(o, OPT_IF_MATCH),
      .if_none_match = opt_text(o, OPT_IF_NONE_MATCH),
      .version_id = opt_text(o, OPT_VERSION_ID),
  };
  choose_checksum(c, o);
  if (!err && opt_flag(o, OPT_NO_CLOBBER) &&
      (c->object.if_match || c->object.if_none_match))
    err = usage(e, opt_source(o, OPT_NO_CLOBBER),
                "excludes --if-match and --if-none-match");
  if (!err && opt_given(o, OPT_RANGE))
    (void)opt_range(opt_text(o, OPT_RANGE), &c->range);
  return err;
}

/* ---- network ---- */

/* HOST:PORT:ADDRESS[,ADDRESS]; the address may be an IPv6 one in brackets. */
static enum err add_resolve(struct config *c, const char *source,
                            const char *text, struct error *e)
{
  const char *port = strchr(text, ':');
  const char *address = port ? strchr(port + 1, ':') : NULL;
  uint64_t n;
  if (!address || port == text || !address[1] ||
      !codec_u64_n(port + 1, (size_t)(address - port) - 1, 1, 65535, &n))
    return usage(e, source, "is HOST:PORT:ADDRESS");
  return kv_addn(&c->resolve, text, (size_t)(address - text), address + 1,
                 strlen(address + 1), e);
}

static enum err readable(const char *source, const char *path, struct error *e)
{
  if (!path || access(path, R_OK) == 0)
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: cannot read %.200s", source, path);
}

/* One setting for every connection; behind our own come those that other
 * tools obey. */
static enum err choose_ca(struct config *c, const struct opt *o,
                          struct error *e)
{
  static const char *const others[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE",
                                       "AWS_CA_BUNDLE"};
  c->http.cacert = opt_text(o, OPT_CACERT);
  if (c->http.cacert)
    return readable(opt_source(o, OPT_CACERT), c->http.cacert, e);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const char *path = getenv(others[i]);
    if (path && *path) {
      c->http.cacert = path;
      return readable(others[i], path, e);
    }
  }
  return ERR_OK;
}

static enum err check_proxy(const struct opt *o, struct error *e)
{
  const char *proxy = opt_text(o, OPT_PROXY);
  if (!proxy || !*proxy || uri_is_proxy(proxy))
    return ERR_OK;
  return usage(e, opt_source(o, OPT_PROXY),
               "is an http, https or socks URL, or HOST:PORT");
}

/* The first that is set is the one that libcurl takes. */
static const char *bad_variable(const char *const *names)
{
  for (; *names; names++) {
    const char *proxy = getenv(*names);
    if (proxy && *proxy)
      return uri_is_proxy(proxy) ? NULL : *names;
  }
  return NULL;
}

static void look_for_proxies(struct http_options *http)
{
  static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY",
                                      NULL};
  static const char *const tls[] = {"https_proxy", "HTTPS_PROXY", "all_proxy",
                                    "ALL_PROXY", NULL};
  if (http->proxy)
    return;
  http->bad_proxy[false] = bad_variable(plain);
  http->bad_proxy[true] = bad_variable(tls);
}

static enum err make_network(struct config *c, const struct opt *o,
                             struct error *e)
{
  const struct opt_value *resolve = &o->values[OPT_RESOLVE];
  enum err err = ERR_OK;
  for (size_t i = 0; i < resolve->n && !err; i++)
    err = add_resolve(c, resolve->source, resolve->texts[i], e);
  c->http = (struct http_options){
      .proxy = opt_text(o, OPT_PROXY),
      .noproxy = opt_text(o, OPT_NOPROXY),
      .cert = opt_text(o, OPT_CERT),
      .key = opt_text(o, OPT_KEY),
      .interface = opt_text(o, OPT_INTERFACE),
      .resolve = &c->resolve,
      .insecure = opt_flag(o, OPT_INSECURE),
      .ipv4 = opt_flag(o, OPT_IPV4),
      .ipv6 = opt_flag(o, OPT_IPV6),
      .http2 = opt_flag(o, OPT_HTTP2),
      .connect_timeout_ms = c->timeouts.connect_ms,
  };
  look_for_proxies(&c->http);
  if (opt_given(o, OPT_LIMIT_RATE))
    (void)codec_size(opt_text(o, OPT_LIMIT_RATE), &c->http.limit_rate);
  if (!err && c->http.ipv4 && c->http.ipv6)
    err = usage(e, opt_source(o, OPT_IPV6), "excludes --ipv4");
  if (!err && c->http.key && !c->http.cert)
    err = usage(e, opt_source(o, OPT_KEY), "needs --cert");
  if (!err)
    err = check_proxy(o, e);
  if (!err)
    err = choose_ca(c, o, e);
  if (!err)
    err = readable(opt_source(o, OPT_CERT), c->http.cert, e);
  if (!err)
    err = readable(opt_source(o, OPT_KEY), c->http.key, e);
  return err;
}

enum err config_make(struct config *c, const struct opt *o, struct now now,
                     struct error *e)
{
  *c = (struct config){.sign = !opt_flag(o, OPT_NO_SIGN),
                       .dry_run = opt_flag(o, OPT_DRY_RUN),
                       .verbose = opt_flag(o, OPT_VERBOSE),
                       .explain = opt_flag(o, OPT_EXPLAIN),
                       .create_dirs = opt_flag(o, OPT_CREATE_DIRS),
                       .no_token_cache = opt_flag(o, OPT_NO_TOKEN_CACHE),
                       .profile = opt_text(o, OPT_PROFILE)};
  make_limits(c, o, now);
  enum err err = config_policy(c, o, e);
  if (!err)
    err = make_object(c, o, e);
  if (!err)
    err = make_network(c, o, e);
  if (!err)
    err = config_operands(c, o, e);
  if (target_is_signed(&c->target))
    c->sign = false;
  if (!err)
    err = config_check_continue(c, o, e);
  if (!err)
    err = registry_find(&c->target, &c->provider, e);
  if (!err)
    err = check_checksum(c, o, e);
  return err || c->n_files ? err : config_check_key(&c->target, c->provider, e);
}

void config_release(struct config *c)
{
  target_release(&c->target);
  kv_release(&c->headers);
  kv_release(&c->metadata);
  kv_release(&c->resolve);
  buf_release(&c->remote_name);
}
