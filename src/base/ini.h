/* SPDX-License-Identifier: MIT
 *
 * ini - sections of `name = value`, or `name: value`, as AWS, OCI and our own
 * files write them.
 *
 * Comments only at line start ('#' or ';'); a line that begins with white
 * space continues the value before it (AWS nests `s3 =\n  key = v` this way:
 * the value is then the joined lines, separated by '\n', each trimmed); any
 * length; CRLF accepted; a UTF-8 byte-order mark skipped.  Names and values
 * are trimmed.  Pure: bytes in, calls out; opens no file.
 */
#ifndef ANK_BASE_INI_H
#define ANK_BASE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Called for each pair, in file order, with the section ("" before the first)
 * and the line number the pair began on.  Strings are borrowed for the call.
 * A non-zero answer ends the parsing and is returned. */
typedef enum err ini_fn(void *ctx, const char *section, const char *name,
                        const char *value, int line, struct error *e);

/* ERR_USAGE with "line N: ..." for a line that is neither a section, a pair, a
 * comment nor blank, or for a NUL byte; else what FN answered. */
enum err ini_parse(const char *data, size_t len, ini_fn *fn, void *ctx,
                   struct error *e) __attribute__((warn_unused_result));

/* Called for each section, in file order, be there pairs in it or not. */
typedef enum err ini_section_fn(void *ctx, const char *section,
                                struct error *e);

enum err ini_sections(const char *data, size_t len, ini_section_fn *fn,
                      void *ctx, struct error *e)
    __attribute__((warn_unused_result));

/* *OUT: is there SECTION, be it empty?  Errors as ini_parse's. */
enum err ini_has(const char *data, size_t len, const char *section, bool *out,
                 struct error *e) __attribute__((warn_unused_result));

/* Copies into OUT (a NUL-terminated, malloc'd string the caller frees; NULL
 * when absent) the last value of NAME, in any case of its letters as in
 * Python's configparser, in SECTION. */
enum err ini_get(const char *data, size_t len, const char *section,
                 const char *name, char **out, struct error *e)
    __attribute__((warn_unused_result));

#endif
