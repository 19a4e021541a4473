/* SPDX-License-Identifier: MIT
 *
 * opt_file - a part of cli/opt: the configuration file.
 *
 * `name = value` with the long names of the options; what stands below
 * [s3://BUCKET] is for that bucket alone and goes before the rest.  One file
 * serves all programs: an option that this one has not is checked and left.
 */
#ifndef ANK_CLI_OPT_FILE_H
#define ANK_CLI_OPT_FILE_H

#include "cli/opt.h"

/* Reads the file that O names (--config, ANK_CONFIG), else
 * $XDG_CONFIG_HOME/ank/config or ~/.config/ank/config, which need not be
 * there.  ERR_USAGE: "FILE:LINE: name: what is wrong". */
enum err opt_file_read(struct opt *o, struct error *e)
    __attribute__((warn_unused_result));

#endif
