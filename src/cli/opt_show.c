/* SPDX-License-Identifier: MIT
 *
 * opt_show - see opt_show.h.
 */
#include "cli/opt_show.h"

#include <string.h>

#include "base/codec.h"

static enum err show_line(struct buf *out, enum opt_id id, const char *value)
{
  struct buf safe = {.secret = true};
  enum err err = buf_adds(&safe, value);
  if (!err && (id == OPT_PROXY || id == OPT_ENDPOINT))
    opt_hide_password(safe.data);
  if (!err && id == OPT_HEADER)
    opt_hide_header(safe.data);
  if (!err)
    err = buf_addf(out, "%s = ", opt_rows[id].long_name);
  if (!err)
    err = codec_visible(out, buf_str(&safe), safe.len);
  if (!err)
    err = buf_addc(out, '\n');
  buf_release(&safe);
  return err;
}

/* "FILE:7: retries" without the name, which the next line has. */
static enum err show_source(struct buf *out, enum opt_id id, const char *source)
{
  size_t len = strlen(source), name = strlen(opt_rows[id].long_name) + 2;
  bool file = len > name && source[len - name] == ':';
  return buf_addf(out, "# %.*s\n", (int)(file ? len - name : len), source);
}

static enum err show_given(const struct opt *o, enum opt_id id, struct buf *out)
{
  const struct opt_value *v = &o->values[id];
  enum err err = show_source(out, id, v->source);
  for (size_t i = 0; i < v->n && !err; i++)
    err = show_line(out, id, v->texts[i]);
  return err;
}

static const struct opt_setting *find(const struct opt_setting *s,
                                      enum opt_id id)
{
  for (; s->name; s++)
    if (s->value && strcmp(s->name, opt_rows[id].long_name) == 0)
      return s;
  return NULL;
}

static enum err show(const struct opt *o, enum opt_id id,
                     const struct opt_setting *settings, struct buf *out)
{
  const struct opt_setting *s = find(settings, id);
  const char *def = opt_rows[id].def;
  if (opt_given(o, id))
    return show_given(o, id, out);
  if (s) {
    enum err err = show_source(out, id, s->from);
    if (!err && !*s->value)
      return buf_addf(out, "# no limit\n# %s =\n", opt_rows[id].long_name);
    return err ? err : show_line(out, id, s->value);
  }
  if (!def)
    return buf_addf(out, "# not set\n# %s =\n", opt_rows[id].long_name);
  enum err err = buf_adds(out, "# default\n");
  return err ? err : show_line(out, id, def);
}

enum err opt_show(const struct opt *o, const struct opt_setting *settings,
                  struct buf *out)
{
  char variable[48];
  enum err err = ERR_OK;
  for (size_t i = 0; i < OPT_COUNT && !err; i++)
    if (opt_rows[i].programs & o->program &&
        opt_env_name((enum opt_id)i, variable))
      err = show(o, (enum opt_id)i, settings, out);
  return err;
}
