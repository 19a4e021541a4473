/* SPDX-License-Identifier: MIT
 *
 * files - several files below one URL, one after the other, in one run.
 *
 * They share connections, deadline, breaker and repairs.  Each has a result of
 * its own, and the run one for all: the first end, in the order of
 * err_outranks, that occurred.
 */
#ifndef ANK_CLI_FILES_H
#define ANK_CLI_FILES_H

#include "cli/config.h"

/* Told of each file: S is its summary, E what it alone has cost. */
typedef void files_fn(void *ctx, const struct summary *s,
                      const struct engine *e);

/* Stores C's files.  ALL is the run's summary. */
void files_put(struct engine *e, const struct config *c, files_fn *told,
               void *ctx, struct summary *all);

#endif
