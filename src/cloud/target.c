/* SPDX-License-Identifier: MIT
 *
 * target - see target.h.
 */
#include "cloud/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/uri.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

struct span {
  const char *at;
  size_t len;
};

/* The places of a URL behind its scheme; ACCOUNT is empty where there is
 * none. */
struct places {
  struct span account, bucket;
  const char *rest; /* from the slash before the key, or the end */
};

/* S3 allowed upper case and underscores in the oldest buckets, and compatibles
 * still do; what the signature and the path can carry safely is taken. */
#define BUCKET_CHARS LOWER DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

bool target_bucket_is_label(const char *bucket)
{
  size_t len = strlen(bucket);
  if (len < 3 || len > 63 || strspn(bucket, LOWER DIGITS "-") != len)
    return false;
  return bucket[0] != '-' && bucket[len - 1] != '-';
}

/* ---- grammar ---- */

static bool is_dots(struct span s)
{
  return s.len <= 2 && memcmp(s.at, "..", s.len) == 0;
}

static bool consists_of(struct span s, const char *chars)
{
  return strspn(s.at, chars) >= s.len;
}

static bool bucket_ok(struct span s)
{
  return s.len >= 1 && s.len <= 255 && consists_of(s, BUCKET_CHARS) &&
         !is_dots(s);
}

/* Azure's; "$root", "$web" and "$logs" are containers, too. */
static bool container_ok(struct span s)
{
  if (s.len && *s.at == '$')
    s = (struct span){s.at + 1, s.len - 1};
  return s.len >= 3 && s.len <= 63 && consists_of(s, LOWER DIGITS "-");
}

/* It becomes a label of the host's (security.md 1). */
static bool account_ok(struct span s)
{
  return s.len >= 3 && s.len <= 24 && consists_of(s, LOWER DIGITS);
}

/* OCI's; an empty one is asked for. */
static bool namespace_ok(struct span s)
{
  return s.len <= 63 && consists_of(s, LOWER DIGITS "_-");
}

bool target_is_namespace(const char *name)
{
  struct span s = {name, strlen(name)};
  return s.len && namespace_ok(s);
}

static bool no_account(struct span s)
{
  return s.len == 0;
}

/* ---- forms ---- */

static struct span segment(const char *s)
{
  return (struct span){s, strcspn(s, "/")};
}

static struct places bucket_first(const char *s)
{
  struct span bucket = segment(s);
  return (struct places){{s, 0}, bucket, s + bucket.len};
}

static struct places account_first(const char *s)
{
  struct places p = {.account = segment(s)};
  s += p.account.len;
  p.bucket = segment(s + (*s == '/'));
  p.rest = p.bucket.at + p.bucket.len;
  return p;
}

/* "NAMESPACE/BUCKET" or, as Oracle's HDFS connector has it,
 * "BUCKET@NAMESPACE". */
static struct places namespace_somewhere(const char *s)
{
  struct span first = segment(s);
  const char *at = memchr(s, '@', first.len);
  if (!at)
    return account_first(s);
  size_t len = (size_t)(at - s);
  return (struct places){
      {at + 1, first.len - len - 1}, {s, len}, s + first.len};
}

static const struct form {
  const char *scheme;
  struct places (*split)(const char *s);
  bool (*account)(struct span);
  bool (*bucket)(struct span);
  const char *account_name, *bucket_name; /* "bucket" */
  const char *account_rule, *bucket_rule; /* "a bucket name" */
  const char *like;
} forms[] = {
    {"s3", bucket_first, no_account, bucket_ok, "", "bucket", "",
     "a bucket name", "s3://BUCKET/KEY"},
    {"gs", bucket_first, no_account, bucket_ok, "", "bucket", "",
     "a bucket name", "gs://BUCKET/KEY"},
    {"az", account_first, account_ok, container_ok, "account", "container",
     "an account name (3 to 24 of a-z and 0-9)",
     "a container name (3 to 63 of a-z, 0-9 and -)",
     "az://ACCOUNT/CONTAINER/KEY"},
    {"oci", namespace_somewhere, namespace_ok, bucket_ok, "namespace", "bucket",
     "a namespace (a-z, 0-9, - and _)", "a bucket name",
     "oci://NAMESPACE/BUCKET/KEY"},
};

/* Behind "SCHEME://"; NULL when URL is of another scheme. */
static const char *behind_scheme(const char *url, const struct form *f)
{
  size_t len = strlen(f->scheme);
  return strncmp(url, f->scheme, len) == 0 && strncmp(url + len, "://", 3) == 0
             ? url + len + 3
             : NULL;
}

static const struct form *form_of(const char *url)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (behind_scheme(url, &forms[i]))
      return &forms[i];
  return NULL;
}

bool target_is_url(const char *s)
{
  size_t len = strlen(s);
  return form_of(s) || codec_starts_nocase(s, len, "https://") ||
         codec_starts_nocase(s, len, "http://");
}

static int shown(size_t len)
{
  return len > 80 ? 80 : (int)len;
}

/* No password of URL is shown; it may be one of the web's, which has another
 * form. */
static enum err no_name(const char *url, const struct form *f, struct span s,
                        const char *what, const char *rule, struct error *e)
{
  bool own = behind_scheme(url, f) != NULL;
  const char *as = own ? ", as in " : "", *like = own ? f->like : "";
  struct buf safe = {0};
  enum err err = uri_redact(&safe, url);
  if (err)
    err = err_set(e, ERR_INTERNAL, "out of memory");
  else if (strcmp(buf_str(&safe), url) != 0 && memchr(s.at, '@', s.len))
    err = err_set(e, ERR_USAGE, "%.80s: may not hold a user or password",
                  buf_str(&safe));
  else if (!s.len)
    err = err_set(e, ERR_USAGE, "%.80s: the %s is missing%s%s", buf_str(&safe),
                  what, as, like);
  else
    err = err_set(e, ERR_USAGE, "%.80s: '%.*s' is not %s%s%s", buf_str(&safe),
                  shown(s.len), s.at, rule, as, like);
  buf_release(&safe);
  return err;
}

/* What other tools call such a place, or a slip of the pen makes of it; none
 * begins with one before it. */
static const struct {
  const char *begins, *scheme;
} slips[] = {
    {"s3:", "s3"},   {"s3a:", "s3"},   {"s3n:", "s3"},   {"gs:", "gs"},
    {"gcs:", "gs"},  {"az:", "az"},    {"azure:", "az"}, {"azblob:", "az"},
    {"abfs:", "az"}, {"abfss:", "az"}, {"wasb:", "az"},  {"wasbs:", "az"},
    {"oci:", "oci"},
};

/* The form that URL's beginning stands for; NULL if for none. */
static const struct form *meant_by(const char *url)
{
  const char *begin = url + strspn(url, " \t");
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    if (!codec_starts_nocase(begin, strlen(begin), slips[i].begins))
      continue;
    const struct form *f = forms;
    while (strcmp(f->scheme, slips[i].scheme) != 0)
      f++;
    return f;
  }
  return NULL;
}

static enum err take(const struct form *f, const struct places *p,
                     struct target *out)
{
  struct target t = {0};
  t.scheme = strdup(f->scheme);
  t.account = p->account.len ? strndup(p->account.at, p->account.len) : NULL;
  t.bucket = strndup(p->bucket.at, p->bucket.len);
  t.key = strdup(*p->rest ? p->rest + 1 : "");
  if (!t.scheme || (p->account.len && !t.account) || !t.bucket || !t.key) {
    target_release(&t);
    return ERR_INTERNAL;
  }
  *out = t;
  return ERR_OK;
}

static enum err check_and_take(const struct form *f, const struct places *p,
                               const char *shown, struct target *out,
                               struct error *e)
{
  if (!f->account(p->account))
    return no_name(shown, f, p->account, f->account_name, f->account_rule, e);
  if (!f->bucket(p->bucket))
    return no_name(shown, f, p->bucket, f->bucket_name, f->bucket_rule, e);
  return take(f, p, out) ? err_set(e, ERR_INTERNAL, "out of memory") : ERR_OK;
}

/* The query of a presigned URL is its signature. */
static enum err no_url(const char *url, struct error *e)
{
  const struct form *meant = meant_by(url);
  struct buf safe = {0};
  if (!*url)
    return err_set(e, ERR_USAGE, "the URL is empty");
  enum err err = uri_redact(&safe, url);
  int len = shown(strcspn(buf_str(&safe), "?"));
  if (err)
    err = err_set(e, err, "out of memory");
  else if (meant)
    err = err_set(e, ERR_USAGE, "%.*s: not an object URL: is %s meant?", len,
                  buf_str(&safe), meant->like);
  else
    err = err_set(e, ERR_USAGE,
                  "%.*s: not an object URL, which is like s3://BUCKET/KEY, "
                  "gs://BUCKET/KEY, az://ACCOUNT/CONTAINER/KEY, "
                  "oci://NAMESPACE/BUCKET/KEY or https://HOST/PATH",
                  len, buf_str(&safe));
  buf_release(&safe);
  return err;
}

enum err target_parse(const char *url, struct target *out, struct error *e)
{
  const struct form *f = form_of(url);
  if (!f)
    return no_url(url, e);
  struct places p = f->split(behind_scheme(url, f));
  return check_and_take(f, &p, url, out, e);
}

enum err target_make(const char *scheme, const char *account,
                     const char *bucket, const char *key, const char *shown,
                     struct target *out, struct error *e)
{
  const char *name = account ? account : "";
  struct places p = {{name, strlen(name)}, {bucket, strlen(bucket)}, ""};
  const struct form *f = forms;
  while (strcmp(f->scheme, scheme) != 0)
    f++;
  struct target t;
  enum err err = check_and_take(f, &p, shown, &t, e);
  if (err)
    return err;
  free(t.key);
  t.key = strdup(key);
  if (!t.key) {
    target_release(&t);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  *out = t;
  return ERR_OK;
}

bool target_is_signed(const struct target *t)
{
  return t->web.path != NULL;
}

enum err target_place(struct buf *out, const struct target *t)
{
  bool unknown = !t->account && strcmp(t->scheme, "oci") == 0;
  return buf_addf(out, "%s://%s%s%s", t->scheme, t->account ? t->account : "",
                  t->account || unknown ? "/" : "", t->bucket);
}

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* *TEXT and behind it MORE. */
static enum err lengthen(char **text, const char *more, bool encoded)
{
  struct buf both = {0};
  enum err err = buf_adds(&both, *text);
  if (!err)
    err = encoded ? codec_percent(&both, more, strlen(more), false)
                  : buf_adds(&both, more);
  char *new = err ? NULL : buf_take(&both);
  buf_release(&both);
  if (!new)
    return ERR_INTERNAL;
  free(*text);
  *text = new;
  return ERR_OK;
}

enum err target_complete(struct target *t, const char *file, struct error *e)
{
  size_t len = strlen(t->key);
  if (len && t->key[len - 1] != '/')
    return ERR_OK;
  const char *slash = strrchr(file, '/');
  const char *base = slash ? slash + 1 : file;
  if (t->web.path && lengthen(&t->web.path, base, true))
    return no_memory(e);
  return lengthen(&t->key, base, false) ? no_memory(e) : ERR_OK;
}

static bool copy(char **to, const char *from)
{
  *to = from ? strdup(from) : NULL;
  return *to || !from;
}

static bool copy_all(struct target *to, const struct target *from)
{
  const struct target_web *w = &from->web;
  *to = (struct target){.web = {.is = w->is,
                                .virtual_host = w->virtual_host,
                                .path_style = w->path_style}};
  return copy(&to->scheme, from->scheme) && copy(&to->account, from->account) &&
         copy(&to->bucket, from->bucket) && copy(&to->key, from->key) &&
         copy(&to->web.endpoint, w->endpoint) &&
         copy(&to->web.region, w->region) && copy(&to->web.path, w->path) &&
         copy(&to->web.query, w->query);
}

enum err target_below(struct target *out, const struct target *prefix,
                      const char *file, struct error *e)
{
  struct target t;
  enum err err =
      copy_all(&t, prefix) ? target_complete(&t, file, e) : no_memory(e);
  if (err)
    target_release(&t);
  else
    *out = t;
  return err;
}

void target_release(struct target *t)
{
  free(t->scheme);
  free(t->account);
  free(t->bucket);
  free(t->key);
  free(t->web.endpoint);
  free(t->web.region);
  buf_wipe_free(t->web.path);
  buf_wipe_free(t->web.query);
  *t = (struct target){0};
}
