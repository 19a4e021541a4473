/* SPDX-License-Identifier: MIT
 *
 * note - names and texts as one line of JSON: what is noted on disk for a
 * later run, flat, texts only, so that no number loses a digit.
 *
 * Pure.  Knows neither files nor what the facts mean.
 */
#ifndef ANK_IO_NOTE_H
#define ANK_IO_NOTE_H

#include <stdbool.h>

#include "base/kv.h"

/* Appends the line, its newline included. */
enum err note_write(struct buf *out, const struct kv *facts)
    __attribute__((warn_unused_result));

/* Adds the facts of LINE to OUT; false, with OUT empty, when it is no object
 * of texts. */
bool note_read(const char *line, size_t len, struct kv *out);

#endif
