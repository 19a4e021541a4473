/* SPDX-License-Identifier: MIT
 *
 * ank-test - the pure rooms as text filters: ank-test COMMAND < lines.
 *
 * Finds the command, feeds it line by line, writes what it answers.  Knows
 * nothing of the rooms; those commands are in t_*.c.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "tool.h"

static const struct command *const groups[] = {
    backoff_commands, breaker_commands,  budget_commands, cloud_commands,
    codec_commands,   continue_commands, date_commands,   file_commands,
    fuzz_commands,    hash_commands,     oci_commands,    plan_commands,
    policy_commands,  progress_commands, quirk_commands,  sign_commands,
    state_commands,   target_commands,   text_commands,   token_commands,
};

enum { N_GROUPS = sizeof groups / sizeof groups[0] };

static void print_escaped(const struct buf *b)
{
  const char *s = buf_str(b);
  for (size_t i = 0; i < b->len; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '\n')
      fputs("\\n", stdout);
    else if (c == '\\')
      fputs("\\\\", stdout);
    else if (c < 0x20 || c >= 0x7F)
      printf("\\x%02x", (unsigned)c);
    else
      putchar(c);
  }
  putchar('\n');
}

static const struct command *find(const char *name)
{
  for (size_t i = 0; i < N_GROUPS; i++)
    for (const struct command *c = groups[i]; c->name != NULL; c++)
      if (strcmp(c->name, name) == 0)
        return c;
  return NULL;
}

static int usage(void)
{
  fputs("usage: ank-test [-f] COMMAND < LINES\n"
        "  -f  each line again and again, another allocation failing each "
        "time\ncommands:",
        stderr);
  for (size_t i = 0; i < N_GROUPS; i++)
    for (const struct command *c = groups[i]; c->name != NULL; c++)
      fprintf(stderr, " %s", c->name);
  fputc('\n', stderr);
  return 2;
}

static void answer(const struct command *c, const struct buf *in)
{
  struct buf out = {0};
  c->line(in, &out);
  print_escaped(&out);
  buf_release(&out);
}

/* The line in a process of its own, whose N-th allocation fails.  How it
 * ended: whole, because it needs fewer, or otherwise. */
static int try_failing(const struct command *c, const struct buf *in,
                       unsigned n)
{
  int status = -1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(STDIN_FILENO); /* exit() would wind back what we share */
    alloc_fail(n);
    answer(c, in);
    exit(alloc_failed() ? TOOL_OUT_OF_MEMORY : 0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What failed may only lead to an error that is said, or be made do without:
 * no crash, no leak, no property broken. */
static void fail_one_by_one(const struct command *c, const struct buf *in)
{
  unsigned n = 1;
  int end;
  while ((end = try_failing(c, in, n)) == TOOL_OUT_OF_MEMORY)
    n++;
  if (end == 0)
    return;
  fprintf(stderr, "ank-test: allocation %u of this line ends in %d:\n", n, end);
  print_escaped(in);
  exit(1);
}

static void filter(const struct command *c,
                   void (*each)(const struct command *, const struct buf *))
{
  struct buf in = {0};
  char *line = NULL;
  size_t cap = 0;
  ssize_t len;
  while ((len = getline(&line, &cap, stdin)) >= 0) {
    size_t n = (size_t)len;
    n -= n > 0 && line[n - 1] == '\n' ? 1 : 0;
    buf_clear(&in);
    if (c->raw)
      say_bytes(&in, line, n);
    else
      unescape(&in, line, n);
    each(c, &in);
  }
  free(line);
  buf_release(&in);
}

int main(int argc, char **argv)
{
  bool failing = argc == 3 && strcmp(argv[1], "-f") == 0;
  const struct command *c = argc == 2 || failing ? find(argv[argc - 1]) : NULL;
  if (c == NULL)
    return usage();
  filter(c, failing ? fail_one_by_one : answer);
  return fflush(stdout) == 0 ? 0 : 1;
}
