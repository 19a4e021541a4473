/* SPDX-License-Identifier: MIT
 *
 * completion_bash - the script for bash 4.3 and later, with the package
 * bash-completion and without it.
 */
#include <stdio.h>

#include "cli/completion_shell.h"

static const char head[] =
    "# shellcheck shell=bash\n"
    "# SPDX-License-Identifier: MIT\n"
    "# Completes PROGRAM in bash. Made from the option list: "
    "PROGRAM --completion bash\n"
    "\n"
    "# The profiles of the AWS set-up, one a line.\n"
    "_PROGRAM_profiles() {\n"
    "  local config=${AWS_CONFIG_FILE:-$HOME/.aws/config}\n"
    "  local keys=${AWS_SHARED_CREDENTIALS_FILE:-$HOME/.aws/credentials}\n"
    "  [[ $config != \\~/* ]] || config=$HOME${config#\\~}\n"
    "  [[ $keys != \\~/* ]] || keys=$HOME${keys#\\~}\n"
    "  {\n"
    "    sed -n '" COMPLETION_SED_CONFIG "' \"$config\"\n"
    "    sed -n '" COMPLETION_SED_KEYS "' \"$keys\"\n"
    "  } 2>/dev/null | sort -u\n"
    "}\n"
    "\n"
    "# Sets words, up to the cursor: bash has broken them at = and : too.\n"
    "_PROGRAM_words() {\n"
    "  local i word bare rest=${COMP_LINE:0:COMP_POINT}\n"
    "  words=()\n"
    "  for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "    word=${COMP_WORDS[i]}\n"
    "    bare=${rest#\"${rest%%[![:space:]]*}\"}\n"
    "    ((${#word} <= ${#bare})) || word=$bare\n"
    "    if ((i > 0)) && [[ $bare == \"$rest\" ]]; then\n"
    "      words[-1]+=$word\n"
    "    else\n"
    "      words+=(\"$word\")\n"
    "    fi\n"
    "    rest=${bare#\"$word\"}\n"
    "  done\n"
    "}\n"
    "\n"
    "# Sets kind and choice: what the value of option $1 is; empty if it has "
    "none.\n"
    "_PROGRAM_kind() {\n"
    "  kind='' choice=()\n"
    "  case $1 in\n";

static const char middle[] =
    "  esac\n"
    "}\n"
    "\n"
    "# Offers values that begin with $1, each behind $2. Where nothing is "
    "offered and\n"
    "# files are welcome, readline offers those.\n"
    "_PROGRAM_value() {\n"
    "  local word quoted files=()\n"
    "  [[ $kind != profiles ]] || mapfile -t choice < <(_PROGRAM_profiles)\n"
    "  for word in \"${choice[@]}\"; do\n"
    "    printf -v quoted %q \"$word\"\n"
    "    if [[ $word == \"$1\"* || $quoted == \"$1\"* ]]; then\n"
    "      COMPREPLY+=(\"$2$quoted\")\n"
    "    fi\n"
    "  done\n"
    "  case $kind${COMPREPLY:+,}$1 in\n"
    "  files,*) mapfile -t files < <(compgen -f -P \"$2\" -- \"$1\") ;;\n"
    "  header@*) mapfile -t files < <(compgen -f -P \"$2@\" -- \"${1#@}\") ;;\n"
    "  files*) return ;;\n"
    "  *) compopt +o default ;;\n"
    "  esac\n"
    "  [[ ${#files[@]} = 0 ]] || compopt -o filenames\n"
    "  COMPREPLY+=(\"${files[@]}\")\n"
    "}\n"
    "\n"
    "_PROGRAM() {\n"
    "  local words kind choice cur last i ended='' operands=0\n"
    "  local options='";

static const char scan[] =
    "'\n"
    "  COMPREPLY=()\n"
    "  _PROGRAM_words\n"
    "  last=$((${#words[@]} - 1)) cur=${words[-1]}\n"
    "  for ((i = 1; i < last; i++)); do\n"
    "    if [[ $ended || ${words[i]} != -?* ]]; then\n"
    "      operands=$((operands + 1))\n"
    "    elif [[ ${words[i]} == -- ]]; then\n"
    "      ended=1\n"
    "    else\n"
    "      _PROGRAM_kind \"${words[i]}\"\n"
    "      [[ ! $kind ]] || i=$((i + 1))\n"
    "    fi\n"
    "  done\n"
    "  if ((i > last)); then\n"
    "    _PROGRAM_value \"$cur\" ''\n"
    "  elif [[ ! $ended && $cur == --*=* ]]; then\n"
    "    _PROGRAM_kind \"${cur%%=*}\"\n"
    "    _PROGRAM_value \"${cur#*=}\" \"${cur%%=*}=\"\n"
    "  elif [[ ! $ended && $cur == -* ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
    "    compopt +o default\n";

static const char operand_file[] = "  elif [[ $cur == s3:* ]]; then\n"
                                   "    compopt +o default\n";

static const char operand_command[] = "  elif ((operands == 0)); then\n"
                                      "    kind=words choice=(";
static const char operand_other[] = ")\n"
                                    "    _PROGRAM_value \"$cur\" ''\n"
                                    "  else\n"
                                    "    compopt +o default\n";

static const char tail[] =
    "  fi\n"
    "  # Of the last word bash will replace $2.\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"$2\"}\"}\")\n"
    "}\n"
    "\n"
    "complete -o default -F _PROGRAM PROGRAM\n";

static const char *kind_name(enum completion_value value)
{
  switch (value) {
  case COMPLETION_FLAG:
    break;
  case COMPLETION_TEXT:
    return "text";
  case COMPLETION_WORDS:
  case COMPLETION_OPTIONAL:
    return "words";
  case COMPLETION_FILE:
    return "files";
  case COMPLETION_HEADER:
    return "header";
  case COMPLETION_PROFILE:
    return "profiles";
  }
  return "";
}

static void print_kind(enum opt_programs program, enum opt_id id)
{
  const struct opt_row *row = &opt_rows[id];
  const char *words[COMPLETION_MAX_WORDS];
  size_t n = completion_words(program, id, words);
  if (completion_value(id) == COMPLETION_FLAG)
    return;
  if (row->short_name)
    printf("    -%c | --%s) ", row->short_name, row->long_name);
  else
    printf("    --%s) ", row->long_name);
  printf("kind=%s", kind_name(completion_value(id)));
  for (size_t i = 0; i < n; i++) {
    fputs(i ? " " : " choice=(", stdout);
    completion_quote(words[i], " ", "\\'");
  }
  puts(n ? ") ;;" : " ;;");
}

static void print_names(enum opt_programs program)
{
  for (size_t i = 0; i < OPT_COUNT; i++) {
    const struct opt_row *row = &opt_rows[i];
    if (!(row->programs & program))
      continue;
    if (row->short_name)
      printf("\n    -%c --%s", row->short_name, row->long_name);
    else
      printf("\n    --%s", row->long_name);
  }
}

static void print_operand(enum opt_programs program)
{
  if (program != OPT_STATE) {
    fputs(operand_file, stdout);
    return;
  }
  fputs(operand_command, stdout);
  for (const struct completion_command *c = completion_commands; c->name; c++)
    printf("%s%s", c == completion_commands ? "" : " ", c->name);
  completion_put(operand_other, program);
}

void completion_bash(enum opt_programs program)
{
  completion_put(head, program);
  for (size_t i = 0; i < OPT_COUNT; i++)
    if (opt_rows[i].programs & program)
      print_kind(program, (enum opt_id)i);
  completion_put(middle, program);
  print_names(program);
  completion_put(scan, program);
  print_operand(program);
  completion_put(tail, program);
}
