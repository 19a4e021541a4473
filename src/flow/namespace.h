/* SPDX-License-Identifier: MIT
 *
 * namespace - the parts of a target's place that have to be asked for: where a
 * bucket's name is one, when the URL does not say; the region, when nothing but
 * the instance that we run on knows it (OCI).
 */
#ifndef ANK_FLOW_NAMESPACE_H
#define ANK_FLOW_NAMESPACE_H

#include "flow/summary.h"

/* Completes T, which is E's.  A dry run sends nothing: ERR_USAGE.  The end is
 * S's, too. */
enum err namespace_ask(struct engine *e, struct target *t, bool dry_run,
                       struct summary *s);

/* Asks what W, a way of one grant, leads to.  TOLD, initialised, is then what
 * is in hand.  Otherwise as namespace_ask. */
enum err namespace_ask_region(struct engine *e, const struct way *w,
                              bool dry_run, struct creds *told,
                              struct summary *s);

#endif
