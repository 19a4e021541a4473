/* SPDX-License-Identifier: MIT
 *
 * facts - what is told of an object without its bytes.
 *
 * One HEAD through the engine; fills a summary, knows no destination.
 */
#ifndef ANK_FLOW_FACTS_H
#define ANK_FLOW_FACTS_H

#include "flow/summary.h"

/* Fills S; S->end says how it went. */
void facts_ask(struct engine *e, struct summary *s);

#endif
