/* SPDX-License-Identifier: MIT
 *
 * kv - an array of owned pairs; every way in goes through make_pair(), the one
 * place that refuses CR, LF and NUL.
 *
 * Lists are short (tens), so finding is a walk.
 */
#include "base/kv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

static bool is_clean(const char *s, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (s[i] == '\r' || s[i] == '\n' || s[i] == '\0')
      return false;
  return true;
}

static char *copy(const char *s, size_t len)
{
  char *dup = malloc(len + 1);
  if (dup == NULL)
    return NULL;
  if (len > 0)
    memcpy(dup, s, len);
  dup[len] = '\0';
  return dup;
}

static void release_pair(struct kv_pair *pair)
{
  free(pair->name);
  buf_wipe_free(pair->value);
}

static enum err make_pair(struct kv_pair *out, const char *name,
                          size_t name_len, const char *value, size_t value_len,
                          struct error *e)
{
  if (name_len == 0)
    return err_set(e, ERR_USAGE, "empty header or parameter name");
  if (!is_clean(name, name_len))
    return err_set(e, ERR_USAGE, "line break or NUL in a name");
  if (!is_clean(value, value_len))
    return err_set(e, ERR_USAGE, "line break or NUL in the value of %.*s",
                   name_len < 200 ? (int)name_len : 200, name);
  struct kv_pair pair = {copy(name, name_len), copy(value, value_len)};
  if (pair.name == NULL || pair.value == NULL) {
    free(pair.name);
    free(pair.value);
    return err_set(e, ERR_INTERNAL, "out of memory");
  }
  *out = pair;
  return ERR_OK;
}

static enum err grow(struct kv *kv, struct error *e)
{
  if (kv->n < kv->cap)
    return ERR_OK;
  size_t cap = kv->cap != 0 ? kv->cap * 2 : 16;
  struct kv_pair *pairs = realloc(kv->pairs, cap * sizeof *pairs);
  if (pairs == NULL)
    return err_set(e, ERR_INTERNAL, "out of memory");
  kv->pairs = pairs;
  kv->cap = cap;
  return ERR_OK;
}

enum err kv_addn(struct kv *kv, const char *name, size_t name_len,
                 const char *value, size_t value_len, struct error *e)
{
  struct kv_pair pair;
  enum err err = grow(kv, e);
  if (err == ERR_OK)
    err = make_pair(&pair, name, name_len, value, value_len, e);
  if (err == ERR_OK)
    kv->pairs[kv->n++] = pair;
  return err;
}

enum err kv_add(struct kv *kv, const char *name, const char *value,
                struct error *e)
{
  return kv_addn(kv, name, strlen(name), value, strlen(value), e);
}

enum err kv_addf(struct kv *kv, struct error *e, const char *name,
                 const char *fmt, ...)
{
  struct buf value = {.secret = true};
  va_list ap;
  va_start(ap, fmt);
  enum err err = buf_vaddf(&value, fmt, ap);
  va_end(ap);
  if (err != ERR_OK)
    err = err_set(e, ERR_INTERNAL, "out of memory");
  else
    err = kv_addn(kv, name, strlen(name), buf_str(&value), value.len, e);
  buf_release(&value);
  return err;
}

size_t kv_find(const struct kv *kv, const char *name, size_t from)
{
  for (size_t i = from; i < kv->n; i++)
    if (codec_equal_nocase(kv->pairs[i].name, name))
      return i;
  return kv->n;
}

const char *kv_get(const struct kv *kv, const char *name)
{
  size_t i = kv_find(kv, name, 0);
  return i < kv->n ? kv->pairs[i].value : NULL;
}

/* Removes the pairs of NAME at or after FROM: they move behind the others, and
 * then go. */
static void remove_from(struct kv *kv, const char *name, size_t from)
{
  size_t n = kv->n;
  for (size_t i = from; i < n;) {
    struct kv_pair pair = kv->pairs[i];
    if (!codec_equal_nocase(pair.name, name)) {
      i++;
      continue;
    }
    n--;
    memmove(&kv->pairs[i], &kv->pairs[i + 1], (n - i) * sizeof pair);
    kv->pairs[n] = pair;
  }
  while (kv->n > n)
    release_pair(&kv->pairs[--kv->n]);
}

enum err kv_set(struct kv *kv, const char *name, const char *value,
                struct error *e)
{
  size_t at = kv_find(kv, name, 0);
  if (at == kv->n)
    return kv_add(kv, name, value, e);
  struct kv_pair pair;
  enum err err = make_pair(&pair, name, strlen(name), value, strlen(value), e);
  if (err != ERR_OK)
    return err;
  remove_from(kv, pair.name, at + 1);
  release_pair(&kv->pairs[at]);
  kv->pairs[at] = pair;
  return ERR_OK;
}

static int by_name_then_value(const void *left, const void *right)
{
  const struct kv_pair *a = left;
  const struct kv_pair *b = right;
  int order = strcmp(a->name, b->name);
  return order != 0 ? order : strcmp(a->value, b->value);
}

void kv_sort(struct kv *kv)
{
  /* Pairs that compare equal are equal, so qsort is stable enough. */
  if (kv->n > 1)
    qsort(kv->pairs, kv->n, sizeof kv->pairs[0], by_name_then_value);
}

enum err kv_copy(struct kv *to, const struct kv *from, struct error *e)
{
  size_t before = to->n;
  size_t n = from->n;
  enum err err = ERR_OK;
  for (size_t i = 0; i < n && err == ERR_OK; i++)
    err = kv_add(to, from->pairs[i].name, from->pairs[i].value, e);
  while (err != ERR_OK && to->n > before)
    release_pair(&to->pairs[--to->n]);
  return err;
}

void kv_clear(struct kv *kv)
{
  while (kv->n > 0)
    release_pair(&kv->pairs[--kv->n]);
}

void kv_release(struct kv *kv)
{
  kv_clear(kv);
  free(kv->pairs);
  *kv = (struct kv){0};
}
