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

#include "tool.h"

static const struct command *const groups[] = {
    codec_commands, date_commands, hash_commands,
    text_commands,  file_commands, policy_commands,
    cloud_commands, sign_commands, fuzz_commands};

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
  fputs("usage: ank-test COMMAND < LINES\ncommands:", stderr);
  for (size_t i = 0; i < N_GROUPS; i++)
    for (const struct command *c = groups[i]; c->name != NULL; c++)
      fprintf(stderr, " %s", c->name);
  fputc('\n', stderr);
  return 2;
}

static void filter(const struct command *c)
{
  struct buf in = {0};
  struct buf out = {0};
  char *line = NULL;
  size_t cap = 0;
  ssize_t len;
  while ((len = getline(&line, &cap, stdin)) >= 0) {
    size_t n = (size_t)len;
    n -= n > 0 && line[n - 1] == '\n' ? 1 : 0;
    buf_clear(&in);
    buf_clear(&out);
    if (c->raw)
      say_bytes(&in, line, n);
    else
      unescape(&in, line, n);
    c->line(&in, &out);
    print_escaped(&out);
  }
  free(line);
  buf_release(&in);
  buf_release(&out);
}

int main(int argc, char **argv)
{
  const struct command *c = argc == 2 ? find(argv[1]) : NULL;
  if (c == NULL)
    return usage();
  filter(c);
  return fflush(stdout) == 0 ? 0 : 1;
}
