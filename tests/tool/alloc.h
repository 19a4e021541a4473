/* SPDX-License-Identifier: MIT
 *
 * alloc - one allocation of the program fails, the N-th from now.
 *
 * The linker leads malloc and kin of everything that is linked statically here
 * (-Wl,--wrap); libraries keep theirs.
 */
#ifndef ANK_TESTS_ALLOC_H
#define ANK_TESTS_ALLOC_H

#include <stdbool.h>

/* The N-th allocation from now fails, and none after it; 0: none. */
void alloc_fail(unsigned n);

/* True once it has failed. */
bool alloc_failed(void);

#endif
