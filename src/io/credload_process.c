/* SPDX-License-Identifier: MIT
 *
 * credload_process - see credload_aws.h: keys that a helper prints.
 */
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/json.h"
#include "io/child.h"
#include "io/credload_aws.h"
#include "io/sys.h"

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static bool member(const struct buf *text, const char *name, struct buf *out)
{
  return json_get(buf_str(text), text->len, name, out);
}

static enum err bad(struct error *e, const char *what)
{
  return err_set(e, ERR_CREDENTIALS, "what it prints %s", what);
}

static enum err read_end(const struct buf *text, struct way *w, struct error *e)
{
  struct buf ends = {0};
  enum err err = ERR_OK;
  if (member(text, "Expiration", &ends) && ends.len) {
    if (!date_parse_iso(buf_str(&ends), &w->start_ends_ms))
      err = bad(e, "has an Expiration that is no date");
    else if (w->start_ends_ms <= sys_now().wall_ms)
      err = bad(e, "has expired");
  }
  buf_release(&ends);
  return err;
}

/* Part of a header or of what is signed. */
static bool is_clean(const struct buf *b)
{
  for (size_t i = 0; i < b->len; i++)
    if (b->data[i] <= ' ' || b->data[i] == 0x7F)
      return false;
  return true;
}

static enum err check_keys(const struct creds *c, struct error *e)
{
  if (!c->key_id.len || !c->secret.len)
    return bad(e, "lacks AccessKeyId or SecretAccessKey");
  return is_clean(&c->key_id) && is_clean(&c->secret) && is_clean(&c->token)
             ? ERR_OK
             : bad(e, "has blanks in a key or token");
}

static enum err read_keys(const struct buf *text, struct way *w,
                          struct error *e)
{
  struct buf version = {0};
  struct creds *c = &w->start;
  enum err err = ERR_OK;
  if (!json_is_object(buf_str(text), text->len))
    err = bad(e, "is no JSON object");
  else if (!member(text, "Version", &version) ||
           strcmp(buf_str(&version), "1") != 0)
    err = bad(e, "is not of Version 1");
  if (!err) {
    (void)member(text, "AccessKeyId", &c->key_id);
    (void)member(text, "SecretAccessKey", &c->secret);
    (void)member(text, "SessionToken", &c->token);
    err = check_keys(c, e);
  }
  c->kind = CREDS_KEYS;
  buf_release(&version);
  return err ? err : read_end(text, w, e);
}

enum err credload_aws_process(const struct aws *a, const char *profile,
                              struct way *w, bool *found, struct error *e)
{
  char *line = NULL;
  struct buf text = {.secret = true};
  enum err err = credload_aws_value(a, profile, "credential_process", &line, e);
  *found = !err && line;
  if (*found) {
    buf_clear(&w->name);
    if (buf_addf(&w->name, "credential_process of profile '%s'", profile))
      err = no_memory(e);
    if (!err)
      err = child_output(line, a->ask->deadline_mono_ms, &text, e);
    if (!err)
      err = read_keys(&text, w, e);
  }
  buf_release(&text);
  free(line);
  return err;
}
