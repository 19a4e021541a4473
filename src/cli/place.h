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
#include "io/log.h"

/* What URL, an operand, means: s3:// and kin, or one of the web, for which
 * --provider may have to say whose it is. */
enum err place_target(const struct opt *o, const char *url, struct target *out,
                      struct error *e) __attribute__((warn_unused_result));

/* Keeps what is secret in the operands and values of O from being shown, by LOG
 * and in argv. */
enum err place_hide_secrets(struct opt *o, int argc, char **argv,
                            struct log *log, struct error *e)
    __attribute__((warn_unused_result));

/* What an instance tells of its region: its name, and what is known of it as
 * struct site_wish has it. */
struct place_region {
  const char *name, *metadata;
};

/* Fills OUT for T.  ERR_USAGE names the option, variable or file that is
 * wrong; ERR_CREDENTIALS: a file of profiles cannot be read.  *ASKS: the region
 * has to be asked for, and OUT is as it was; NULL: that is an error. */
enum err place_find(const struct opt *o, const struct provider *p,
                    const struct target *t, bool *asks, struct site *out,
                    struct error *e) __attribute__((warn_unused_result));

/* The same with the region that was asked for. */
enum err place_find_in(const struct opt *o, const struct provider *p,
                       const struct target *t, const struct place_region *in,
                       struct site *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
