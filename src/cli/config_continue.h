/* SPDX-License-Identifier: MIT
 *
 * config_continue - a side room of cli/config: where --continue can work.
 */
#ifndef ANK_CLI_CONFIG_CONTINUE_H
#define ANK_CLI_CONFIG_CONTINUE_H

#include "cli/config.h"

/* ERR_USAGE where nothing could be kept, or nothing continued. */
enum err config_check_continue(const struct config *c, const struct opt *o,
                               struct error *e)
    __attribute__((warn_unused_result));

#endif
