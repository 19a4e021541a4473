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

/* One line: "usage: ankput [options] FILE... URL". */
const char *help_usage(enum opt_programs program);

/* Prints what O asks for, in at most 79 columns, and answers the exit status,
 * having told LOG why when it could not; -1 when nothing is asked for.  LIBRARY
 * names what stands beside the program's version; it is called only then, as
 * libcurl may ask the network for its answer. */
int help_answer(const struct opt *o, const char *(*library)(void),
                const struct log *log);

/* After the last word on standard output: ERR_LOCAL when one was lost. */
enum err help_end(struct error *e) __attribute__((warn_unused_result));

#endif
