/* SPDX-License-Identifier: MIT
 *
 * fuzz_state - what must hold of the file that runs share, whatever is in it:
 * one step makes it whole, and a line that is read is written as one that
 * reads the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/state.h"
#include "io/state_file.h"
#include "io/state_line.h"
#include "tool.h"

static const char ours[] = "https://h:443/ours";

/* ---- a line ---- */

static bool same_span(struct span_ms a, struct span_ms b)
{
  return a.at_ms == b.at_ms && a.length_ms == b.length_ms;
}

static bool same_breaker(const struct breaker *a, const struct breaker *b)
{
  return a->open == b->open && a->failures == b->failures &&
         a->failed_at_ms == b->failed_at_ms &&
         same_span(a->opened, b->opened) && same_span(a->lease, b->lease) &&
         a->holder == b->holder && a->window_at_ms == b->window_at_ms;
}

static bool same_scope(const struct scope *a, const struct scope *b)
{
  return same_breaker(&a->breaker, &b->breaker) &&
         same_span(a->hold, b->hold) && a->seen_ms == b->seen_ms &&
         a->success_at_ms == b->success_at_ms &&
         strcmp(a->last_error, b->last_error) == 0 &&
         memcmp(&a->counters, &b->counters, sizeof a->counters) == 0;
}

static void check_line(const char *s, size_t len)
{
  struct buf name = {0}, again = {0}, line = {0};
  struct scope scope, copy;
  static const struct scope nothing;
  if (!state_line_read(s, len, &name, &scope)) {
    hold(same_scope(&scope, &nothing), "no line is no scope");
  } else {
    hold(scope.breaker.opened.length_ms >= 0 && scope.hold.length_ms >= 0,
         "no length is below 0");
    must(state_line_write(&line, buf_str(&name), &scope));
    hold(memchr(line.data, '\n', line.len) == line.data + line.len - 1,
         "one line");
    hold(state_line_read(line.data, line.len, &again, &copy), "is read");
    hold(same_scope(&scope, &copy), "reads the same");
    hold(strcmp(buf_str(&name), buf_str(&again)) == 0, "has the same name");
  }
  buf_release(&name);
  buf_release(&again);
  buf_release(&line);
}

/* ---- a file ---- */

static void bump(void *ctx, struct scope *scope, int64_t wall_ms)
{
  (void)wall_ms;
  scope->counters.requests = ++*(int64_t *)ctx;
}

/* Two steps by two runs; the second finds what the first left. */
static void check_steps(const char *path)
{
  struct error e = {0};
  struct scope scope;
  int64_t n = 0;
  for (int run = 0; run < 2; run++) {
    struct state s;
    must(state_open(&s, path, &e));
    state_peek(&s, ours, &scope);
    hold(run == 0 || scope.counters.requests == n, "what was stored is found");
    if (!state_step(&s, ours, bump, &n))
      hold(s.warned && strcmp(s.why, "state_version") == 0,
           "only another version is left alone");
    else
      hold(run == 0 || !s.warned || strcmp(s.text, "has damaged lines") == 0,
           "it is whole but for lines of others");
    bool alone = s.off;
    state_close(&s);
    if (alone)
      return;
  }
}

static void check_file(const char *s, size_t len)
{
  char dir[] = "/tmp/ank-fuzz-XXXXXX";
  char path[64], lock[80];
  const char *why = NULL;
  struct buf data = {0};
  if (!mkdtemp(dir))
    exit(TOOL_BAD_LINE);
  (void)snprintf(path, sizeof path, "%s/state.ndjson", dir);
  (void)snprintf(lock, sizeof lock, "%s.lock", path);
  say_bytes(&data, s, len);
  if (!state_file_replace(path, &data, &why))
    exit(TOOL_BAD_LINE);
  check_steps(path);
  (void)unlink(lock);
  (void)unlink(path);
  hold(rmdir(dir) == 0, "nothing else is left");
  buf_release(&data);
}

void fuzz_state(const char *s, size_t len)
{
  check_line(s, len);
  check_file(s, len);
}
