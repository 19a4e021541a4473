/* SPDX-License-Identifier: MIT
 *
 * cli - from main's arguments to the exit status; shared by the programs.
 */
#ifndef ANK_CLI_CLI_H
#define ANK_CLI_CLI_H

#include "cli/opt.h"

/* Runs PROGRAM; the exit status of the process. */
int cli_main(enum opt_programs program, int argc, char **argv);

#endif
