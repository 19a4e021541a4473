/* SPDX-License-Identifier: MIT
 *
 * config_operands - a side room of cli/config: what is moved where - files, the
 * URL, a command.
 */
#ifndef ANK_CLI_CONFIG_OPERANDS_H
#define ANK_CLI_CONFIG_OPERANDS_H

#include "cli/config.h"

enum err config_operands(struct config *c, const struct opt *o, struct error *e)
    __attribute__((warn_unused_result));

/* Is T's key one that P takes? */
enum err config_check_key(const struct target *t, const struct provider *p,
                          struct error *e) __attribute__((warn_unused_result));

#endif
