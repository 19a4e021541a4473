/* SPDX-License-Identifier: MIT
 *
 * credload_oci_file - see credload_oci_file.h.
 */
#include "io/credload_oci_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/ini.h"
#include "io/credload_profile.h"
#include "io/file.h"

enum { MAX_FILE = 1 << 20 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- files ---- */

enum err credload_oci_expand(const char *path, struct buf *out)
{
  const char *home = credload_env("HOME");
  bool below_home = codec_starts_with(path, "~/") && home;
  buf_clear(out);
  return below_home ? buf_addf(out, "%s%s", home, path + 1)
                    : buf_adds(out, path);
}

/* A file that need not be there leaves OUT empty, and *THERE false. */
enum err credload_oci_slurp_any(const char *path, struct buf *out, bool *there,
                                struct error *e)
{
  struct error why = {0};
  buf_clear(out);
  enum err err = file_slurp(path, MAX_FILE, out, &why);
  *there = !err;
  return err && err != ERR_NOT_FOUND
             ? err_set(e, ERR_CREDENTIALS, "%s", why.msg)
             : ERR_OK;
}

enum err credload_oci_slurp(const char *path, struct buf *out, struct error *e)
{
  bool there;
  enum err err = credload_oci_slurp_any(path, out, &there, e);
  return err || there ? err
                      : err_set(e, ERR_CREDENTIALS, "%s: not found", path);
}

static enum err open_at(struct credload_oci_file *s, const char *path,
                        struct error *e)
{
  if (credload_oci_expand(path, &s->path))
    return no_memory(e);
  if (!s->named)
    return credload_oci_slurp_any(buf_str(&s->path), &s->text, &s->there, e);
  s->there = true;
  return credload_oci_slurp(buf_str(&s->path), &s->text, e);
}

/* The name of old counts while the one of today is not there, which is what a
 * message names when neither is. */
static enum err open_usual(struct credload_oci_file *s, struct error *e)
{
  enum err err = open_at(s, "~/.oci/config", e);
  if (!err && !s->there)
    err = open_at(s, "~/.oraclebmc/config", e);
  return !err && !s->there && credload_oci_expand("~/.oci/config", &s->path)
             ? no_memory(e)
             : err;
}

enum err credload_oci_open(struct credload_oci_file *s,
                           const struct credload_ask *ask, struct error *e)
{
  const char *path = credload_env2("OCI_CONFIG_FILE", "OCI_CLI_CONFIG_FILE");
  const char *profile = credload_env("OCI_CLI_PROFILE");
  *s = (struct credload_oci_file){.text.secret = true, .named = path != NULL};
  s->only_profile = ask->profile != NULL;
  s->profile = ask->profile ? ask->profile : profile ? profile : "DEFAULT";
  if (path)
    return open_at(s, path, e);
  if (!credload_env("HOME"))
    return ERR_OK;
  return open_usual(s, e);
}

void credload_oci_close(struct credload_oci_file *s)
{
  buf_release(&s->path);
  buf_release(&s->text);
}

/* ---- values ---- */

static enum err damaged(const struct credload_oci_file *s, enum err err,
                        const struct error *why, struct error *e)
{
  return err_set(e, err == ERR_INTERNAL ? err : ERR_CREDENTIALS, "%s: %s",
                 buf_str(&s->path), why->msg);
}

static enum err from_section(const struct credload_oci_file *s,
                             const char *section, const char *name, char **out,
                             struct error *e)
{
  struct error why = {0};
  enum err err =
      ini_get(buf_str(&s->text), s->text.len, section, name, out, &why);
  return err ? damaged(s, err, &why, e) : ERR_OK;
}

/* The profile's, else what all profiles inherit; an empty one is none. */
enum err credload_oci_inherited(const struct credload_oci_file *s,
                                const char *name, char **out, struct error *e)
{
  *out = NULL;
  if (!s->there)
    return ERR_OK;
  enum err err = from_section(s, s->profile, name, out, e);
  if (err || *out)
    return err;
  return from_section(s, "DEFAULT", name, out, e);
}

enum err credload_oci_get(const struct credload_oci_file *s, const char *name,
                          const char *variable, struct buf *out,
                          struct error *e)
{
  const char *value = s->only_profile ? NULL : credload_env(variable);
  char *own = NULL;
  enum err err = value ? ERR_OK : credload_oci_inherited(s, name, &own, e);
  buf_clear(out);
  if (!err && (value || own) && buf_adds(out, value ? value : own))
    err = no_memory(e);
  buf_wipe_free(own);
  return err;
}

/* Words for what is missing: in the file, or no file at all. */
enum err credload_oci_missing(const struct credload_oci_file *s,
                              const char *name, struct error *e)
{
  if (!s->there)
    return err_set(
        e, ERR_CREDENTIALS, "no credentials: looked at OCI_CLI_USER, %s",
        s->path.len ? buf_str(&s->path) : "~/.oci/config (HOME is unset)");
  return err_set(e, ERR_CREDENTIALS, "%s: [%s] has no %s", buf_str(&s->path),
                 s->profile, name);
}

enum err credload_oci_check(const struct credload_oci_file *s, struct error *e)
{
  bool found = false;
  if (!s->there || strcmp(s->profile, "DEFAULT") == 0)
    return ERR_OK;
  struct error why = {0};
  enum err err =
      ini_has(buf_str(&s->text), s->text.len, s->profile, &found, &why);
  if (err)
    return damaged(s, err, &why, e);
  return found ? ERR_OK
               : err_set(e, ERR_CREDENTIALS, "profile '%s' is not in %s",
                         s->profile, buf_str(&s->path));
}
