/* SPDX-License-Identifier: MIT
 *
 * t_continue - what an upload is continued by, as commands: pages of parts,
 * lines of facts.
 */
#include <inttypes.h>

#include "cloud/xmlapi.h"
#include "io/note.h"
#include "tool.h"

static void say_part(void *ctx, const struct listed_part *p)
{
  say(ctx, "%u:%s:%" PRIu64 " ", p->number, p->etag, p->size);
}

/* A body: its parts, then what follows. */
static void parts_page_line(const struct buf *in, struct buf *out)
{
  struct parts_page page = {0};
  bool ok = xmlapi_parts(buf_str(in), in->len, say_part, out, &page);
  if (!ok)
    say(out, "no page");
  else if (page.more)
    say(out, "more behind %u", page.marker);
  else
    say(out, "end");
}

static void content_range_line(const struct buf *in, struct buf *out)
{
  uint64_t first = 0, last = 0, total = 0;
  if (xmlapi_content_range(buf_str(in), &first, &last, &total))
    say(out, "%" PRIu64 " %" PRIu64 " %" PRIu64, first, last, total);
  else
    say(out, "no");
}

/* A line: its facts, written again. */
static void note_line(const struct buf *in, struct buf *out)
{
  struct kv facts = {0};
  if (!note_read(buf_str(in), in->len, &facts))
    say(out, "no facts");
  else
    must(note_write(out, &facts));
  kv_release(&facts);
}

const struct command continue_commands[] = {
    {"parts-page", parts_page_line, false},
    {"content-range", content_range_line, false},
    {"note", note_line, false},
    {NULL, NULL, false},
};
