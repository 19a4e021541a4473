/* SPDX-License-Identifier: MIT
 *
 * facts - what is told of an object without its bytes.
 *
 * One HEAD through the engine; fills a summary, knows no destination.
 */
#ifndef ANK_FLOW_FACTS_H
#define ANK_FLOW_FACTS_H

#include "flow/summary.h"

/* Does R tell of the whole object the checksum that was chosen for E?  True
 * when none was; else E_OUT says which is missing. */
bool facts_has_checksum(const struct engine *e, const struct op_result *r,
                        struct error *e_out);

/* Fills S; S->end says how it went. */
void facts_ask(struct engine *e, struct summary *s);

#endif
