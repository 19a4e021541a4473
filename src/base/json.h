/* SPDX-License-Identifier: MIT
 *
 * json - the text of named members in small replies and key files, on cJSON.
 *
 * For what is read once and may hold secrets: its copies are wiped.  Objects
 * are entered by a path; arrays are not read.  Pure.
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

/* Is DATA one JSON object? */
bool json_is_object(const char *data, size_t len);

/* Appends "TEXT" with quotes, escaped; bytes that are no UTF-8 are
 * replaced. */
enum err json_quote(struct buf *out, const char *text)
    __attribute__((warn_unused_result));

#endif
