/* SPDX-License-Identifier: MIT
 *
 * t_codec - base/codec as commands: numbers, sizes, durations, escapes, UTF-8.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "tool.h"

static void u64_line(const struct buf *in, struct buf *out)
{
  uint64_t value;
  if (codec_u64(buf_str(in), 0, UINT64_MAX, &value))
    say(out, "%" PRIu64, value);
  else
    say(out, "no");
}

/* "MIN MAX TEXT" */
static void range_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  uint64_t limits[2] = {0, 0};
  uint64_t value;
  for (int i = 0; i < 2; i++)
    if (!field(&rest, &part, false) ||
        !codec_u64(buf_str(&part), 0, UINT64_MAX, &limits[i]))
      bad_line();
  bool ok = field(&rest, &part, true) &&
            codec_u64(buf_str(&part), limits[0], limits[1], &value);
  say_bool(out, ok);
  buf_release(&part);
}

static void size_line(const struct buf *in, struct buf *out)
{
  uint64_t value;
  if (codec_size(buf_str(in), &value))
    say(out, "%" PRIu64, value);
  else
    say(out, "no");
}

static void ms_line(bool (*parse)(const char *, int64_t *),
                    const struct buf *in, struct buf *out)
{
  int64_t value;
  if (parse(buf_str(in), &value))
    say(out, "%" PRId64, value);
  else
    say(out, "no");
}

static void duration_line(const struct buf *in, struct buf *out)
{
  ms_line(codec_duration_ms, in, out);
}

static void epoch_line(const struct buf *in, struct buf *out)
{
  ms_line(codec_epoch_ms, in, out);
}

static void bool_line(const struct buf *in, struct buf *out)
{
  bool value;
  if (codec_bool(buf_str(in), &value))
    say(out, "%s", value ? "true" : "false");
  else
    say(out, "neither");
}

static void hex_line(const struct buf *in, struct buf *out)
{
  must(codec_hex(out, buf_str(in), in->len));
}

static void percent_line(const struct buf *in, struct buf *out)
{
  must(codec_percent(out, buf_str(in), in->len, false));
}

static void percent_path_line(const struct buf *in, struct buf *out)
{
  must(codec_percent(out, buf_str(in), in->len, true));
}

static void unpercent_line(const struct buf *in, struct buf *out)
{
  must(codec_unpercent(out, buf_str(in), in->len));
}

/* The lengths of the sequences, one by one; 0 where none begins. */
static void utf8_line(const struct buf *in, struct buf *out)
{
  say(out, "%s", codec_is_utf8(buf_str(in), in->len) ? "valid" : "invalid");
  for (size_t at = 0; at < in->len;) {
    size_t n = codec_utf8_len(buf_str(in) + at, in->len - at);
    say(out, " %zu", n);
    at += n > 0 ? n : 1;
  }
}

static void utf8_clean_line(const struct buf *in, struct buf *out)
{
  must(codec_utf8_clean(out, buf_str(in), in->len));
}

static void json_visible_line(const struct buf *in, struct buf *out)
{
  must(codec_json_visible(out, buf_str(in)));
}

static void visible_line(const struct buf *in, struct buf *out)
{
  must(codec_visible(out, buf_str(in), in->len));
}

/* "A B": does A equal B without case, start with it, begin with it without
 * case, end with it, and where behind the beginning is it, without case? */
static void affix_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf a = {0};
  struct buf b = {0};
  field(&rest, &a, false);
  field(&rest, &b, true);
  const char *s = buf_str(&a);
  const char *t = buf_str(&b);
  const char *hit = codec_find_nocase(s, a.len, t);
  say(out, "%s%s%s", codec_equal_nocase(s, t) ? "equal " : "",
      codec_starts_with(s, t)            ? "starts "
      : codec_starts_nocase(s, a.len, t) ? "begins "
                                         : "",
      codec_ends_with(s, t) ? "ends " : "");
  if (hit && hit != s && *t)
    say(out, "at %zu", (size_t)(hit - s));
  while (out->len > 0 && out->data[out->len - 1] == ' ')
    buf_cut(out, out->len - 1);
  buf_release(&a);
  buf_release(&b);
}

const struct command codec_commands[] = {
    {"u64", u64_line, false},
    {"u64-range", range_line, true},
    {"size", size_line, false},
    {"duration", duration_line, false},
    {"epoch", epoch_line, false},
    {"bool", bool_line, false},
    {"hex", hex_line, false},
    {"percent", percent_line, false},
    {"percent-path", percent_path_line, false},
    {"unpercent", unpercent_line, false},
    {"utf8", utf8_line, false},
    {"utf8-clean", utf8_clean_line, false},
    {"visible", visible_line, false},
    {"json-visible", json_visible_line, false},
    {"affix", affix_line, true},
    {NULL, NULL, false},
};
