/* SPDX-License-Identifier: MIT
 *
 * t_target - cloud/target as commands.
 */
#include "cloud/target.h"
#include "tool.h"

/* ADDRESS as scheme, bucket and key, or why not. */
static void target_line(const struct buf *in, struct buf *out)
{
  struct target t = {0};
  struct error e = {0};
  enum err err = target_parse(buf_str(in), &t, &e);
  if (err != ERR_OK) {
    say(out, "%s: %s%s", err_name(err), e.msg, t.bucket ? " (touched)" : "");
    return;
  }
  if (t.account)
    say(out, "%s [%s] [%s] [%s]", t.scheme, t.account, t.bucket, t.key);
  else
    say(out, "%s [%s] [%s]%s", t.scheme, t.bucket, t.key,
        target_bucket_is_label(t.bucket) ? " label" : "");
  target_release(&t);
}

/* "URL FILE": the key that FILE gets. */
static void target_complete_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  struct target t = {0};
  struct error e = {0};
  field(&rest, &part, false);
  must(target_parse(buf_str(&part), &t, &e));
  field(&rest, &part, true);
  enum err err = target_complete(&t, buf_str(&part), &e);
  say(out, "%s", err == ERR_OK ? t.key : e.msg);
  target_release(&t);
  buf_release(&part);
}

const struct command target_commands[] = {
    {"target", target_line, false},
    {"target-complete", target_complete_line, true},
    {NULL, NULL, false},
};
