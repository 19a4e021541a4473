/* SPDX-License-Identifier: MIT
 *
 * completion_fish - the script for fish 3.0 and later.
 */
#include <stdio.h>

#include "cli/completion_shell.h"

static const char head[] =
    "# SPDX-License-Identifier: MIT\n"
    "# Completes PROGRAM in fish. Made from the option list: "
    "PROGRAM --completion fish\n"
    "\n"
    "function __PROGRAM_profiles\n"
    "    set -l config $HOME/.aws/config\n"
    "    set -l keys $HOME/.aws/credentials\n"
    "    test -n \"$AWS_CONFIG_FILE\"\n"
    "    and set config (string replace -r '^~/' $HOME/ -- $AWS_CONFIG_FILE)\n"
    "    test -n \"$AWS_SHARED_CREDENTIALS_FILE\"\n"
    "    and set keys (string replace -r '^~/' $HOME/ -- "
    "$AWS_SHARED_CREDENTIALS_FILE)\n"
    "    begin\n"
    "        sed -n '" COMPLETION_SED_CONFIG "' $config\n"
    "        sed -n '" COMPLETION_SED_KEYS "' $keys\n"
    "    end 2>/dev/null | sort -u\n"
    "end\n"
    "\n";

static const char files_head[] =
    "function __PROGRAM_header\n"
    "    set -l word (string replace -r '^(-H|--header=)' '' -- "
    "(commandline -ct))\n"
    "    string match -q -- '@*' $word\n"
    "    and string replace -r '^' @ -- (__fish_complete_path (string sub -s 2 "
    "-- $word))\n"
    "end\n"
    "\n"
    "# A URL is no file.\n"
    "complete -c PROGRAM -f -n 'string match -q \"s3:*\" -- (commandline "
    "-ct)'\n";

static const char files_none[] = "complete -c PROGRAM -f\n";

static void print_words(enum opt_programs program, enum opt_id id)
{
  const char *words[COMPLETION_MAX_WORDS];
  size_t n = completion_words(program, id, words);
  fputs(" -a '", stdout);
  for (size_t i = 0; i < n; i++) {
    if (i)
      putchar(' ');
    completion_quote(words[i], " \\", "\\'");
  }
  putchar('\'');
}

/* What may stand at the place of the value. */
static void print_value(enum opt_programs program, enum opt_id id)
{
  const char *words[COMPLETION_MAX_WORDS];
  switch (completion_value(id)) {
  case COMPLETION_FLAG:
    break;
  case COMPLETION_TEXT:
    fputs(" -x", stdout);
    break;
  case COMPLETION_WORDS:
    fputs(" -x", stdout);
    print_words(program, id);
    break;
  case COMPLETION_OPTIONAL:
    print_words(program, id);
    break;
  case COMPLETION_FILE:
    fputs(" -r -F", stdout);
    if (completion_words(program, id, words))
      print_words(program, id);
    break;
  case COMPLETION_HEADER:
    completion_put(" -x -a '(__PROGRAM_header)'", program);
    break;
  case COMPLETION_PROFILE:
    completion_put(" -x -a '(__PROGRAM_profiles)'", program);
    break;
  }
}

static void print_option(enum opt_programs program, enum opt_id id)
{
  const struct opt_row *row = &opt_rows[id];
  completion_put("complete -c PROGRAM", program);
  if (row->short_name)
    printf(" -s %c", row->short_name);
  printf(" -l %s", row->long_name);
  print_value(program, id);
  fputs(" -d '", stdout);
  completion_quote(row->help, "\\", "\\'");
  fputs("'\n", stdout);
}

/* fish itself knows values that may be missing only behind =. */
static void print_help_groups(enum opt_programs program)
{
  completion_put("complete -c PROGRAM -f -n '__fish_prev_arg_in -h --help'",
                 program);
  print_words(program, OPT_HELP);
  putchar('\n');
}

static void print_commands(enum opt_programs program)
{
  for (const struct completion_command *c = completion_commands; c->name; c++) {
    completion_put("complete -c PROGRAM -n 'not __fish_seen_subcommand_from",
                   program);
    for (const struct completion_command *d = completion_commands; d->name; d++)
      printf(" %s", d->name);
    printf("' -a %s -d '%s'\n", c->name, c->help);
  }
}

void completion_fish(enum opt_programs program)
{
  completion_put(head, program);
  completion_put(program == OPT_STATE ? files_none : files_head, program);
  for (size_t i = 0; i < OPT_COUNT; i++)
    if (opt_rows[i].programs & program)
      print_option(program, (enum opt_id)i);
  print_help_groups(program);
  if (program == OPT_STATE)
    print_commands(program);
}
