/* SPDX-License-Identifier: MIT
 *
 * put - stores one file as one object in one request.
 *
 * The file is hashed first (what is signed is what is sent), sent, and found
 * unchanged before its last byte leaves; nothing is published otherwise.
 */
#ifndef ANK_FLOW_PUT_H
#define ANK_FLOW_PUT_H

#include "flow/summary.h"

/* Fills S; S->end says how it went.  DRY_RUN stops before the request. */
void put_file(struct engine *e, const char *path, bool dry_run,
              struct summary *s);

#endif
