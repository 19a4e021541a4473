/* SPDX-License-Identifier: MIT
 *
 * place - where a target lives, by our own options and, behind them, by what
 * the provider's own set-up says.
 *
 * Transfers ask it where to send, ankbreaker which scope a URL means: both
 * must come to the same answer.  Reads no credentials.
 */
#ifndef ANK_CLI_PLACE_H
#define ANK_CLI_PLACE_H

#include "cli/opt.h"
#include "cloud/provider.h"

/* Fills OUT for T.  ERR_USAGE names the option, variable or file that is
 * wrong; ERR_CREDENTIALS: a file of profiles cannot be read. */
enum err place_find(const struct opt *o, const struct provider *p,
                    const struct target *t, struct site *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
