/* SPDX-License-Identifier: MIT
 *
 * t_fuzz - the properties of fuzz.c as commands: "ok" for each line.
 */
#include "fuzz.h"
#include "tool.h"

static void run(void (*property)(const char *, size_t), const struct buf *in,
                struct buf *out)
{
  property(buf_str(in), in->len);
  say(out, "ok");
}

static void codec_line(const struct buf *in, struct buf *out)
{
  run(fuzz_codec, in, out);
}

static void date_line(const struct buf *in, struct buf *out)
{
  run(fuzz_date, in, out);
}

static void ini_line(const struct buf *in, struct buf *out)
{
  run(fuzz_ini, in, out);
}

static void plan_line(const struct buf *in, struct buf *out)
{
  run(fuzz_plan, in, out);
}

static void reply_line(const struct buf *in, struct buf *out)
{
  run(fuzz_reply, in, out);
}

static void retry_line(const struct buf *in, struct buf *out)
{
  run(fuzz_retry, in, out);
}

static void state_line(const struct buf *in, struct buf *out)
{
  run(fuzz_state, in, out);
}

static void target_line(const struct buf *in, struct buf *out)
{
  run(fuzz_target, in, out);
}

static void uri_line(const struct buf *in, struct buf *out)
{
  run(fuzz_uri, in, out);
}

static void xml_line(const struct buf *in, struct buf *out)
{
  run(fuzz_xml, in, out);
}

const struct command fuzz_commands[] = {
    {"fuzz-codec", codec_line, false},
    {"fuzz-date", date_line, false},
    {"fuzz-ini", ini_line, false},
    {"fuzz-plan", plan_line, false},
    {"fuzz-reply", reply_line, false},
    {"fuzz-retry", retry_line, false},
    {"fuzz-state", state_line, false},
    {"fuzz-target", target_line, false},
    {"fuzz-uri", uri_line, false},
    {"fuzz-xml", xml_line, false},
    {NULL, NULL, false},
};
