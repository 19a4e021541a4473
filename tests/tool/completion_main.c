/* SPDX-License-Identifier: MIT
 *
 * ank-completion PROGRAM DIR - writes a program's completions into a folder,
 * each under the name that its shell looks for.
 *
 * For `make regen`; also for programs that print none themselves yet.
 */
#include <stdio.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/opt_check.h"

static enum opt_programs program_named(const char *name)
{
  for (int p = OPT_PUT; p <= OPT_STATE; p *= 2)
    if (strcmp(help_program((enum opt_programs)p), name) == 0)
      return (enum opt_programs)p;
  return OPT_PUT;
}

static enum err write_script(enum opt_programs program, const char *dir,
                             const char *shell, struct error *e)
{
  const char *name = help_program(program);
  char path[4096];
  if (strcmp(shell, "zsh") == 0)
    snprintf(path, sizeof path, "%s/_%s", dir, name);
  else
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, shell);
  if (!freopen(path, "w", stdout))
    return err_set(e, ERR_LOCAL, "cannot write %s", path);
  return completion_print(program, shell, e);
}

int main(int argc, char **argv)
{
  struct error e = {0};
  const char *const *shells = opt_words(OPT_COMPLETION);
  if (argc != 3) {
    fputs("usage: ank-completion PROGRAM DIR\n", stderr);
    return 2;
  }
  for (; *shells; shells++)
    if (write_script(program_named(argv[1]), argv[2], *shells, &e)) {
      fprintf(stderr, "ank-completion: %s\n", e.msg);
      return 3;
    }
  return 0;
}
