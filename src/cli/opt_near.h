/* SPDX-License-Identifier: MIT
 *
 * opt_near - which option is meant by a name that none has.
 *
 * Only words for a message come from here: nothing is taken for what it is
 * near to, or a new option would change what an old script says.
 */
#ifndef ANK_CLI_OPT_NEAR_H
#define ANK_CLI_OPT_NEAR_H

#include "cli/opt.h"

/* The long name of an option of PROGRAM that NAME (LEN bytes, without dashes)
 * is an abbreviation or a misspelling of, or that curl or aws call so; NULL
 * when there is none.  Borrowed for ever. */
const char *opt_near(const char *name, size_t len, enum opt_programs program);

#endif
