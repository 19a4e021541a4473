/* SPDX-License-Identifier: MIT
 *
 * completion_zsh - the script for zsh: a file for its fpath that can be
 * sourced as well.
 */
#include <stdio.h>
#include <string.h>

#include "cli/completion_shell.h"

static const char head[] =
    "#compdef PROGRAM\n"
    "# SPDX-License-Identifier: MIT\n"
    "# Completes PROGRAM in zsh. Made from the option list: "
    "PROGRAM --completion zsh\n"
    "\n"
    "_PROGRAM_profiles() {\n"
    "  local config=${AWS_CONFIG_FILE:-$HOME/.aws/config}\n"
    "  local keys=${AWS_SHARED_CREDENTIALS_FILE:-$HOME/.aws/credentials}\n"
    "  local -a names\n"
    "  [[ $config != \\~/* ]] || config=$HOME${config#\\~}\n"
    "  [[ $keys != \\~/* ]] || keys=$HOME${keys#\\~}\n"
    "  names=(${(fu)\"$({\n"
    "    sed -n '" COMPLETION_SED_CONFIG "' $config\n"
    "    sed -n '" COMPLETION_SED_KEYS "' $keys\n"
    "  } 2>/dev/null)\"})\n"
    "  compadd \"$@\" -a names\n"
    "}\n"
    "\n"
    "_PROGRAM_header() {\n"
    "  if compset -P @; then _files; else _message LINE; fi\n"
    "}\n"
    "\n";

static const char operand[] =
    "_PROGRAM_operand() {\n"
    "  if [[ $PREFIX == s3:* ]]; then _message URL; else _files \"$@\"; fi\n"
    "}\n"
    "\n";

static const char body[] = "_PROGRAM() {\n"
                           "  _arguments -s -S : \\\n";

static const char tail[] = "}\n"
                           "\n"
                           "if [[ ${funcstack[1]} == _PROGRAM ]]; then\n"
                           "  _PROGRAM \"$@\"\n"
                           "else\n"
                           "  compdef _PROGRAM PROGRAM\n"
                           "fi\n";

static void print_names(enum opt_id id)
{
  const struct opt_row *row = &opt_rows[id];
  enum completion_value value = completion_value(id);
  bool arg = value != COMPLETION_FLAG && value != COMPLETION_OPTIONAL;
  const char *equals = value != COMPLETION_FLAG ? "=" : "";
  const char *star = row->kind == OPT_KIND_LIST ? "*" : "";
  if (!row->short_name)
    printf("'%s--%s%s", star, row->long_name, equals);
  else if (*star)
    printf("'*'{-%c%s,--%s%s}'", row->short_name, arg ? "+" : "",
           row->long_name, equals);
  else
    printf("'(-%c --%s)'{-%c%s,--%s%s}'", row->short_name, row->long_name,
           row->short_name, arg ? "+" : "", row->long_name, equals);
}

static void print_words(enum opt_programs program, enum opt_id id)
{
  const char *words[COMPLETION_MAX_WORDS];
  size_t n = completion_words(program, id, words);
  for (size_t i = 0; i < n; i++) {
    if (i)
      putchar(' ');
    completion_quote(words[i], " :\\", "'\\''");
  }
}

/* What _arguments is to do at the place of the value. */
static void print_action(enum opt_programs program, enum opt_id id)
{
  const char *words[COMPLETION_MAX_WORDS];
  switch (completion_value(id)) {
  case COMPLETION_FLAG:
    break;
  case COMPLETION_TEXT:
    putchar(' ');
    break;
  case COMPLETION_WORDS:
  case COMPLETION_OPTIONAL:
    putchar('(');
    print_words(program, id);
    putchar(')');
    break;
  case COMPLETION_FILE:
    if (completion_words(program, id, words)) {
      fputs("{compadd -- ", stdout);
      print_words(program, id);
      fputs("; _files}", stdout);
    } else {
      fputs("_files", stdout);
    }
    break;
  case COMPLETION_HEADER:
    completion_put("_PROGRAM_header", program);
    break;
  case COMPLETION_PROFILE:
    completion_put("_PROGRAM_profiles", program);
    break;
  }
}

static void print_option(enum opt_programs program, enum opt_id id)
{
  const struct opt_row *row = &opt_rows[id];
  enum completion_value value = completion_value(id);
  fputs("    ", stdout);
  print_names(id);
  putchar('[');
  completion_quote(row->help, "[]\\", "'\\''");
  putchar(']');
  if (value != COMPLETION_FLAG) {
    fputs(value == COMPLETION_OPTIONAL ? "::" : ":", stdout);
    completion_quote(row->arg, ":\\", "'\\''");
    putchar(':');
    print_action(program, id);
  }
  fputs("' \\\n", stdout);
}

static void print_commands(void)
{
  fputs("    '1:command:((", stdout);
  for (const struct completion_command *c = completion_commands; c->name; c++)
    printf("%s%s\\:\"%s\"", c == completion_commands ? "" : " ", c->name,
           c->help);
  fputs("))' \\\n    '2:URL: ' \\\n    '3:DURATION: '\n", stdout);
}

void completion_zsh(enum opt_programs program)
{
  completion_put(head, program);
  if (program != OPT_STATE)
    completion_put(operand, program);
  completion_put(body, program);
  for (size_t i = 0; i < OPT_COUNT; i++)
    if (opt_rows[i].programs & program)
      print_option(program, (enum opt_id)i);
  if (program == OPT_STATE)
    print_commands();
  else
    completion_put("    '*:FILE or URL:_PROGRAM_operand'\n", program);
  completion_put(tail, program);
}
