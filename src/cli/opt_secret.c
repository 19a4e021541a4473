/* SPDX-License-Identifier: MIT
 *
 * opt_secret - a part of cli/opt: what a value may give away, in ps and on a
 * screen.
 */
#include <string.h>

#include "base/codec.h"
#include "cli/opt.h"

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

void opt_hide_secrets(const struct opt *o, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (is_operand(o, argv[i]))
      continue;
    hide_value(o, OPT_PROXY, argv[i], opt_hide_password);
    hide_value(o, OPT_HEADER, argv[i], opt_hide_header);
  }
}
