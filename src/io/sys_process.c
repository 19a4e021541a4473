/* SPDX-License-Identifier: MIT
 *
 * sys_process - signals, descriptors and interfaces of this process: the part
 * of io/sys that is the same whatever the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/sys.h"

/* A handler can reach nothing but file-scope data. */
static volatile sig_atomic_t caught;
static int wake_fds[2] = {-1, -1};

static void on_signal(int signum)
{
  int saved = errno;
  if (caught) {
    signal(signum, SIG_DFL);
    raise(signum);
  }
  caught = signum;
  if (write(wake_fds[1], "", 1) < 0) {
    /* The pipe is full: the reader wakes all the same. */
  }
  errno = saved;
}

static enum err catch_one(int signum, struct error *e)
{
  struct sigaction old, act = {.sa_handler = on_signal};
  sigemptyset(&act.sa_mask);
  act.sa_flags = SA_NODEFER;
  if (sigaction(signum, NULL, &old) != 0)
    return err_set(e, ERR_INTERNAL, "sigaction: %s", strerror(errno));
  /* nohup and background shells mean it when they ignore a signal. */
  if (old.sa_handler == SIG_IGN)
    return ERR_OK;
  if (sigaction(signum, &act, NULL) != 0)
    return err_set(e, ERR_INTERNAL, "sigaction: %s", strerror(errno));
  return ERR_OK;
}

enum err sys_catch_signals(struct error *e)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  if (pipe2(wake_fds, O_CLOEXEC | O_NONBLOCK) != 0)
    return err_set(e, ERR_LOCAL, "pipe: %s", strerror(errno));
  signal(SIGPIPE, SIG_IGN);
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof signals / sizeof *signals && !err; i++)
    err = catch_one(signals[i], e);
  return err;
}

int sys_interrupted(void)
{
  return (int)caught;
}

int sys_interrupt_fd(void)
{
  return wake_fds[0];
}

void sys_hush_signals(void)
{
  char byte;
  while (read(wake_fds[0], &byte, 1) > 0)
    ;
}

void sys_reraise(int signum)
{
  signal(signum, SIG_DFL);
  raise(signum);
}

static bool usable(const struct ifaddrs *i)
{
  if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) || i->ifa_flags & IFF_LOOPBACK)
    return false;
  return i->ifa_addr->sa_family == AF_INET ||
         i->ifa_addr->sa_family == AF_INET6;
}

bool sys_has_address(void)
{
  struct ifaddrs *all;
  if (getifaddrs(&all) != 0)
    return true;
  bool found = false;
  for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
    found = usable(i);
  freeifaddrs(all);
  return found;
}

void sys_guard_secrets(void)
{
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void sys_outlive_file_limit(void)
{
  signal(SIGXFSZ, SIG_IGN);
}

enum err sys_open_std(unsigned *closed, struct error *e)
{
  unsigned bits = 0;
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) != -1)
      continue;
    bits |= 1u << fd;
    /* The lowest free number is this one: those below are open by now. */
    if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
      return err_set(e, ERR_LOCAL, "/dev/null: %s", strerror(errno));
  }
  *closed = bits;
  return ERR_OK;
}
