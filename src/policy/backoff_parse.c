/* SPDX-License-Identifier: MIT
 *
 * backoff_parse - a part of policy/backoff: its struct as text and back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "policy/backoff.h"

enum { LEAST_FACTOR = 1000, MOST_FACTOR = 100000, USUAL_FACTOR = 2000 };

static const char *const jitters[BACKOFF_JITTERS] = {
    [BACKOFF_FULL] = "full",       [BACKOFF_EQUAL] = "equal",
    [BACKOFF_NONE] = "none",       [BACKOFF_AROUND] = "around",
    [BACKOFF_NONZERO] = "nonzero",
};

/* Which further words a rule takes. */
static const struct rule {
  const char *name;
  enum backoff_shape shape;
  bool factor, max, jitter;
  const char *words;
} rules[] = {
    {"exp", BACKOFF_EXP, true, true, true,
     "behind the first wait of exp: come xN, max=DUR and jitter=NAME, each "
     "once"},
    {"linear", BACKOFF_LINEAR, false, true, true,
     "behind the first wait of linear: come max=DUR and jitter=NAME, each "
     "once"},
    {"const", BACKOFF_CONST, false, false, true,
     "behind the wait of const: comes jitter=NAME, once"},
    {"decorrelated", BACKOFF_DECORRELATED, false, true, false,
     "behind the first wait of decorrelated: comes max=DUR, once"},
};

enum { N_RULES = sizeof rules / sizeof *rules };

/* ---- words ---- */

/* The next word of a list; false when it is empty or too long to mean
 * anything.  *REST is NULL behind the last one. */
static bool next_word(const char **rest, char word[32])
{
  const char *s = *rest;
  size_t len = strcspn(s, ",");
  *rest = s[len] ? s + len + 1 : NULL;
  if (len == 0 || len >= 32)
    return false;
  memcpy(word, s, len);
  word[len] = '\0';
  return true;
}

static bool duration(const char *s, int64_t *out)
{
  int64_t ms;
  if (!codec_duration_ms(s, &ms) || ms > BACKOFF_LONGEST_MS)
    return false;
  *out = ms;
  return true;
}

static const char bad_wait[] =
    "a wait is a duration like 200ms or 1.5s, of a day at most";

static bool find_jitter(const char *name, size_t len, enum backoff_jitter *out)
{
  for (int i = 0; i < BACKOFF_JITTERS; i++)
    if (strlen(jitters[i]) == len && memcmp(jitters[i], name, len) == 0) {
      *out = (enum backoff_jitter)i;
      return true;
    }
  return false;
}

/* ---- a list ---- */

static const char *parse_list(const char *rest, struct backoff *b)
{
  char word[32];
  while (rest) {
    if (b->n == BACKOFF_MAX_LIST)
      return "there are more than 16 waits";
    if (!next_word(&rest, word) || !duration(word, &b->list_ms[b->n]))
      return bad_wait;
    b->n++;
  }
  return NULL;
}

/* ---- a rule ---- */

struct given {
  bool factor, max, jitter;
};

static const char *take_factor(const char *s, struct backoff *b)
{
  int64_t factor;
  if (!codec_thousandths(s, &factor) || factor < LEAST_FACTOR ||
      factor > MOST_FACTOR)
    return "x is followed by a number from 1 to 100, like x2 or x1.5";
  b->factor = factor;
  return NULL;
}

static const char *take_word(const struct rule *r, const char *s,
                             struct given *g, struct backoff *b)
{
  if (s[0] == 'x' && r->factor && !g->factor) {
    g->factor = true;
    return take_factor(s + 1, b);
  }
  if (codec_starts_with(s, "max=") && r->max && !g->max) {
    g->max = true;
    return duration(s + 4, &b->max_ms) ? NULL : bad_wait;
  }
  if (codec_starts_with(s, "jitter=") && r->jitter && !g->jitter) {
    g->jitter = true;
    return find_jitter(s + 7, strlen(s + 7), &b->jitter)
               ? NULL
               : "jitter= is full, equal, none, around or nonzero";
  }
  return r->words;
}

static const char *parse_rule(const struct rule *r, const char *rest,
                              struct backoff *b)
{
  char word[32];
  struct given given = {false, false, false};
  b->shape = r->shape;
  b->max_ms = BACKOFF_LONGEST_MS;
  b->factor = USUAL_FACTOR;
  if (!next_word(&rest, word) || !duration(word, &b->base_ms))
    return bad_wait;
  while (rest) {
    const char *why =
        next_word(&rest, word) ? take_word(r, word, &given, b) : r->words;
    if (why)
      return why;
  }
  return b->max_ms < b->base_ms ? "max= is less than the first wait" : NULL;
}

const char *backoff_parse(const char *spec, struct backoff *out)
{
  struct backoff b = {.shape = BACKOFF_LIST};
  size_t len = strcspn(spec, ":");
  const char *why =
      "it begins with full:, equal:, none:, around: or nonzero: and a list of "
      "waits, or with exp:, linear:, const: or decorrelated:";
  if (!spec[len])
    return why;
  if (find_jitter(spec, len, &b.jitter))
    why = parse_list(spec + len + 1, &b);
  for (size_t i = 0; i < N_RULES; i++)
    if (strlen(rules[i].name) == len && memcmp(rules[i].name, spec, len) == 0)
      why = parse_rule(&rules[i], spec + len + 1, &b);
  if (!why)
    *out = b;
  return why;
}

/* ---- as text ---- */

static void add_word(char out[BACKOFF_TEXT_MAX], const char *word)
{
  size_t len = strlen(out), n = strlen(word);
  if (len + n < BACKOFF_TEXT_MAX)
    memcpy(out + len, word, n + 1);
}

static void add_ms(char out[BACKOFF_TEXT_MAX], const char *before, int64_t ms)
{
  char word[48];
  if (ms % 1000)
    snprintf(word, sizeof word, "%s%" PRId64 "ms", before, ms);
  else
    snprintf(word, sizeof word, "%s%" PRId64 "s", before, ms / 1000);
  add_word(out, word);
}

static void add_factor(char out[BACKOFF_TEXT_MAX], int64_t factor)
{
  char number[CODEC_THOUSANDTHS_MAX];
  codec_thousandths_text(factor, number);
  add_word(out, ",x");
  add_word(out, number);
}

static void add_rule(const struct rule *r, const struct backoff *b,
                     char out[BACKOFF_TEXT_MAX])
{
  add_word(out, r->name);
  add_ms(out, ":", b->base_ms);
  if (r->factor)
    add_factor(out, b->factor);
  if (r->max && b->max_ms != BACKOFF_LONGEST_MS)
    add_ms(out, ",max=", b->max_ms);
  if (r->jitter && b->jitter != BACKOFF_FULL) {
    add_word(out, ",jitter=");
    add_word(out, jitters[b->jitter]);
  }
}

void backoff_text(const struct backoff *b, char out[BACKOFF_TEXT_MAX])
{
  out[0] = '\0';
  for (size_t i = 0; i < N_RULES; i++)
    if (rules[i].shape == b->shape)
      add_rule(&rules[i], b, out);
  if (b->shape != BACKOFF_LIST)
    return;
  add_word(out, jitters[b->jitter]);
  for (int i = 0; i < b->n; i++)
    add_ms(out, i ? "," : ":", b->list_ms[i]);
}
