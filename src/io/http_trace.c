/* SPDX-License-Identifier: MIT
 *
 * http_trace - see http_trace.h.
 */
#include "io/http_trace.h"

#include <string.h>

#include "base/codec.h"

/* Cut behind this: the rest may be used by whoever reads it. */
static size_t public_part(const char *line, size_t len)
{
  static const struct {
    const char *header, *from;
    bool unless; /* without FROM there is nothing to hide */
  } secrets[] = {
      {"authorization:", "Signature=", false},
      {"proxy-authorization:", ":", false},
      {"location:", "upload_id=", true},
      {"x-guploader-uploadid:", ":", false},
  };
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    size_t name = strlen(secrets[i].header), from = strlen(secrets[i].from);
    if (!codec_starts_nocase(line, len, secrets[i].header))
      continue;
    const char *hit = memmem(line, len, secrets[i].from, from);
    if (!hit && secrets[i].unless)
      return len;
    return hit ? (size_t)(hit - line) + from : name;
  }
  return len;
}

static void say_line(const struct log *log, const char *mark, const char *line,
                     size_t len)
{
  size_t shown = public_part(line, len);
  log_line(log, "%s%.*s%s", mark, (int)shown, line,
           shown < len ? "REDACTED" : "");
}

void http_trace(const struct log *log, curl_infotype type, const char *data,
                size_t len)
{
  const char *mark = type == CURLINFO_TEXT         ? "* "
                     : type == CURLINFO_HEADER_OUT ? "> "
                     : type == CURLINFO_HEADER_IN  ? "< "
                                                   : NULL;
  while (mark && len) {
    const char *end = memchr(data, '\n', len);
    size_t line = end ? (size_t)(end - data) : len;
    size_t used = line && data[line - 1] == '\r' ? line - 1 : line;
    say_line(log, mark, data, used);
    line += end != NULL;
    data += line;
    len -= line;
  }
}
