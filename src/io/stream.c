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

/* How long a command may take to end each time that it is told to. */
enum { GRACE_MS = 500, LOOK_MS = 5 };

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

/* SIGPIPE is ignored for our own sake; what else is ignored our caller wanted
 * so, and handlers do not outlive exec. */
static int set_attributes(posix_spawnattr_t *attr)
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  int failed = posix_spawnattr_setpgroup(attr, 0);
  if (!failed)
    failed = posix_spawnattr_setsigdefault(attr, &signals);
  return failed ? failed
                : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
                                                     POSIX_SPAWN_SETSIGDEF);
}

static int spawn(pid_t *pid, char **argv, int out, bool no_input)
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
    if (!failed && no_input)
      failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                                "/dev/null", O_RDONLY, 0);
    if (!failed)
      failed = posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

static enum err open_command(struct stream *s, char **argv, bool no_input,
                             struct error *e)
{
  int ends[2];
  *s = (struct stream){.fd = -1, .name = argv[0], .command = true};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    s->exit_status = STATUS_NOT_RUN;
    return err_set(e, ERR_LOCAL, "pipe: %s", strerror(errno));
  }
  /* Whoever ignores it never learns how a command ended. */
  signal(SIGCHLD, SIG_DFL);
  int failed = spawn(&s->pid, argv, ends[1], no_input);
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

enum err stream_open_command(struct stream *s, char **argv, struct error *e)
{
  return open_command(s, argv, false, e);
}

enum err stream_open_helper(struct stream *s, char **argv, struct error *e)
{
  return open_command(s, argv, true, e);
}

/* It is not waited for here: while it is a zombie nobody else gets its number,
 * which is its group's. */
bool stream_ended(struct stream *s)
{
  siginfo_t info = {0};
  if (!s->pid || s->ended)
    return true;
  int failed = waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT);
  if (failed ? errno == EINTR : info.si_pid == 0)
    return false;
  s->ended = true;
  s->exit_status = failed                       ? STATUS_NOT_RUN
                   : info.si_code == CLD_EXITED ? info.si_status
                                                : 128 + info.si_status;
  return true;
}

static void reap(struct stream *s)
{
  int status;
  while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
    ;
}

static bool is_gone(struct stream *s)
{
  if (!stream_ended(s))
    return false;
  reap(s);
  return kill(-s->pid, 0) != 0;
}

static bool within_grace(struct stream *s, bool (*done)(struct stream *))
{
  for (int waited = 0; waited < GRACE_MS; waited += LOOK_MS) {
    if (done(s))
      return true;
    (void)poll(NULL, 0, LOOK_MS);
  }
  return done(s);
}

static bool heeds(struct stream *s, int signum)
{
  kill(-s->pid, signum);
  kill(-s->pid, SIGCONT);
  return within_grace(s, is_gone);
}

static void end_group(struct stream *s, int signum)
{
  if (heeds(s, signum) || heeds(s, SIGTERM))
    return;
  kill(-s->pid, SIGKILL);
  if (within_grace(s, stream_ended))
    reap(s);
}

void stream_close(struct stream *s, int signum)
{
  if (s->command && s->fd >= 0)
    close(s->fd);
  s->fd = -1;
  if (s->pid && signum)
    end_group(s, signum);
  else if (s->pid && stream_ended(s))
    reap(s);
  s->pid = 0;
}

/* ---- reading ---- */

/* Asked first, as the descriptor may be one that blocks and that others use. */
static bool readable(int fd)
{
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, 0) > 0 && p.revents;
}

static unsigned long take_ahead(struct stream *s, char *to, unsigned long len)
{
  if (!s->has_ahead || !len)
    return 0;
  *to = s->ahead;
  s->has_ahead = false;
  return 1;
}

bool stream_peek(struct stream *s, struct error *e)
{
  if (s->has_ahead || s->at_end)
    return true;
  long n = stream_read(s, &s->ahead, 1, e);
  s->has_ahead = n > 0;
  s->came -= s->has_ahead;
  return n >= 0;
}

long stream_read(struct stream *s, char *to, unsigned long len, struct error *e)
{
  unsigned long done = take_ahead(s, to, len);
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
  s->came += done;
  return (long)done;
}
