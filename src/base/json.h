/* SPDX-License-Identifier: MIT
 *
 * json - the text of named members in small replies and key files, on cJSON.
 *
 * For what is read once and may hold secrets: its copies are wiped.  Objects
 * are entered by a path, arrays as a whole.  Pure.
 */
#ifndef ANK_BASE_JSON_H
#define ANK_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Puts the member at PATH ("a" or "a/b") of the object DATA into OUT: a text
 * as it is, a whole number as digits, true and false as words.  False, with
 * OUT empty, when there is none or when DATA is no JSON object. */
bool json_get(const char *data, size_t len, const char *path, struct buf *out);

/* Called for each text in an object or array; NAME is "" in an array.  A
 * non-zero answer ends it and is returned. */
typedef enum err json_member_fn(void *ctx, const char *name, const char *value,
                                struct error *e);

/* Hands out the texts that the member at PATH holds; ERR_OK when there is
 * none, else what FN answered. */
enum err json_each(const char *data, size_t len, const char *path,
                   json_member_fn *fn, void *ctx, struct error *e)
    __attribute__((warn_unused_result));

/* Is DATA one JSON object? */
bool json_is_object(const char *data, size_t len);

/* Appends "TEXT" with quotes, escaped; bytes that are no UTF-8 are
 * replaced. */
enum err json_quote(struct buf *out, const char *text)
    __attribute__((warn_unused_result));

#endif
