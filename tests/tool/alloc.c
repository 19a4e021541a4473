/* SPDX-License-Identifier: MIT
 *
 * alloc - see alloc.h.
 */
#include "alloc.h"

#include <stddef.h>

/* The names are the linker's: __wrap_X is called for X, __real_X is X. */
void *__real_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__real_realloc(void *p, size_t len);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__wrap_realloc(void *p, size_t len);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t len);

static unsigned left;
static bool failed;

void alloc_fail(unsigned n)
{
  left = n;
  failed = false;
}

bool alloc_failed(void)
{
  return failed;
}

static bool fails_now(void)
{
  if (left == 0 || --left > 0)
    return false;
  failed = true;
  return true;
}

void *__wrap_malloc(size_t len)
{
  return fails_now() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
  return fails_now() ? NULL : __real_calloc(n, len);
}

void *__wrap_realloc(void *p, size_t len)
{
  return fails_now() ? NULL : __real_realloc(p, len);
}

char *__wrap_strdup(const char *s)
{
  return fails_now() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t len)
{
  return fails_now() ? NULL : __real_strndup(s, len);
}
