/* SPDX-License-Identifier: MIT
 *
 * completion - --completion SHELL: the script by which a shell completes our
 * command lines, made from the option list.
 *
 * Checked in below completions/, rewritten there by `make regen`.  Asks nobody
 * while it completes but the profile files of ~/.aws.
 */
#ifndef ANK_CLI_COMPLETION_H
#define ANK_CLI_COMPLETION_H

#include "cli/opt.h"
#include "io/log.h"

/* Prints PROGRAM's script on standard output.  SHELL is one of
 * opt_words(OPT_COMPLETION).  ERR_LOCAL when standard output cannot be
 * written. */
enum err completion_print(enum opt_programs program, const char *shell,
                          struct error *e) __attribute__((warn_unused_result));

/* The same for what O asks for: the exit status, LOG having been told when it
 * could not be written; -1 when O does not ask. */
int completion_answer(const struct opt *o, const struct log *log);

#endif
