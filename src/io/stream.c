/* SPDX-License-Identifier: MIT
 *
 * stream - see stream.h.
 */
#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/sys.h"

/* How long a command may take to end when it is told to. */
enum { GRACE_MS = 1000, LOOK_MS = 5 };

enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };

extern char **environ;

enum err stream_open_input(struct stream *s, struct error *e)
{
  struct stat st;
  *s = (struct stream){.fd = STDIN_FILENO, .name = "-"};
  if (fstat(s->fd, &st) != 0)
    return err_set(e, ERR_LOCAL, "-: %s", strerror(errno));
  if (S_ISDIR(st.st_mode))
    return err_set(e, ERR_LOCAL, "-: is a directory");
  return ERR_OK;
}

/* ---- a command ---- */

/* What we ignore or handle is not the command's business. */
static int set_attributes(posix_spawnattr_t *attr)
{
  static const int reset[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t signals, none;
  sigemptyset(&signals);
  sigemptyset(&none);
  for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
    sigaddset(&signals, reset[i]);
  int failed = posix_spawnattr_setpgroup(attr, 0);
  if (!failed)
    failed = posix_spawnattr_setsigdefault(attr, &signals);
  if (!failed)
    failed = posix_spawnattr_setsigmask(attr, &none);
  return failed ? failed
                : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
                                                     POSIX_SPAWN_SETSIGDEF |
                                                     POSIX_SPAWN_SETSIGMASK);
}

static int spawn(pid_t *pid, char **argv, int out)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  failed = posix_spawnattr_init(&attr);
  if (!failed) {
    failed = set_attributes(&attr);
    if (!failed)
      failed = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!failed)
      failed = posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

enum err stream_open_command(struct stream *s, char **argv, struct error *e)
{
  int ends[2];
  *s = (struct stream){.fd = -1, .name = argv[0], .command = true};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return err_set(e, ERR_LOCAL, "pipe: %s", strerror(errno));
  int failed = spawn(&s->pid, argv, ends[1]);
  close(ends[1]);
  if (failed) {
    close(ends[0]);
    s->pid = 0;
    s->exit_status = failed == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
    return err_set(e, ERR_LOCAL, "%s: %s", s->name, strerror(failed));
  }
  s->fd = ends[0];
  return ERR_OK;
}

bool stream_ended(struct stream *s)
{
  int status;
  if (!s->pid)
    return true;
  pid_t pid = waitpid(s->pid, &status, WNOHANG);
  if (pid == 0 || (pid < 0 && errno == EINTR))
    return false;
  s->pid = 0;
  /* Whoever ignores SIGCHLD cannot know: that is no success. */
  s->exit_status = pid < 0             ? STATUS_NOT_RUN
                   : WIFEXITED(status) ? WEXITSTATUS(status)
                                       : 128 + WTERMSIG(status);
  return true;
}

void stream_signal(const struct stream *s, int signum)
{
  if (s->pid)
    kill(-s->pid, signum);
}

static bool ends_within(struct stream *s, int ms)
{
  for (int waited = 0; waited < ms; waited += LOOK_MS) {
    if (stream_ended(s))
      return true;
    (void)poll(NULL, 0, LOOK_MS);
  }
  return stream_ended(s);
}

void stream_close(struct stream *s)
{
  if (s->command && s->fd >= 0)
    close(s->fd);
  s->fd = -1;
  if (stream_ended(s))
    return;
  stream_signal(s, SIGTERM);
  stream_signal(s, SIGCONT);
  if (ends_within(s, GRACE_MS))
    return;
  stream_signal(s, SIGKILL);
  (void)ends_within(s, GRACE_MS);
}

/* ---- reading ---- */

/* Asked first, as the descriptor may be one that blocks and that others use. */
static bool readable(int fd)
{
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, 0) > 0 && p.revents;
}

long stream_read(struct stream *s, char *to, unsigned long len, struct error *e)
{
  unsigned long done = 0;
  while (done < len && !s->at_end && readable(s->fd)) {
    ssize_t n = read(s->fd, to + done, len - done);
    if (n > 0)
      done += (unsigned long)n;
    else if (n == 0)
      s->at_end = true;
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR) {
      (void)err_set(e, ERR_LOCAL, "%s: %s", s->name, strerror(errno));
      return -1;
    }
  }
  return (long)done;
}
