/* SPDX-License-Identifier: MIT
 *
 * credload - see credload.h.
 */
#include "io/credload.h"

#include <stdlib.h>
#include <string.h>

#include "io/credload_aws.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err keep_keys(struct creds *out, const char *id, const char *secret,
                          const char *token, const char *source,
                          struct error *e)
{
  return creds_set(out, CREDS_KEYS, id, secret, token, source) ? no_memory(e)
                                                               : ERR_OK;
}

/* What pasted text or a file with CRs leaves behind a value, and no header may
 * hold; of a secret nobody says that it has no blank. */
static enum err check_text(const char *name, const char *value, char least,
                           struct error *e)
{
  for (const char *s = value ? value : ""; *s; s++)
    if ((unsigned char)*s < (unsigned char)least)
      return err_set(e, ERR_CREDENTIALS,
                     "%s holds a %s: is there one at its end?", name,
                     *s == ' ' ? "blank" : "line break or control character");
  return ERR_OK;
}

static enum err check_variables(struct error *e)
{
  static const struct {
    const char *name;
    char least;
  } all[] = {{"AWS_ACCESS_KEY_ID", '!'},
             {"AWS_SECRET_ACCESS_KEY", ' '},
             {"AWS_SESSION_TOKEN", '!'},
             {"AWS_SECURITY_TOKEN", '!'}};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && !err; i++)
    err = check_text(all[i].name, credload_env(all[i].name), all[i].least, e);
  return err;
}

enum err credload_aws_environment(struct creds *out, bool *found,
                                  struct error *e)
{
  const char *id = credload_env("AWS_ACCESS_KEY_ID");
  const char *secret = credload_env("AWS_SECRET_ACCESS_KEY");
  /* A lone secret is ignored, a lone id is a mistake to be told of. */
  if (!id)
    return ERR_OK;
  if (!secret)
    return err_set(e, ERR_CREDENTIALS,
                   "AWS_ACCESS_KEY_ID is set but AWS_SECRET_ACCESS_KEY is not");
  *found = true;
  enum err err = check_variables(e);
  if (err)
    return err;
  return keep_keys(out, id, secret,
                   credload_env2("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"),
                   "the environment", e);
}

enum err credload_aws_section(const struct profile_file *f, const char *section,
                              struct creds *out, bool *found, struct error *e)
{
  char *id = NULL, *secret = NULL, *token = NULL;
  struct buf source = {0};
  enum err err = credload_get(f, section, "aws_access_key_id", &id, e);
  if (!err)
    err = credload_get(f, section, "aws_secret_access_key", &secret, e);
  if (!err)
    err = credload_get(f, section, "aws_session_token", &token, e);
  if (!err && !token)
    err = credload_get(f, section, "aws_security_token", &token, e);
  if (!err && id && !secret)
    err = err_set(e, ERR_CREDENTIALS,
                  "%s: [%s] has aws_access_key_id but no aws_secret_access_key",
                  buf_str(&f->path), section);
  if (!err && id) {
    *found = true;
    err = buf_addf(&source, "[%s] of %s", section, buf_str(&f->path))
              ? no_memory(e)
              : keep_keys(out, id, secret, token, buf_str(&source), e);
  }
  buf_release(&source);
  free(id);
  buf_wipe_free(secret);
  buf_wipe_free(token);
  return err;
}
