/* SPDX-License-Identifier: MIT
 *
 * credload_profile - see credload_profile.h.
 */
#include "io/credload_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "io/file.h"

enum { MAX_FILE = 1 << 20 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

const char *credload_env(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

const char *credload_env2(const char *first, const char *second)
{
  const char *value = credload_env(first);
  return value ? value : credload_env(second);
}

const char *credload_profile_name(const char *flag)
{
  if (flag)
    return flag;
  const char *name = credload_env2("AWS_DEFAULT_PROFILE", "AWS_PROFILE");
  return name ? name : "default";
}

/* The path that VARIABLE holds, or BELOW_HOME in HOME; nothing without either.
 * No look-up in the password database: HOME is what cron and systemd set. */
static enum err find_path(struct buf *out, const char *variable,
                          const char *below_home)
{
  const char *path = credload_env(variable), *home = credload_env("HOME");
  if (path && codec_starts_with(path, "~/") && home)
    return buf_addf(out, "%s%s", home, path + 1);
  if (path)
    return buf_adds(out, path);
  return home ? buf_addf(out, "%s/%s", home, below_home) : ERR_OK;
}

static enum err read_file(struct profile_file *f, const char *variable,
                          const char *below_home, struct error *e)
{
  struct error why = {0};
  f->text.secret = true;
  if (find_path(&f->path, variable, below_home))
    return no_memory(e);
  if (!f->path.len)
    return ERR_OK;
  enum err err = file_slurp(buf_str(&f->path), MAX_FILE, &f->text, &why);
  f->there = !err;
  /* A file that was named must be there; the usual one need not be. */
  if (err == ERR_NOT_FOUND && !credload_env(variable))
    return ERR_OK;
  return err ? err_set(e, ERR_CREDENTIALS, "%s", why.msg) : ERR_OK;
}

enum err credload_read_credentials(struct profile_file *f, struct error *e)
{
  return read_file(f, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", e);
}

enum err credload_read_config(struct profile_file *f, struct error *e)
{
  return read_file(f, "AWS_CONFIG_FILE", ".aws/config", e);
}

void credload_file_release(struct profile_file *f)
{
  buf_release(&f->path);
  buf_release(&f->text);
}

enum err credload_get(const struct profile_file *f, const char *section,
                      const char *name, char **out, struct error *e)
{
  struct error why = {0};
  *out = NULL;
  if (!f->there)
    return ERR_OK;
  enum err err =
      ini_get(buf_str(&f->text), f->text.len, section, name, out, &why);
  if (err)
    return err_set(e, err == ERR_INTERNAL ? err : ERR_CREDENTIALS, "%s: %s",
                   buf_str(&f->path), why.msg);
  if (*out && !**out) { /* said to be nothing */
    free(*out);
    *out = NULL;
  }
  return ERR_OK;
}

/* ---- sections of the config file ---- */

static const char *skip_blanks(const char *s)
{
  return s + strspn(s, " \t");
}

/* S is NAME as a shell would read it: perhaps in quotes. */
static bool is_word(const char *s, const char *name)
{
  size_t len = strlen(name);
  char quote = *s == '"' || *s == '\'' ? *s : '\0';
  s += quote != '\0';
  return strncmp(s, name, len) == 0 && s[len] == quote &&
         (!quote || !*skip_blanks(s + len + 1));
}

/* Every profile says so in its name; the default one need not. */
static bool is_section(const char *s, const char *kind, const char *name)
{
  size_t len = strlen(kind);
  if (strcmp(kind, "profile") == 0 && strcmp(name, "default") == 0 &&
      strcmp(s, name) == 0)
    return true;
  return strncmp(s, kind, len) == 0 && skip_blanks(s + len) != s + len &&
         is_word(skip_blanks(s + len), name);
}

struct spelling {
  const char *kind, *name;
  struct buf *out;
  bool found;
};

/* Of two ways to write it the later counts, as in botocore. */
static enum err note_spelling(void *ctx, const char *section, struct error *e)
{
  struct spelling *s = ctx;
  if (!is_section(section, s->kind, s->name))
    return ERR_OK;
  s->found = true;
  return buf_sets(s->out, section) ? no_memory(e) : ERR_OK;
}

bool credload_section(const struct profile_file *f, const char *kind,
                      const char *name, struct buf *out)
{
  struct spelling s = {kind, name, out, false};
  struct error e = {0};
  buf_clear(out);
  return !buf_addf(out, "%s %s", kind, name) && f->there &&
         !ini_sections(buf_str(&f->text), f->text.len, note_spelling, &s, &e) &&
         s.found;
}

enum err credload_get_config(const struct profile_file *f, const char *kind,
                             const char *name, const char *key, char **out,
                             struct error *e)
{
  struct buf section = {0};
  /* A damaged file is told of by the look itself. */
  (void)credload_section(f, kind, name, &section);
  enum err err = credload_get(f, buf_str(&section), key, out, e);
  buf_release(&section);
  return err;
}

bool credload_has_section(const struct profile_file *f, const char *section)
{
  bool found = false;
  return f->there &&
         !ini_has(buf_str(&f->text), f->text.len, section, &found, NULL) &&
         found;
}
