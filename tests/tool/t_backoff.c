/* SPDX-License-Identifier: MIT
 *
 * t_backoff - policy/backoff as commands.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "policy/backoff.h"
#include "tool.h"

static uint64_t whole(const char **rest)
{
  struct buf part = {0};
  uint64_t n;
  field(rest, &part, false);
  if (!codec_u64(buf_str(&part), 0, UINT64_MAX, &n))
    bad_line();
  buf_release(&part);
  return n;
}

static void take_spec(const char **rest, struct backoff *b)
{
  struct buf part = {0};
  field(rest, &part, false);
  if (backoff_parse(buf_str(&part), b) != NULL)
    bad_line();
  buf_release(&part);
}

/* SPEC: the spec in full, or what is wrong. */
static void spec_line(const struct buf *in, struct buf *out)
{
  struct backoff b;
  char text[BACKOFF_TEXT_MAX];
  const char *why = backoff_parse(buf_str(in), &b);
  if (why == NULL)
    backoff_text(&b, text);
  say(out, "%s", why != NULL ? why : text);
}

static void say_waits(struct buf *out, const struct backoff *b, uint64_t dice)
{
  int64_t before = 0;
  for (uint64_t n = 0; n < 7; n++) {
    before = backoff_wait(b, n, before, dice);
    say(out, n ? " %" PRId64 : "%" PRId64, before);
  }
}

/* SPEC: the first seven waits, with the lowest and with the highest dice. */
static void waits_line(const struct buf *in, struct buf *out)
{
  struct backoff b;
  const char *rest = buf_str(in);
  take_spec(&rest, &b);
  say_waits(out, &b, 0);
  say(out, " to ");
  say_waits(out, &b, UINT64_MAX);
}

/* "SPEC N": the wait before try N + 2, with the highest dice. */
static void wait_line(const struct buf *in, struct buf *out)
{
  struct backoff b;
  const char *rest = buf_str(in);
  take_spec(&rest, &b);
  say(out, "%" PRId64, backoff_wait(&b, whole(&rest), 0, UINT64_MAX));
}

/* splitmix64, as the programs of the tests throw. */
static uint64_t throw(uint64_t * seed)
{
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* "SPEC TRIES SEED": the moments of so many tries of one client. */
static void moments_line(const struct buf *in, struct buf *out)
{
  struct backoff b;
  const char *rest = buf_str(in);
  take_spec(&rest, &b);
  uint64_t tries = whole(&rest), seed = whole(&rest);
  int64_t before = 0, at = 0;
  /* Seeds that follow one another begin far from one another. */
  seed = throw(&seed);
  for (uint64_t n = 0; n < tries; n++) {
    before = backoff_wait(&b, n, before, throw(&seed));
    at += before;
    say(out, n ? " %" PRId64 : "%" PRId64, at);
  }
}

/* "NUMBER" in thousandths, or no. */
static void thousandths_line(const struct buf *in, struct buf *out)
{
  int64_t n;
  if (codec_thousandths(buf_str(in), &n))
    say(out, "%" PRId64, n);
  else
    say(out, "no");
}

const struct command backoff_commands[] = {
    {"backoff-spec", spec_line, false},
    {"backoff-waits", waits_line, true},
    {"backoff-wait", wait_line, true},
    {"backoff-moments", moments_line, true},
    {"thousandths", thousandths_line, false},
    {NULL, NULL, false},
};
