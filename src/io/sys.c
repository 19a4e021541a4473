/* SPDX-License-Identifier: MIT
 *
 * sys - see sys.h: time, dice and signals of the real machine.  What does not
 * depend on time stays in sys_process.c, which the tests' programs share.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "io/sys.h"

static int64_t read_ms(clockid_t clock)
{
  struct timespec ts;
  if (clock_gettime(clock, &ts) != 0)
    return 0;
  return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct now sys_now(void)
{
  return (struct now){.mono_ms = read_ms(CLOCK_BOOTTIME),
                      .wall_ms = read_ms(CLOCK_REALTIME)};
}

/* The kernel's dice cannot run out once it has booted; an interrupted or
 * refused call falls back on the clock rather than on a constant. */
uint64_t sys_random(void)
{
  uint64_t bits;
  for (int tries = 0; tries < 8; tries++)
    if (getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits)
      return bits;
  struct timespec ts = {0};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
}

void sys_pause_us(int64_t us)
{
  struct pollfd p = {.fd = sys_interrupt_fd(), .events = POLLIN};
  struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
  (void)ppoll(&p, 1, &t, NULL);
}

int sys_poll_ms(int64_t ms, bool busy)
{
  (void)busy;
  if (ms < 0)
    return 0;
  return ms > INT_MAX ? INT_MAX : (int)ms;
}

void sys_polled(int64_t ms, bool busy, bool woken)
{
  (void)ms;
  (void)busy;
  (void)woken;
}
