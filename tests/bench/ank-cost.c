/* SPDX-License-Identifier: MIT
 *
 * ank-cost - what asking and telling cost, in microseconds: one line each.
 *
 *   ank-cost fill FILE SCOPES            a state with so many scopes
 *   ank-cost ask|tell FILE TIMES SCOPE PAUSE-MS
 *
 * Waits for a line of standard input, so that many can begin together; then
 * asks (guard_look) or tells of a failure (guard_tell), with a pause of up to
 * PAUSE-MS before each.  tests/bench/state.py runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/codec.h"
#include "flow/guard.h"
#include "io/sys.h"
#include "policy/retry.h"

struct bench {
  struct log log;
  struct report report;
  struct state state;
  struct guard guard;
  struct guard_ticket ticket;
};

static int number(const char *s)
{
  uint64_t n = 0;
  if (!codec_u64(s, 0, 1000000, &n))
    exit(2);
  return (int)n;
}

/* The breaker stays closed, whatever it is told. */
static void set_up(struct bench *b, const char *path, int scope)
{
  char bucket[32];
  struct error e = {0};
  struct site site = {.base = {.https = true, .host = "s3.example", 443}};
  struct target target = {.bucket = bucket};
  *b = (struct bench){.report = {.fd = -1, .log = &b->log}};
  if (state_open(&b->state, path, &e))
    exit(3);
  b->guard = (struct guard){.state = &b->state,
                            .report = &b->report,
                            .options = {.breaker = breaker_default},
                            .deadline_mono_ms = RETRY_NEVER};
  b->guard.options.breaker.failures = b->guard.options.breaker.calls = 1 << 30;
  (void)snprintf(bucket, sizeof bucket, "bucket-%d", scope);
  guard_enlist(&b->guard, &b->ticket, &site, &target);
}

static void release(struct bench *b)
{
  if (b->state.warned)
    fprintf(stderr, "%s: %s\n", b->state.why, b->state.text);
  guard_release(&b->guard);
  state_close(&b->state);
}

static void tell(struct bench *b)
{
  struct guard_news news = {
      .event = BREAKER_FAILURE, .hold_ms = -1, .error = "503"};
  guard_tell(&b->guard, &b->ticket, &news, sys_now());
}

static void ask(struct bench *b)
{
  struct guard_answer a = guard_look(&b->guard, &b->ticket, sys_now());
  if (a.word != GUARD_GO)
    exit(4);
}

static double now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void measure(struct bench *b, void (*what)(struct bench *), int times,
                    int pause_ms)
{
  double *took = calloc((size_t)times, sizeof *took);
  if (!took || getchar() == EOF)
    exit(3);
  for (int i = 0; i < times; i++) {
    if (pause_ms)
      sys_pause_us(backoff_uniform(sys_random(), pause_ms * 1000L));
    double begun = now_us();
    what(b);
    took[i] = now_us() - begun;
  }
  for (int i = 0; i < times; i++)
    printf("%.1f\n", took[i]);
  free(took);
}

static void fill(const char *path, int scopes)
{
  for (int i = 0; i < scopes; i++) {
    struct bench b;
    set_up(&b, path, i);
    tell(&b);
    release(&b);
  }
}

int main(int argc, char **argv)
{
  struct bench b;
  if (argc == 4 && strcmp(argv[1], "fill") == 0) {
    fill(argv[2], number(argv[3]));
    return 0;
  }
  if (argc != 6)
    return 2;
  set_up(&b, argv[2], number(argv[4]));
  measure(&b, strcmp(argv[1], "ask") == 0 ? ask : tell, number(argv[3]),
          number(argv[5]));
  release(&b);
  return 0;
}
