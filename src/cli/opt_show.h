/* SPDX-License-Identifier: MIT
 *
 * opt_show - a part of cli/opt: --show-config.
 */
#ifndef ANK_CLI_OPT_SHOW_H
#define ANK_CLI_OPT_SHOW_H

#include "base/buf.h"
#include "cli/opt.h"

/* Appends each option's value as a line of a configuration file, below a
 * comment that says where it was said; passwords and keys are blotted out.
 * SETTINGS: what stands behind an option that was not given: {long name,
 * value, where it was said}, ended by NULL. */
struct opt_setting {
  const char *name, *value, *from;
};
enum err opt_show(const struct opt *o, const struct opt_setting *settings,
                  struct buf *out) __attribute__((warn_unused_result));

#endif
