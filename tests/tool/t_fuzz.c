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

#define LINE(name)                                               \
  static void name##_line(const struct buf *in, struct buf *out) \
  {                                                              \
    run(fuzz_##name, in, out);                                   \
  }
LINE(codec)
LINE(config)
LINE(date)
LINE(diff)
LINE(header)
LINE(ini)
LINE(plan)
LINE(progress)
LINE(range)
LINE(refused)
LINE(reply)
LINE(retry)
LINE(state)
LINE(target)
LINE(token)
LINE(uri)
LINE(value)
LINE(weburl)
LINE(xml)
#undef LINE

const struct command fuzz_commands[] = {
    {"fuzz-codec", codec_line, false},
    {"fuzz-config", config_line, false},
    {"fuzz-date", date_line, false},
    {"fuzz-diff", diff_line, false},
    {"fuzz-header", header_line, false},
    {"fuzz-ini", ini_line, false},
    {"fuzz-plan", plan_line, false},
    {"fuzz-progress", progress_line, false},
    {"fuzz-range", range_line, false},
    {"fuzz-refused", refused_line, false},
    {"fuzz-reply", reply_line, false},
    {"fuzz-retry", retry_line, false},
    {"fuzz-state", state_line, false},
    {"fuzz-target", target_line, false},
    {"fuzz-token", token_line, false},
    {"fuzz-uri", uri_line, false},
    {"fuzz-value", value_line, false},
    {"fuzz-weburl", weburl_line, false},
    {"fuzz-xml", xml_line, false},
    {NULL, NULL, false},
};
