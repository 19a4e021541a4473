/* SPDX-License-Identifier: MIT
 *
 * opt_near - see opt_near.h.
 */
#include "cli/opt_near.h"

#include <string.h>

/* Longer names are none of ours, nor near one. */
enum { MOST = 32, LEAST = 3 };

/* What curl, aws and rclone call it. */
static const struct {
  const char *theirs, *ours;
} words[] = {
    {"retry", "retries"},           {"max-attempts", "retries"},
    {"max-time", "deadline"},       {"retry-max-time", "deadline"},
    {"timeout", "timeout-ms"},      {"speed-time", "stall-timeout"},
    {"bwlimit", "limit-rate"},      {"transfers", "parallel"},
    {"no-sign-request", "no-sign"}, {"no-verify-ssl", "insecure"},
    {"ca-bundle", "cacert"},        {"quiet", "silent"},
    {"debug", "verbose"},           {"dryrun", "dry-run"},
};

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Letters to put in, take out or change. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t row[MOST + 1];
  for (size_t k = 0; k <= b_len; k++)
    row[k] = k;
  for (size_t i = 1; i <= a_len; i++) {
    size_t before = row[0];
    row[0] = i;
    for (size_t k = 1; k <= b_len; k++) {
      size_t change = before + (a[i - 1] != b[k - 1]);
      before = row[k];
      row[k] = least(change, least(row[k], row[k - 1]) + 1);
    }
  }
  return row[b_len];
}

/* More is another word. */
static bool is_near(const char *name, size_t len, const char *ours, size_t far)
{
  size_t ours_len = strlen(ours), shorter = least(len, ours_len);
  return far <= (len < 4 ? 1 : (len + 1) / 4) ||
         (shorter >= LEAST && memcmp(name, ours, shorter) == 0);
}

static const char *foreign(const char *name, size_t len)
{
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].theirs) == len &&
        memcmp(words[i].theirs, name, len) == 0)
      return words[i].ours;
  return NULL;
}

const char *opt_near(const char *name, size_t len, enum opt_programs program)
{
  const char *best = foreign(name, len);
  size_t best_far = MOST;
  if (best)
    return opt_find(best, strlen(best), (int)program) >= 0 ? best : NULL;
  for (size_t i = 0; i < OPT_COUNT && len < MOST; i++) {
    const char *ours = opt_rows[i].long_name;
    size_t far = distance(name, len, ours, strlen(ours));
    if (!(opt_rows[i].programs & program) || far >= best_far ||
        !is_near(name, len, ours, far))
      continue;
    best = ours;
    best_far = far;
  }
  return best;
}
