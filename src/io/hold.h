/* SPDX-License-Identifier: MIT
 *
 * hold - a file that one run at a time has: opened with suspicion, made if need
 * be, locked until it is closed or the run ends, however it ends.
 *
 * Whoever holds it may rename or remove it; who has waited at the old name
 * then finds the new file, never the one that went away.
 */
#ifndef ANK_IO_HOLD_H
#define ANK_IO_HOLD_H

#include <stdint.h>

enum hold {
  HOLD_OURS = 0,
  HOLD_HELD,    /* another run has it */
  HOLD_FOREIGN, /* what has the name is not to be trusted */
  HOLD_FAILED
};

/* Opens NAME, relative to the folder DIR or AT_FDCWD, for reading and writing.
 * *FD is the caller's to close if it is HOLD_OURS; *SIZE is its length.  *WHY
 * is for a person unless it is HOLD_OURS. */
enum hold hold_open(int dir, const char *name, int *fd, uint64_t *size,
                    const char **why);

#endif
