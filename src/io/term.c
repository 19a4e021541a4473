/* SPDX-License-Identifier: MIT
 *
 * term - see term.h.
 */
#include "io/term.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 80, LEAST = 2 };

bool term_is(int fd)
{
  return isatty(fd) == 1;
}

size_t term_columns(int fd)
{
  struct winsize w;
  if (ioctl(fd, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
    return USUAL;
  return w.ws_col < LEAST ? LEAST : w.ws_col;
}
