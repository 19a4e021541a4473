/* SPDX-License-Identifier: MIT
 *
 * config_header - a part of cli/config: -H LINE and -H @FILE.
 */
#ifndef ANK_CLI_CONFIG_HEADER_H
#define ANK_CLI_CONFIG_HEADER_H

#include "base/kv.h"

/* Adds "Name: value", or each line of @FILE.  ERR_USAGE names SOURCE and, for
 * a file, the line; refused are the headers that are ank's own to set. */
enum err config_header(struct kv *headers, const char *source, const char *text,
                       struct error *e) __attribute__((warn_unused_result));

#endif
