/* SPDX-License-Identifier: MIT
 *
 * breaker - the commands of ankbreaker: what runs share of their targets,
 * shown to an operator and changed by one.
 *
 * Sends nothing and needs no credentials.  Decides nothing about opening and
 * closing: that is policy/breaker's.
 */
#ifndef ANK_CLI_BREAKER_H
#define ANK_CLI_BREAKER_H

/* Runs ankbreaker; the exit status of the process. */
int breaker_main(int argc, char **argv);

#endif
