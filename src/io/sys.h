/* SPDX-License-Identifier: MIT
 *
 * sys - the only room with the clock, sleep, dice and the interrupt flag.
 *
 * Linked from src/io/sys.c into the programs and replaced at link time by
 * tests/fake/sys_fake.c in the tests' programs, where time is moved by waiting
 * and the dice are loaded: the shipped programs hold no test hook.
 */
#ifndef ANK_IO_SYS_H
#define ANK_IO_SYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/date.h"
#include "base/err.h"

/* Both clocks, read together. */
struct now sys_now(void);

/* 64 bits from the kernel. */
uint64_t sys_random(void);

/* Catches SIGINT, SIGTERM and SIGHUP (not one that was ignored at start), and
 * ignores SIGPIPE.  A second signal ends the process at once. */
enum err sys_catch_signals(struct error *e) __attribute__((warn_unused_result));

/* The signal that came, or 0. */
int sys_interrupted(void);

/* Readable once a signal came; for polls.  -1 before sys_catch_signals. */
int sys_interrupt_fd(void);

/* From now on a signal that came wakes no poll any more: for the little that is
 * done after it. */
void sys_hush_signals(void);

/* Restores the default action of SIGNUM and raises it. */
void sys_reraise(int signum);

/* How long a poll that should last MS may really block, and, after it, what
 * came of it: `busy` when transfers are in flight, `woken` when anything
 * happened.  In the real room the first answers MS and the second is empty;
 * under the tests' clock a poll in which nothing can happen moves the clock
 * instead. */
int sys_poll_ms(int64_t ms, bool busy);
void sys_polled(int64_t ms, bool busy, bool woken);

/* Does nothing for so long; a signal ends it early. */
void sys_pause_us(int64_t us);

/* True when some interface that is up has an address other than loopback's:
 * without one a failed look-up says nothing of the target. */
bool sys_has_address(void);

/* No core dump and no ptrace by others from now on (security.md 5). */
void sys_guard_secrets(void);

/* Opens closed descriptors 0 to 2 on /dev/null; *CLOSED gets a bit for each
 * that was closed. */
enum err sys_open_std(unsigned *closed, struct error *e)
    __attribute__((warn_unused_result));

/* From now on a file that may not grow further (RLIMIT_FSIZE) fails its write
 * with EFBIG; SIGXFSZ would end the process with its temporary file there. */
void sys_outlive_file_limit(void);

#endif
