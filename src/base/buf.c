/* SPDX-License-Identifier: MIT
 *
 * buf - growth by doubling under a maximum, with a NUL always after the bytes.
 *
 * Secret buffers never go through realloc(), which may leave a copy behind:
 * they move by hand and the old place is wiped.
 */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUF_FIRST = 64 };

void buf_wipe(void *p, size_t len)
{
  volatile unsigned char *byte = p;
  while (len-- > 0)
    *byte++ = 0;
}

void buf_wipe_free(char *s)
{
  if (s != NULL)
    buf_wipe(s, strlen(s));
  free(s);
}

static char *move(struct buf *b, size_t cap)
{
  if (!b->secret)
    return realloc(b->data, cap);
  char *data = malloc(cap);
  if (data == NULL)
    return NULL;
  if (b->data != NULL) {
    memcpy(data, b->data, b->len + 1);
    buf_wipe(b->data, b->cap);
    free(b->data);
  }
  return data;
}

enum err buf_reserve(struct buf *b, size_t len)
{
  size_t max = b->max != 0 ? b->max : SIZE_MAX / 2;
  if (b->len > max || len > max - b->len)
    return ERR_INTERNAL;
  size_t need = b->len + len + 1;
  if (need <= b->cap)
    return ERR_OK;
  size_t cap = b->cap < BUF_FIRST / 2 ? BUF_FIRST : b->cap * 2;
  if (cap > max + 1)
    cap = max + 1;
  if (cap < need)
    cap = need;
  char *data = move(b, cap);
  if (data == NULL)
    return ERR_INTERNAL;
  b->data = data;
  b->cap = cap;
  b->data[b->len] = '\0';
  return ERR_OK;
}

enum err buf_add(struct buf *b, const void *data, size_t len)
{
  if (buf_reserve(b, len) != ERR_OK)
    return ERR_INTERNAL;
  if (len > 0)
    memcpy(b->data + b->len, data, len);
  b->len += len;
  b->data[b->len] = '\0';
  return ERR_OK;
}

enum err buf_adds(struct buf *b, const char *str)
{
  return buf_add(b, str, strlen(str));
}

enum err buf_addc(struct buf *b, char c)
{
  return buf_add(b, &c, 1);
}

enum err buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
  va_list twice;
  va_copy(twice, ap);
  int n = vsnprintf(NULL, 0, fmt, twice);
  va_end(twice);
  if (n < 0 || buf_reserve(b, (size_t)n) != ERR_OK)
    return ERR_INTERNAL;
  vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
  b->len += (size_t)n;
  return ERR_OK;
}

enum err buf_addf(struct buf *b, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  enum err err = buf_vaddf(b, fmt, ap);
  va_end(ap);
  return err;
}

enum err buf_sets(struct buf *b, const char *str)
{
  size_t len = strlen(str);
  if (b->max != 0 && len > b->max)
    return ERR_INTERNAL;
  if (len > b->len && buf_reserve(b, len - b->len) != ERR_OK)
    return ERR_INTERNAL;
  buf_clear(b);
  return buf_add(b, str, len);
}

const char *buf_str(const struct buf *b)
{
  return b->data != NULL ? b->data : "";
}

void buf_cut(struct buf *b, size_t len)
{
  if (len >= b->len)
    return;
  if (b->secret)
    buf_wipe(b->data + len, b->len - len);
  b->len = len;
  b->data[len] = '\0';
}

void buf_clear(struct buf *b)
{
  buf_cut(b, 0);
}

char *buf_take(struct buf *b)
{
  if (b->data == NULL && buf_reserve(b, 0) != ERR_OK)
    return NULL;
  char *data = b->data;
  b->data = NULL;
  b->len = 0;
  b->cap = 0;
  return data;
}

void buf_release(struct buf *b)
{
  if (b->secret && b->data != NULL)
    buf_wipe(b->data, b->cap);
  free(b->data);
  b->data = NULL;
  b->len = 0;
  b->cap = 0;
}
