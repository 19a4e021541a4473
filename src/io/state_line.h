/* SPDX-License-Identifier: MIT
 *
 * state_line - a side room of io/state: a scope as one JSON line, from one
 * table of fields.  Zero fields are not written.
 */
#ifndef ANK_IO_STATE_LINE_H
#define ANK_IO_STATE_LINE_H

#include "base/buf.h"
#include "policy/scope.h"

/* Appends the line with its newline. */
enum err state_line_write(struct buf *out, const char *name,
                          const struct scope *scope)
    __attribute__((warn_unused_result));

/* Appends what each line of NAME begins with. */
enum err state_line_head(struct buf *out, const char *name)
    __attribute__((warn_unused_result));

/* Reads one line of LEN bytes; NAME (may be NULL) receives the scope's name.
 * False when it is no such line; OUT is then zeroed. */
bool state_line_read(const char *line, size_t len, struct buf *name,
                     struct scope *out);

#endif
