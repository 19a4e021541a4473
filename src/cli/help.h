/* SPDX-License-Identifier: MIT
 *
 * help - --help [GROUP], --version and --show-config, printed from the option
 * list.
 */
#ifndef ANK_CLI_HELP_H
#define ANK_CLI_HELP_H

#include "cli/opt.h"
#include "io/log.h"

/* "ankput" ... */
const char *help_program(enum opt_programs program);

/* One line: "usage: ankput [options] FILE URL". */
const char *help_usage(enum opt_programs program);

/* Prints what O asks for, in at most 79 columns, and answers the exit status,
 * having told LOG why when it could not; -1 when neither is asked for.  LIBRARY
 * is named beside the program's version. */
int help_answer(const struct opt *o, const char *library,
                const struct log *log);

/* After the last word on standard output: ERR_LOCAL when one was lost. */
enum err help_end(struct error *e) __attribute__((warn_unused_result));

#endif
