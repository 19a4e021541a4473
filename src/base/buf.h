/* SPDX-License-Identifier: MIT
 *
 * buf - growable bytes with a maximum.
 *
 * The one allocator of variable-length data.  A zeroed struct is a valid empty
 * buffer with no maximum.  A `secret` buffer is wiped on growth and on
 * release.  The bytes are always followed by a NUL that is not counted, so
 * `data` is a C string whenever len > 0 (use buf_str for the empty case).
 * Knows nothing of encodings.
 */
#ifndef ANK_BASE_BUF_H
#define ANK_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct buf {
  char *data; /* owned; NULL while nothing was ever stored */
  size_t len;
  size_t cap;
  size_t max;  /* most bytes it may hold; 0 = no limit but memory */
  bool secret; /* wipe on growth and release */
};

/* Appends.  ERR_INTERNAL when memory is out or max would be passed; the
 * content is then as before. */
enum err buf_add(struct buf *b, const void *data, size_t len)
    __attribute__((warn_unused_result));
enum err buf_adds(struct buf *b, const char *str)
    __attribute__((warn_unused_result));
enum err buf_addc(struct buf *b, char c) __attribute__((warn_unused_result));
enum err buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), warn_unused_result));
enum err buf_vaddf(struct buf *b, const char *fmt, va_list ap)
    __attribute__((warn_unused_result));

/* Replaces the content by STR.  STR may not point into B. */
enum err buf_sets(struct buf *b, const char *str)
    __attribute__((warn_unused_result));

/* Makes room for at least LEN more bytes, so that adding them cannot fail. */
enum err buf_reserve(struct buf *b, size_t len)
    __attribute__((warn_unused_result));

/* Content as a C string; "" when empty.  Borrowed until the next change. */
const char *buf_str(const struct buf *b);

/* Empties, keeps the memory (wiped when secret). */
void buf_clear(struct buf *b);

/* Cuts to LEN bytes; LEN greater than the length is a no-op. */
void buf_cut(struct buf *b, size_t len);

/* Hands the bytes (a malloc'd C string, never NULL unless memory is out) to
 * the caller and leaves B empty. */
char *buf_take(struct buf *b);

/* Releases the memory; B is again a valid empty buffer. */
void buf_release(struct buf *b);

/* Overwrites memory in a way the compiler may not remove. */
void buf_wipe(void *p, size_t len);

/* Wipes and frees S, a malloc'd C string; NULL is one, too. */
void buf_wipe_free(char *s);

#endif
