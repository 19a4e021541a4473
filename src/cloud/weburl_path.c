/* SPDX-License-Identifier: MIT
 *
 * weburl_path - see weburl_path.h.
 */
#include "cloud/weburl_path.h"

#include <string.h>

#include "base/codec.h"

struct parse {
  const struct weburl_host *host;
  const char *provider, *shown;
  struct weburl_path *out;
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static enum err usage(const struct parse *p, const char *what, struct error *e)
{
  return err_set(e, ERR_USAGE, "%.200s: %s", p->shown, what);
}

static enum err no_object(const struct parse *p, const char *form,
                          struct error *e)
{
  return err_set(e, ERR_USAGE, "%.200s: names no object: its path is %s",
                 p->shown, form);
}

/* Decodes up to a slash, which *S is then behind; false without a slash. */
static bool segment(const char **s, struct buf *out, enum err *err)
{
  size_t len = strcspn(*s, "/");
  *err = codec_unpercent(out, *s, len);
  *s += len;
  if (!**s)
    return false;
  ++*s;
  return true;
}

static enum err take_key(const struct parse *p, const char *s, struct error *e)
{
  if (codec_unpercent(&p->out->key, s, strlen(s)))
    return no_memory(e);
  if (strlen(buf_str(&p->out->key)) != p->out->key.len)
    return usage(p, "no key holds %00", e);
  return ERR_OK;
}

/* "/BUCKET/KEY" where the host does not have the bucket. */
static enum err bucket_and_key(const struct parse *p, const char *s,
                               struct error *e)
{
  enum err err = ERR_OK;
  if (p->host->bucket[0])
    err = buf_adds(&p->out->bucket, p->host->bucket);
  else
    (void)segment(&s, &p->out->bucket, &err);
  if (err)
    return no_memory(e);
  if (strlen(buf_str(&p->out->bucket)) != p->out->bucket.len)
    return usage(p, "no bucket's name holds %00", e);
  return take_key(p, s, e);
}

/* An emulator's "ACCOUNT-secondary", which is signed for as the account. */
static void cut_secondary(const struct parse *p)
{
  static const char second[] = "-secondary";
  size_t tail = strlen(second);
  p->out->is_secondary = p->out->account.len > tail &&
                         codec_ends_with(buf_str(&p->out->account), second);
  if (p->out->is_secondary)
    buf_cut(&p->out->account, p->out->account.len - tail);
}

/* As an emulator has it, whose host is no account's. */
static enum err azure_path(const struct parse *p, const char *s,
                           struct error *e)
{
  enum err err = ERR_OK;
  if (p->host->account[0])
    err = buf_adds(&p->out->account, p->host->account);
  else if (!segment(&s, &p->out->account, &err))
    return err ? no_memory(e) : no_object(p, "/ACCOUNT/CONTAINER/KEY", e);
  else
    cut_secondary(p);
  return err ? no_memory(e) : bucket_and_key(p, s, e);
}

static bool is_word(const char **s, const char *word)
{
  bool is = codec_starts_with(*s, word);
  *s += is ? strlen(word) : 0;
  return is;
}

/* "[p/SECRET/]n/NAMESPACE/b/BUCKET/o/KEY" */
static enum err oci_path(const struct parse *p, const char *s, struct error *e)
{
  static const char form[] = "/n/NAMESPACE/b/BUCKET/o/KEY";
  struct buf secret = {.secret = true};
  enum err err = ERR_OK;
  if (is_word(&s, "p/"))
    (void)segment(&s, &secret, &err);
  buf_release(&secret);
  if (!err && (!is_word(&s, "n/") || !segment(&s, &p->out->account, &err)))
    return err ? no_memory(e) : no_object(p, form, e);
  if (!err && (!is_word(&s, "b/") || !segment(&s, &p->out->bucket, &err)))
    return err ? no_memory(e) : no_object(p, form, e);
  if (err)
    return no_memory(e);
  return is_word(&s, "o/") ? take_key(p, s, e) : no_object(p, form, e);
}

/* Google's other interface has paths of its own. */
static bool is_json_api(const char *s)
{
  return codec_starts_with(s, "storage/v1/b/") ||
         codec_starts_with(s, "download/storage/v1/b/") ||
         codec_starts_with(s, "upload/storage/v1/b/");
}

enum err weburl_path(const char *path, const char *provider,
                     const struct weburl_host *host, const char *shown,
                     struct weburl_path *out, struct error *e)
{
  const struct parse p = {host, provider, shown, out};
  const char *s = path + (*path == '/');
  if (strcmp(provider, "azure") == 0)
    return azure_path(&p, s, e);
  if (strcmp(provider, "oci") == 0)
    return oci_path(&p, s, e);
  if (strcmp(provider, "gcs") == 0 && !host->bucket[0] && is_json_api(s))
    return usage(&p,
                 "is a URL of Google's JSON interface; write "
                 "gs://BUCKET/KEY",
                 e);
  return bucket_and_key(&p, s, e);
}

void weburl_path_release(struct weburl_path *p)
{
  buf_release(&p->account);
  buf_release(&p->bucket);
  buf_release(&p->key);
}
