/* SPDX-License-Identifier: MIT
 *
 * help - see help.h.
 */
#include "cli/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/config_policy.h"
#include "cli/opt_show.h"
#include "io/credload.h"

/* Where the explanations begin, and where a line ends. */
enum { HELP_COLUMN = 31, LAST_COLUMN = 79 };

const char *help_program(enum opt_programs program)
{
  return program == OPT_PUT   ? "ankput"
         : program == OPT_GET ? "ankget"
                              : "ankbreaker";
}

const char *help_usage(enum opt_programs program)
{
  return program == OPT_PUT   ? "usage: ankput [options] FILE... URL"
         : program == OPT_GET ? "usage: ankget [options] URL [FILE]"
                              : "usage: ankbreaker [options] [COMMAND] [URL]";
}

/* What the usage line has no room for. */
static const char *more_usage(enum opt_programs program)
{
  return program == OPT_PUT
             ? "       ankput [options] URL -- COMMAND [ARGUMENT...]\n"
               "       ankput [options] --abort-upload ID URL\n\n"
               "FILE may be -, standard input. "
         : program == OPT_GET
             ? "\nThe object goes to standard output, or to FILE. "
             : "\nCOMMAND is list, show URL, reset [URL], trip URL DUR or "
               "metrics. ";
}

static const char *const url_forms = "URL is one of\n"
                                     "  s3://BUCKET/KEY\n"
                                     "  gs://BUCKET/KEY\n"
                                     "  az://ACCOUNT/CONTAINER/KEY\n"
                                     "  oci://NAMESPACE/BUCKET/KEY\n"
                                     "  https://... of these four clouds\n";

static bool in_group(const struct opt_row *row, const char *group)
{
  return !*group || strcmp(group, "all") == 0 || strcmp(row->group, group) == 0;
}

/* Words of TEXT, broken before the last column and indented. */
static void print_wrapped(const char *text, int column)
{
  while (*text) {
    size_t len = strcspn(text, " ");
    bool first = column == HELP_COLUMN;
    if (!first && column + 1 + (int)len > LAST_COLUMN) {
      printf("\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
      first = true;
    }
    column += printf(first ? "%.*s" : " %.*s", (int)len, text);
    text += len;
    text += *text == ' ';
  }
  putchar('\n');
}

static void print_row(const struct opt_row *row)
{
  char name[80], text[200];
  int n = row->short_name
              ? snprintf(name, sizeof name, " -%c, --%s", row->short_name,
                         row->long_name)
              : snprintf(name, sizeof name, "     --%s", row->long_name);
  if (row->arg)
    snprintf(name + n, sizeof name - (size_t)n, " %s", row->arg);
  int column = printf("%-*s", HELP_COLUMN - 1, name);
  if (column >= HELP_COLUMN) {
    printf("\n%*s", HELP_COLUMN, "");
    column = HELP_COLUMN;
  } else {
    putchar(' ');
    column++;
  }
  if (row->def)
    snprintf(text, sizeof text, "%s [%s]", row->help, row->def);
  else
    snprintf(text, sizeof text, "%s", row->help);
  print_wrapped(text, column);
}

static bool new_group(size_t i, enum opt_programs program)
{
  while (i-- > 0)
    if (opt_rows[i].programs & program)
      return false;
  return true;
}

static void print_groups(enum opt_programs program, const char *group)
{
  const char *last = "";
  for (size_t i = 0; i < OPT_COUNT; i++) {
    const struct opt_row *row = &opt_rows[i];
    if (!(row->programs & program) || !in_group(row, group))
      continue;
    if (strcmp(row->group, last) != 0)
      printf("%s%s:\n", new_group(i, program) ? "" : "\n", row->group);
    last = row->group;
    print_row(row);
  }
}

static bool group_exists(enum opt_programs program, const char *group)
{
  for (size_t i = 0; i < OPT_COUNT; i++)
    if (opt_rows[i].programs & program && in_group(&opt_rows[i], group))
      return true;
  return false;
}

enum err help_end(struct error *e)
{
  if (fflush(stdout) != 0 || ferror(stdout))
    return err_set(e, ERR_LOCAL, "standard output: %s", strerror(errno));
  return ERR_OK;
}

static enum err no_group(enum opt_programs program, const char *group,
                         struct error *e)
{
  char groups[160] = "";
  const char *last = "";
  size_t len = 0;
  for (size_t i = 0; i < OPT_COUNT && len < sizeof groups; i++) {
    const struct opt_row *row = &opt_rows[i];
    if (!(row->programs & program) || strcmp(row->group, last) == 0)
      continue;
    len += (size_t)snprintf(groups + len, sizeof groups - len, "%s%s",
                            len ? ", " : "", row->group);
    last = row->group;
  }
  return err_set(e, ERR_USAGE,
                 "--help: there is no group '%.80s' (there are %s)", group,
                 groups);
}

/* ERR_USAGE for a group that does not exist; the message lists those that
 * do. */
static enum err print(enum opt_programs program, const char *group,
                      struct error *e)
{
  if (!group_exists(program, group))
    return no_group(program, group, e);
  printf("%s\n%s%s\n", help_usage(program), more_usage(program), url_forms);
  print_groups(program, group);
  printf("\nOptions have variables too, like ANK_ENDPOINT; see %s(1).\n",
         help_program(program));
  return help_end(e);
}

/* What stands behind our own options is of the AWS set-up. */
static enum err show_config(const struct opt *o, struct error *e)
{
  struct credload_settings s = {0};
  struct buf text = {.secret = true};
  const struct credload_ask ask = {.profile = opt_text(o, OPT_PROFILE),
                                   .target = NULL};
  enum err err = credload_aws_settings(&ask, &s, e);
  char from[80];
  struct opt_setting settings[CONFIG_POLICY_SETTINGS + 3] = {
      {"region", s.region, s.region_from},
      {"endpoint", s.endpoint, s.endpoint_from}};
  int n = 2;
  if (o->program != OPT_STATE)
    n += config_policy_settings(o, from, settings + n);
  settings[n] = (struct opt_setting){NULL, NULL, NULL};
  if (!err && opt_show(o, settings, &text))
    err = err_set(e, ERR_INTERNAL, "out of memory");
  if (!err) {
    fputs(buf_str(&text), stdout);
    err = help_end(e);
  }
  credload_settings_release(&s);
  buf_release(&text);
  return err;
}

static enum err print_version(enum opt_programs program, const char *library,
                              struct error *e)
{
  printf("%s %s\n%s\n", help_program(program), VERSION, library);
  return help_end(e);
}

int help_answer(const struct opt *o, const char *(*library)(void),
                const struct log *log)
{
  struct error e = {0};
  enum err err;
  const char *group = opt_text(o, OPT_HELP);
  if (group && !*group && o->n_operands == 1)
    group = o->operands[0];
  if (group)
    err = print(o->program, group, &e);
  else if (opt_flag(o, OPT_VERSION))
    err = print_version(o->program, library(), &e);
  else if (opt_flag(o, OPT_SHOW_CONFIG))
    err = show_config(o, &e);
  else
    return -1;
  if (err)
    log_error(log, "%s", e.msg);
  return err_exit_status(err, 0);
}
