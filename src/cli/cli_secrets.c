/* SPDX-License-Identifier: MIT
 *
 * cli_secrets - see cli_secrets.h.
 */
#include "cli/cli_secrets.h"

#include <stdlib.h>
#include <string.h>

/* The password of a proxy could come back in a message of libcurl's. */
static enum err keep_proxy(struct log *log, const char *proxy, struct error *e)
{
  const char *host = proxy ? strstr(proxy, "://") : NULL;
  const char *user = host ? host + 3 : proxy;
  const char *at = user ? strrchr(user, '@') : NULL;
  const char *colon = at ? strchr(user, ':') : NULL;
  struct buf password = {.secret = true};
  if (!colon || colon > at)
    return ERR_OK;
  enum err err = buf_add(&password, colon + 1, (size_t)(at - colon) - 1);
  if (!err)
    err = log_secret(log, buf_str(&password));
  buf_release(&password);
  return err ? err_set(e, err, "out of memory") : ERR_OK;
}

/* libcurl shows the variable that it takes a proxy from, and all of it. */
static enum err keep_proxies(struct log *log, const struct config *c,
                             struct error *e)
{
  static const char *const names[] = {"http_proxy", "https_proxy",
                                      "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  enum err err = keep_proxy(log, c->http.proxy, e);
  for (size_t i = 0; i < sizeof names / sizeof *names && !err; i++)
    err = keep_proxy(log, getenv(names[i]), e);
  return err;
}

/* Keys for encryption travel as headers, and servers quote them. */
static enum err keep_headers(struct log *log, const struct config *c,
                             struct error *e)
{
  const struct kv *kv = &c->headers;
  enum err err = ERR_OK;
  for (size_t i = 0; i < kv->n && !err; i++)
    if (opt_is_secret_header(kv->pairs[i].name, strlen(kv->pairs[i].name)))
      err = log_secret(log, kv->pairs[i].value);
  return err ? err_set(e, err, "out of memory") : ERR_OK;
}

enum err cli_keep_secrets(struct log *log, const struct config *c,
                          struct error *e)
{
  enum err err = keep_proxies(log, c, e);
  return err ? err : keep_headers(log, c, e);
}
