/* SPDX-License-Identifier: MIT
 *
 * namespace - the part of a target that has to be asked for: where a bucket's
 * name is one, when the URL does not say (OCI).
 */
#ifndef ANK_FLOW_NAMESPACE_H
#define ANK_FLOW_NAMESPACE_H

#include "flow/summary.h"

/* Completes T, which is E's.  A dry run sends nothing: ERR_USAGE.  The end is
 * S's, too. */
enum err namespace_ask(struct engine *e, struct target *t, bool dry_run,
                       struct summary *s);

#endif
