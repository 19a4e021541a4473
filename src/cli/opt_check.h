/* SPDX-License-Identifier: MIT
 *
 * opt_check - a part of cli/opt: is this text a value of that option's kind?
 */
#ifndef ANK_CLI_OPT_CHECK_H
#define ANK_CLI_OPT_CHECK_H

#include "cli/opt.h"
#include "cloud/provider.h"

/* ERR_USAGE "SOURCE: 'text' is not ...". */
enum err opt_check(enum opt_id id, const char *source, const char *text,
                   struct error *e) __attribute__((warn_unused_result));

/* The words that an option's value may be, or is most often; ended by a NULL,
 * NULL when it is not one of a few. */
const char *const *opt_words(enum opt_id id);

/* "A-B", "A-", "-N". */
bool opt_range(const char *s, struct range *out);

#endif
