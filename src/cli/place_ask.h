/* SPDX-License-Identifier: MIT
 *
 * place_ask - a side room of cli/place: a place whose region the instance that
 * we run on has to be asked for.
 */
#ifndef ANK_CLI_PLACE_ASK_H
#define ANK_CLI_PLACE_ASK_H

#include "cli/opt.h"
#include "flow/summary.h"

/* Asks, and gives E its site.  The end is S's, too. */
enum err place_ask(struct engine *e, const struct opt *o, bool dry_run,
                   struct summary *s);

#endif
