/* SPDX-License-Identifier: MIT
 *
 * completion - see completion.h and completion_shell.h.
 */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/completion_shell.h"
#include "cli/help.h"
#include "cli/opt_check.h"

const struct completion_command completion_commands[] = {
#define COMMAND(name, least, most, form, help) {#name, help},
#include "cli/commands.def"
#undef COMMAND
    {NULL, NULL}};

enum completion_value completion_value(enum opt_id id)
{
  const struct opt_row *row = &opt_rows[id];
  if (!row->arg)
    return COMPLETION_FLAG;
  if (row->kind == OPT_KIND_HELP)
    return COMPLETION_OPTIONAL;
  if (id == OPT_PROFILE)
    return COMPLETION_PROFILE;
  if (strstr(row->arg, "@FILE"))
    return COMPLETION_HEADER;
  if (strstr(row->arg, "FILE"))
    return COMPLETION_FILE;
  return opt_words(id) ? COMPLETION_WORDS : COMPLETION_TEXT;
}

static size_t groups(enum opt_programs program,
                     const char *out[COMPLETION_MAX_WORDS])
{
  size_t n = 0;
  for (size_t i = 0; i < OPT_COUNT && n + 1 < COMPLETION_MAX_WORDS; i++)
    if (opt_rows[i].programs & program &&
        (n == 0 || strcmp(out[n - 1], opt_rows[i].group) != 0))
      out[n++] = opt_rows[i].group;
  out[n++] = "all";
  return n;
}

size_t completion_words(enum opt_programs program, enum opt_id id,
                        const char *out[COMPLETION_MAX_WORDS])
{
  const char *const *words = opt_words(id);
  size_t n = 0;
  if (opt_rows[id].kind == OPT_KIND_HELP)
    return groups(program, out);
  while (words && words[n] && n < COMPLETION_MAX_WORDS) {
    out[n] = words[n];
    n++;
  }
  return n;
}

void completion_put(const char *text, enum opt_programs program)
{
  static const char mark[] = "PROGRAM";
  for (const char *hit; (hit = strstr(text, mark)) != NULL;) {
    printf("%.*s%s", (int)(hit - text), text, help_program(program));
    text = hit + strlen(mark);
  }
  fputs(text, stdout);
}

void completion_quote(const char *text, const char *special, const char *quote)
{
  for (; *text; text++) {
    if (*text == '\'') {
      fputs(quote, stdout);
      continue;
    }
    if (strchr(special, *text))
      putchar('\\');
    putchar(*text);
  }
}

enum err completion_print(enum opt_programs program, const char *shell,
                          struct error *e)
{
  if (strcmp(shell, "bash") == 0)
    completion_bash(program);
  else if (strcmp(shell, "zsh") == 0)
    completion_zsh(program);
  else
    completion_fish(program);
  return help_end(e);
}

int completion_answer(const struct opt *o, const struct log *log)
{
  struct error e = {0};
  if (!opt_given(o, OPT_COMPLETION))
    return -1;
  enum err err = completion_print(o->program, opt_text(o, OPT_COMPLETION), &e);
  if (err)
    log_error(log, "%s", e.msg);
  return err_exit_status(err, 0);
}
