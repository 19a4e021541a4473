/* SPDX-License-Identifier: MIT
 *
 * config_policy - a part of cli/config: the named policy, and the options that
 * go before it, as the structs of the rooms that obey them.
 */
#ifndef ANK_CLI_CONFIG_POLICY_H
#define ANK_CLI_CONFIG_POLICY_H

#include "cli/config.h"
#include "cli/opt_show.h"

/* Fills what C says of retries, budget and breaker. */
enum err config_policy(struct config *c, const struct opt *o, struct error *e)
    __attribute__((warn_unused_result));

enum { CONFIG_POLICY_SETTINGS = 8 };

/* What the policy that O names says in the place of options, for
 * --show-config; how many.  FROM receives the words of the source. */
int config_policy_settings(const struct opt *o, char from[80],
                           struct opt_setting out[CONFIG_POLICY_SETTINGS]);

#endif
