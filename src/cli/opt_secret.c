/* SPDX-License-Identifier: MIT
 *
 * opt_secret - a part of cli/opt: what a value may give away, in ps and on a
 * screen.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/codec.h"
#include "cli/opt.h"
#include "cloud/weburl.h"

static void blank(char *from, const char *to)
{
  while (from < to && *from)
    *from++ = 'x';
}

/* user:password@ of a URL. */
void opt_hide_password(char *s)
{
  char *host = strstr(s, "://");
  char *at = host ? strchr(host, '@') : strchr(s, '@');
  char *colon = at ? strchr(host ? host + 3 : s, ':') : NULL;
  if (colon && colon < at)
    blank(colon + 1, at);
}

bool opt_is_secret_header(const char *name, size_t len)
{
  static const char *const words[] = {"key",      "token",  "secret",
                                      "password", "cookie", "auth"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (codec_find_nocase(name, len, words[i]))
      return true;
  return false;
}

void opt_hide_header(char *s)
{
  char *colon = strchr(s, ':');
  if (colon && opt_is_secret_header(s, (size_t)(colon - s)))
    blank(colon + 1, colon + strlen(colon));
}

static bool is_operand(const struct opt *o, const char *arg)
{
  for (int i = 0; i < o->n_operands; i++)
    if (o->operands[i] == arg)
      return true;
  return false;
}

static void hide_value(const struct opt *o, enum opt_id id, char *arg,
                       void (*hide)(char *))
{
  const struct opt_value *v = &o->values[id];
  for (size_t i = 0; i < v->n; i++)
    if (codec_ends_with(arg, v->texts[i]))
      hide(arg + strlen(arg) - strlen(v->texts[i]));
}

/* ---- URLs ---- */

char *opt_keep_url(struct opt *o, const char *url)
{
  char **more = realloc(o->urls, (o->n_urls + 1) * sizeof *more);
  if (!more)
    return NULL;
  o->urls = more;
  char *copy = strdup(url);
  if (copy)
    more[o->n_urls++] = copy;
  return copy;
}

void opt_forget_urls(struct opt *o)
{
  for (size_t i = 0; i < o->n_urls; i++)
    buf_wipe_free(o->urls[i]);
  free(o->urls);
  free(o->own);
  o->urls = NULL;
  o->own = NULL;
  o->n_urls = 0;
}

static bool is_kept(const struct opt *o, const char *url)
{
  for (size_t i = 0; i < o->n_urls; i++)
    if (o->urls[i] == url)
      return true;
  return false;
}

/* The operand goes on as a copy, and its place in argv shows less. */
static enum err hide_operand(struct opt *o, int i, struct error *e)
{
  char *url = o->operands[i];
  if (!weburl_has_secret(url) || is_kept(o, url))
    return ERR_OK;
  o->operands[i] = opt_keep_url(o, url);
  if (!o->operands[i]) {
    o->n_operands = i;
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  weburl_blank(url);
  return ERR_OK;
}

/* The words of a command are its own, and it is to get them as they are. */
enum err opt_hide_secrets(struct opt *o, int argc, char **argv, struct error *e)
{
  enum err err = ERR_OK;
  for (int i = 1; i < argc && argv + i != o->command; i++) {
    if (is_operand(o, argv[i]))
      continue;
    hide_value(o, OPT_PROXY, argv[i], opt_hide_password);
    hide_value(o, OPT_ENDPOINT, argv[i], opt_hide_password);
    hide_value(o, OPT_HEADER, argv[i], opt_hide_header);
  }
  for (int i = 0; i < o->n_operands && !err; i++)
    err = hide_operand(o, i, e);
  return err;
}
