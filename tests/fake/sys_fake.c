/* SPDX-License-Identifier: MIT
 *
 * sys_fake - time and dice for the tests' programs, in place of io/sys.c.
 *
 * Waiting moves the clock instead of passing; while a transfer is in flight
 * the clock moves only when the server said that it will stay silent (the
 * hang marker), so a slow machine cannot look like a slow server.
 * Environment: ANK_FAKE_NOW (wall clock at start, ms), ANK_FAKE_SEED or
 * ANK_FAKE_DICE=min|max, ANK_FAKE_LOG (one line "sleep MS" a wait with nothing
 * in flight), ANK_FAKE_HANG (path of the marker), ANK_FAKE_STEP (ms that each
 * reading of the clock moves it), ANK_FAKE_JUMP (ms by which somebody sets the
 * wall clock ahead during the first wait, or back: -MS).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/codec.h"
#include "io/sys.h"

/* What a test's clock remembers between readings. */
static struct {
  bool started;
  int64_t wall0_ms, passed_ms, pause_us, step_ms, jump_ms;
  uint64_t seed;
} fake;

static int64_t env_number(const char *name, int64_t otherwise)
{
  const char *s = getenv(name);
  bool back = s && *s == '-';
  uint64_t n;
  if (!s || !codec_u64(s + back, 0, INT64_MAX, &n))
    return otherwise;
  return back ? -(int64_t)n : (int64_t)n;
}

static void start(void)
{
  if (fake.started)
    return;
  fake.started = true;
  fake.wall0_ms = env_number("ANK_FAKE_NOW", (int64_t)time(NULL) * 1000);
  fake.step_ms = env_number("ANK_FAKE_STEP", 0);
  fake.jump_ms = env_number("ANK_FAKE_JUMP", 0);
  fake.seed = (uint64_t)env_number("ANK_FAKE_SEED", 1);
}

struct now sys_now(void)
{
  start();
  fake.passed_ms += fake.step_ms;
  return (struct now){.mono_ms = 1000000 + fake.passed_ms,
                      .wall_ms = fake.wall0_ms + fake.passed_ms};
}

/* splitmix64: a fixed sequence for each seed. */
uint64_t sys_random(void)
{
  const char *dice = getenv("ANK_FAKE_DICE");
  start();
  if (dice && strcmp(dice, "max") == 0)
    return UINT64_MAX;
  if (dice && strcmp(dice, "min") == 0)
    return 0;
  uint64_t z = fake.seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static bool hanging(void)
{
  const char *marker = getenv("ANK_FAKE_HANG");
  return marker && access(marker, F_OK) == 0;
}

int sys_poll_ms(int64_t ms, bool busy)
{
  if (!busy || ms <= 0)
    return 0;
  if (hanging())
    return ms < 60 ? (int)ms : 60;
  return ms < 20 ? (int)ms : 20;
}

/* Whoever is waited for is real, so a little time has to pass for it: a fifth
 * of ours. */
void sys_pause_us(int64_t us)
{
  const struct timespec real = {.tv_nsec = us * 1000};
  start();
  nanosleep(&real, NULL);
  fake.pause_us += us * 5;
  fake.passed_ms += fake.pause_us / 1000;
  fake.pause_us %= 1000;
}

static void log_sleep(int64_t ms)
{
  const char *path = getenv("ANK_FAKE_LOG");
  int fd =
      path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (fd < 0)
    return;
  dprintf(fd, "sleep %" PRId64 "\n", ms);
  close(fd);
}

void sys_polled(int64_t ms, bool busy, bool woken)
{
  start();
  if (woken || ms <= 0 || (busy && !hanging()))
    return;
  if (ms == INT64_MAX)
    return; /* nothing is due, ever */
  fake.passed_ms += ms;
  if (busy)
    return;
  log_sleep(ms);
  fake.wall0_ms += fake.jump_ms;
  fake.jump_ms = 0;
}
