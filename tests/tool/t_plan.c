/* SPDX-License-Identifier: MIT
 *
 * t_plan - policy/plan as a command.
 *
 * Lines are settings, NAME=VALUE; what a line does not set are S3's limits and
 * the programs' defaults.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "policy/plan.h"
#include "tool.h"

/* All that a plan is made of, and the parts that are asked for. */
struct plan_case {
  struct plan_limits limits;
  struct plan_wish wish;
  bool stream;
  uint64_t size;
  unsigned at[8];
  size_t n_at;
};

static uint64_t size_of(const char *s)
{
  uint64_t size;
  if (!codec_size(s, &size))
    bad_line();
  return size;
}

static void read_plan(struct plan_case *c, const char *name, const char *v)
{
  uint64_t n = size_of(v);
  if (strcmp(name, "file") == 0)
    c->size = n;
  else if (strcmp(name, "stream") == 0)
    c->stream = true, c->wish.expected = n;
  else if (strcmp(name, "part") == 0)
    c->wish.part_size = n;
  else if (strcmp(name, "buffer") == 0)
    c->wish.buffer_limit = n;
  else if (strcmp(name, "parallel") == 0)
    c->wish.parallel = (unsigned)n;
  else if (strcmp(name, "parts") == 0)
    c->limits.max_parts = (unsigned)n;
  else if (strcmp(name, "min") == 0)
    c->limits.min_part = n;
  else if (strcmp(name, "max") == 0)
    c->limits.max_part = n;
  else if (strcmp(name, "object") == 0)
    c->limits.max_object = n;
  else if (strcmp(name, "usual") == 0)
    c->limits.usual_part = n;
  else if (strcmp(name, "equal") == 0)
    c->limits.equal = n != 0;
  else if (strcmp(name, "at") == 0 && c->n_at < 8)
    c->at[c->n_at++] = (unsigned)n;
  else
    bad_line();
}

static void say_part(const struct plan *p, unsigned number, struct buf *out)
{
  uint64_t offset, length;
  say(out, " | %u:", number);
  if (p->stream) {
    say(out, " %" PRIu64, plan_size(p, number));
  } else {
    plan_part(p, number, &offset, &length);
    say(out, " %" PRIu64 "+%" PRIu64, offset, length);
  }
  say(out, " held %u%s", plan_held(p, number),
      plan_warns(p, number) ? " warns" : "");
}

/* "file=SIZE|stream=EXPECTED ... at=NUMBER...": how many parts or bytes, then
 * each part that was asked for: OFFSET+LENGTH or its most bytes, and how many
 * may be in memory. */
static void plan_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct plan_case c = {
      .limits = {.min_part = UINT64_C(5) << 20,
                 .max_part = UINT64_C(5) << 30,
                 .max_parts = 10000,
                 .max_object = (UINT64_C(5) << 30) * 10000},
      .wish = {.buffer_limit = PLAN_BUFFER, .parallel = 4},
  };
  struct plan p;
  struct error e = {0};
  struct buf name = {0}, value = {0};
  while (setting(&rest, &name, &value))
    read_plan(&c, buf_str(&name), buf_str(&value));
  enum err err = c.stream ? plan_stream(&p, &c.limits, &c.wish, &e)
                          : plan_file(&p, &c.limits, &c.wish, c.size, &e);
  if (err != ERR_OK)
    say(out, "%s: %s", err_name(err), e.msg);
  else if (c.stream)
    say(out, "most %" PRIu64, plan_most(&p));
  else
    say(out, "parts %u", plan_count(&p));
  for (size_t i = 0; i < c.n_at && err == ERR_OK; i++)
    say_part(&p, c.at[i], out);
  buf_release(&name);
  buf_release(&value);
}

const struct command plan_commands[] = {
    {"plan", plan_line, true},
    {NULL, NULL, false},
};
