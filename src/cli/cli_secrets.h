/* SPDX-License-Identifier: MIT
 *
 * cli_secrets - a side room of cli/cli: secrets that come by options.
 */
#ifndef ANK_CLI_CLI_SECRETS_H
#define ANK_CLI_CLI_SECRETS_H

#include "cli/config.h"
#include "io/log.h"

/* Tells LOG of them, so that they are never shown. */
enum err cli_keep_secrets(struct log *log, const struct config *c,
                          struct error *e) __attribute__((warn_unused_result));

#endif
