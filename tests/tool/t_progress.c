/* SPDX-License-Identifier: MIT
 *
 * t_progress - flow/progress's pure parts as commands: "progress COLUMNS KEY
 * DONE TOTAL|- RATE ATTEMPT OF WAIT [WHY]" and "progress-rate OLD BYTES MS".
 */
#include <string.h>

#include "base/codec.h"
#include "flow/progress.h"
#include "tool.h"

static int64_t next_number(const char **rest)
{
  struct buf word = {0};
  uint64_t n = 0;
  bool minus, ok = field(rest, &word, false);
  minus = ok && buf_str(&word)[0] == '-';
  if (!ok || (!minus && !codec_u64(buf_str(&word), 0, INT64_MAX, &n)))
    bad_line();
  buf_release(&word);
  return minus ? -1 : (int64_t)n;
}

static void progress_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf key = {0}, why = {0};
  struct progress_view v = {0};
  size_t columns = (size_t)next_number(&rest);
  field(&rest, &key, false);
  v.key = buf_str(&key);
  v.done = (uint64_t)next_number(&rest);
  int64_t total = next_number(&rest);
  v.has_total = total >= 0;
  v.total = v.has_total ? (uint64_t)total : 0;
  double rate = (double)next_number(&rest);
  v.attempt = (uint64_t)next_number(&rest);
  v.of = (uint64_t)next_number(&rest);
  v.wait_ms = next_number(&rest);
  field(&rest, &why, true);
  v.why = buf_str(&why);
  must(progress_words(&v, rate, columns, out));
  buf_release(&key);
  buf_release(&why);
}

static void rate_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  double old = (double)next_number(&rest);
  uint64_t bytes = (uint64_t)next_number(&rest);
  say(out, "%.0f", progress_rate(old, bytes, next_number(&rest)));
}

const struct command progress_commands[] = {
    {"progress", progress_line, true},
    {"progress-rate", rate_line, true},
    {NULL, NULL, false},
};
