/* SPDX-License-Identifier: MIT
 *
 * kv - an ordered list of names and values: headers of a message, parameters
 * of a query.
 *
 * The one door for what goes on the wire as a header: a CR, LF or NUL in a
 * name or a value is refused here (security.md 2), so no other room has to
 * look.  Owns copies of all it holds, and wipes values as it gives them back,
 * which may be signatures and tokens.  Names are compared without regard to
 * ASCII case by kv_get; order of insertion is kept until sorted.
 */
#ifndef ANK_BASE_KV_H
#define ANK_BASE_KV_H

#include <stddef.h>

#include "base/buf.h"

struct kv_pair {
  char *name;  /* owned */
  char *value; /* owned, never NULL */
};

struct kv {
  struct kv_pair *pairs; /* owned */
  size_t n;
  size_t cap;
};

/* Appends a copy.  ERR_USAGE (message names NAME) when either holds CR, LF or
 * NUL (lengths given) or NAME is empty; ERR_INTERNAL when memory is out. */
enum err kv_add(struct kv *kv, const char *name, const char *value,
                struct error *e) __attribute__((warn_unused_result));
enum err kv_addn(struct kv *kv, const char *name, size_t name_len,
                 const char *value, size_t value_len, struct error *e)
    __attribute__((warn_unused_result));
enum err kv_addf(struct kv *kv, struct error *e, const char *name,
                 const char *fmt, ...)
    __attribute__((format(printf, 4, 5), warn_unused_result));

/* Replaces all pairs of NAME (any case) by this one, at the first's place. */
enum err kv_set(struct kv *kv, const char *name, const char *value,
                struct error *e) __attribute__((warn_unused_result));

/* First value of NAME (any case), or NULL.  Borrowed. */
const char *kv_get(const struct kv *kv, const char *name);

/* Index of the first pair of NAME (any case) at or after FROM, or kv->n. */
size_t kv_find(const struct kv *kv, const char *name, size_t from);

/* Stable sort by name, then value, as bytes. */
void kv_sort(struct kv *kv);

/* Appends copies of all of FROM. */
enum err kv_copy(struct kv *to, const struct kv *from, struct error *e)
    __attribute__((warn_unused_result));

void kv_clear(struct kv *kv);
void kv_release(struct kv *kv);

#endif
