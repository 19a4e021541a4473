/* SPDX-License-Identifier: MIT
 *
 * t_quirk - cloud/quirk as a command.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "cloud/quirk.h"
#include "tool.h"

static const char *condition_name(enum quirk_condition c)
{
  static const char *const names[] = {[QUIRK_OBEYED] = "obeyed",
                                      [QUIRK_IGNORED] = "ignored",
                                      [QUIRK_REFUSED] = "refused"};
  return names[c];
}

/* "HOST" or "name=STORE" */
static void quirk_line(const struct buf *in, struct buf *out)
{
  const char *s = buf_str(in);
  const struct quirk *q = codec_starts_with(s, "name=")
                              ? quirk_named(s + strlen("name="))
                              : quirk_of_host(s);
  if (!q) {
    say(out, "none");
    return;
  }
  say(out, "%s %s put=%s complete=%s", q->name,
      q->style == QUIRK_VIRTUAL ? "virtual" : "path", condition_name(q->put),
      condition_name(q->complete));
  if (q->no_parts)
    say(out, " no-parts");
  if (q->equal_parts)
    say(out, " equal-parts");
  if (q->usual_part)
    say(out, " part=%" PRIu64, q->usual_part);
  if (q->max_parts)
    say(out, " parts=%u", q->max_parts);
  if (q->max_object)
    say(out, " object=%" PRIu64, q->max_object);
}

const struct command quirk_commands[] = {
    {"quirk", quirk_line, false},
    {NULL, NULL, false},
};
