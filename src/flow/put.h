/* SPDX-License-Identifier: MIT
 *
 * put - stores an object: from a file, from standard input, or from what a
 * command prints.
 *
 * What is small travels in one request, the rest in parts (flow/upload).
 * Nothing is published of a source that changed, broke off or failed.
 */
#ifndef ANK_FLOW_PUT_H
#define ANK_FLOW_PUT_H

#include "flow/upload.h"

/* Fills S; S->end says how it went. */
void put_object(struct engine *e, const struct put_wish *w, struct summary *s);

/* Drops the parts of the upload ID; that it is gone already is a success.
 * With DRY_RUN the request is built and told, and nothing is sent. */
void put_abort(struct engine *e, const char *id, bool dry_run,
               struct summary *s);

#endif
