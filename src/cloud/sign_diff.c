/* SPDX-License-Identifier: MIT
 *
 * sign_diff - see sign_diff.h.
 */
#include "cloud/sign_diff.h"

#include <stdbool.h>
#include <string.h>

#include "base/codec.h"

/* How much of each side is quoted, from a little before the difference. */
enum { BEFORE = 12, QUOTED = 40 };

struct place {
  size_t line, column;       /* from 1 */
  const char *ours, *theirs; /* from the difference on */
};

/* A carriage return before a newline is the document's, not the text's. */
static bool is_break(const char *s)
{
  return s[0] == '\r' && s[1] == '\n';
}

/* False when both are the same; blank space at the end is no difference. */
static bool find(const char *ours, const char *theirs, struct place *at)
{
  *at = (struct place){1, 1, ours, theirs};
  for (;;) {
    at->theirs += is_break(at->theirs);
    if (*at->ours != *at->theirs)
      break;
    if (!*at->ours)
      return false;
    at->column++;
    if (*at->ours == '\n') {
      at->line++;
      at->column = 1;
    }
    at->ours++;
    at->theirs++;
  }
  return at->ours[strspn(at->ours, "\r\n ")] ||
         at->theirs[strspn(at->theirs, "\r\n ")];
}

static bool names_secret(const char *line)
{
  static const char *const words[] = {"token", "key", "secret", "password"};
  size_t len = strcspn(line, "\n"), name = strcspn(line, ":\n");
  if (codec_find_nocase(line, len, "security-token="))
    return true;
  for (size_t i = 0; line[name] == ':' && i < sizeof words / sizeof *words; i++)
    if (codec_find_nocase(line, name, words[i]))
      return true;
  return false;
}

static const char *next_line(const char *line)
{
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

/* A server may show a value of ours under any name. */
static bool holds_value(const char *line, const char *ours)
{
  enum { SHORTEST = 8 };
  size_t line_len = strcspn(line, "\r\n");
  for (; *ours; ours = next_line(ours)) {
    const char *value = ours + strcspn(ours, ":\n");
    size_t len = *value == ':' ? strcspn(++value, "\n") : 0;
    if (len >= SHORTEST && names_secret(ours) &&
        memmem(line, line_len, value, len))
      return true;
  }
  return false;
}

/* Part of a token would pass the scrubber, which knows only the whole. */
static bool is_secret(const char *line, const char *ours)
{
  return names_secret(line) || holds_value(line, ours);
}

static enum err add_quote(struct buf *out, const char *who, const char *at,
                          size_t before)
{
  const char *from = at - before;
  size_t len = strcspn(from, "\r\n");
  return buf_addf(out, "%s '%.*s'", who, (int)(len < QUOTED ? len : QUOTED),
                  from);
}

/* CANONICAL is our canonical request. */
static enum err tell(const struct place *at, const char *what,
                     const char *canonical, struct buf *out)
{
  size_t before = at->column - 1 < BEFORE ? at->column - 1 : BEFORE;
  enum err err =
      buf_addf(out, "the server's %s differs from ours in line %zu, column %zu",
               what, at->line, at->column);
  if (err || is_secret(at->ours - (at->column - 1), canonical) ||
      is_secret(at->theirs - (at->column - 1), canonical))
    return err;
  err = add_quote(out, ": ours has", at->ours, before);
  return err ? err : add_quote(out, ", its", at->theirs, before);
}

enum err sign_diff(const struct sign_trace *ours, const char *canonical,
                   const char *string, struct buf *out)
{
  struct place at;
  const char *signed_text = buf_str(&ours->canonical_request);
  if (canonical && *canonical && find(signed_text, canonical, &at))
    return tell(&at, "canonical request", signed_text, out);
  if (string && *string && find(buf_str(&ours->string_to_sign), string, &at))
    return tell(&at, "string to sign", signed_text, out);
  if ((canonical && *canonical) || (string && *string))
    return buf_adds(out, "the server signed the same text: the secret key is "
                         "not the one that belongs to the key id");
  return ERR_OK;
}
