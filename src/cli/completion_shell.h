/* SPDX-License-Identifier: MIT
 *
 * completion_shell - a part of cli/completion: what the scripts of the three
 * shells have in common.
 *
 * completion_bash.c and its siblings print one script each; what may stand at
 * a place of the command line they ask here.
 */
#ifndef ANK_CLI_COMPLETION_SHELL_H
#define ANK_CLI_COMPLETION_SHELL_H

#include "cli/opt.h"

/* What stands at the place of an option's value. */
enum completion_value {
  COMPLETION_FLAG,    /* nothing: it has none */
  COMPLETION_TEXT,    /* what only the user knows */
  COMPLETION_WORDS,   /* one of completion_words() */
  COMPLETION_FILE,    /* a file, or one of completion_words() */
  COMPLETION_HEADER,  /* @ and a file, or what only the user knows */
  COMPLETION_PROFILE, /* a profile of the AWS files */
  COMPLETION_OPTIONAL /* nothing, or one of completion_words() */
};

enum completion_value completion_value(enum opt_id id);

/* Fills OUT with the words of an option's value; how many. */
enum { COMPLETION_MAX_WORDS = 32 };
size_t completion_words(enum opt_programs program, enum opt_id id,
                        const char *out[COMPLETION_MAX_WORDS]);

/* The commands of ankbreaker; ended by a name NULL. */
struct completion_command {
  const char *name, *help;
};
extern const struct completion_command completion_commands[];

/* Programs of sed(1) that print the names of the profiles in a file; no quote
 * is in them. */
#define COMPLETION_SED_CONFIG                     \
  "s/^\\[ *profile \\([^]]*[^] ]\\) *\\].*/\\1/p" \
  "; s/^\\[ *\\(default\\) *\\].*/\\1/p"
#define COMPLETION_SED_KEYS "s/^\\[ *\\([^]]*[^] ]\\) *\\].*/\\1/p"

/* Prints TEXT with the program's name for each PROGRAM in it. */
void completion_put(const char *text, enum opt_programs program);

/* Prints TEXT with a backslash before each character of SPECIAL; a quote
 * becomes QUOTE, as a shell writes it between quotes. */
void completion_quote(const char *text, const char *special, const char *quote);

void completion_bash(enum opt_programs program);
void completion_zsh(enum opt_programs program);
void completion_fish(enum opt_programs program);

#endif
