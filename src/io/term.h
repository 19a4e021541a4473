/* SPDX-License-Identifier: MIT
 *
 * term - is this a terminal, and how wide is it now?
 */
#ifndef ANK_IO_TERM_H
#define ANK_IO_TERM_H

#include <stdbool.h>
#include <stddef.h>

bool term_is(int fd);

/* Asked anew each time, so that a resized window is noticed; 80 when it does
 * not say, 2 at least. */
size_t term_columns(int fd);

#endif
