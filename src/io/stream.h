/* SPDX-License-Identifier: MIT
 *
 * stream - bytes that come once: standard input, or what a command prints.
 *
 * A command runs in a process group of its own, which is ended when its output
 * is no longer wanted.  Never waits: the caller polls the descriptor.
 */
#ifndef ANK_IO_STREAM_H
#define ANK_IO_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct stream {
  int fd;           /* -1 while closed */
  const char *name; /* borrowed, for messages: "-", or the command's */
  bool at_end;
  bool has_ahead; /* AHEAD was read, and is still to be given */
  char ahead;
  uint64_t came; /* bytes that stream_read has given */
  bool command;
  pid_t pid;       /* of the command, and of its group; 0 = none */
  bool ended;      /* the command itself */
  int exit_status; /* of a command that has ended; 128 + n for a signal */
};

/* Standard input, which stays open.  ERR_LOCAL for a directory. */
enum err stream_open_input(struct stream *s, struct error *e)
    __attribute__((warn_unused_result));

/* Starts ARGV, found by PATH, with our standard input and error.  ERR_LOCAL
 * when it cannot be started (status 126 or 127 by the shell's rule). */
enum err stream_open_command(struct stream *s, char **argv, struct error *e)
    __attribute__((warn_unused_result));

/* The same with nothing to read: its standard input is /dev/null. */
enum err stream_open_helper(struct stream *s, char **argv, struct error *e)
    __attribute__((warn_unused_result));

/* Reads what is there, up to LEN bytes, without waiting: how many, 0 when there
 * is nothing now or nothing more (s->at_end).  -1 with *E set. */
long stream_read(struct stream *s, char *to, unsigned long len,
                 struct error *e);

/* Is there something more?  Fills at_end, once that is known, which takes a
 * byte that stream_read gives later.  Never waits.  False with *E set. */
bool stream_peek(struct stream *s, struct error *e);

/* Has the command ended?  Fills exit_status.  True for standard input. */
bool stream_ended(struct stream *s);

/* Closes.  With SIGNUM the command's group, to which what it has left behind
 * belongs, is ended: by that signal, by SIGTERM after half a second, by SIGKILL
 * after one.  With 0 what a command that has ended left behind may go on. */
void stream_close(struct stream *s, int signum);

#endif
