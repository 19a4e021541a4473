/* SPDX-License-Identifier: MIT
 *
 * help - --help [GROUP] and --version, printed from the option list.
 */
#ifndef ANK_CLI_HELP_H
#define ANK_CLI_HELP_H

#include "cli/opt.h"

/* "ankput" ... */
const char *help_program(enum opt_programs program);

/* One line: "usage: ankput [options] FILE URL". */
const char *help_usage(enum opt_programs program);

/* Prints to standard output; at most 80 columns.  ERR_USAGE for a group that
 * does not exist (the message lists those that do), ERR_LOCAL when standard
 * output cannot be written. */
enum err help_print(enum opt_programs program, const char *group,
                    struct error *e) __attribute__((warn_unused_result));

/* TEXT as it is. */
enum err help_text(const char *text, struct error *e)
    __attribute__((warn_unused_result));

enum err help_version(enum opt_programs program, const char *library,
                      struct error *e) __attribute__((warn_unused_result));

#endif
