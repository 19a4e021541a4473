/* SPDX-License-Identifier: MIT
 *
 * t_result - operations by their names, and what a provider read in an answer,
 * in words.
 */
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "cloud/provider.h"
#include "tool.h"

int find_op(const char *name)
{
  for (int i = 0; i < OP_COUNT; i++)
    if (strcmp(op_name((enum op)i), name) == 0)
      return i;
  bad_line();
}

static void say_text(struct buf *out, const char *name, const char *value)
{
  if (value[0] != '\0')
    say(out, " %s=%s", name, value);
}

void say_result(const struct op_result *r, struct buf *out)
{
  if (r->answered)
    say(out, " answered");
  if (r->gone)
    say(out, " gone");
  say_text(out, "code", r->code);
  say_text(out, "message", r->message);
  say_text(out, "id", r->request_id);
  say_text(out, "etag", r->etag);
  say_text(out, "version", r->version_id);
  say_text(out, "class", r->storage_class);
  say_text(out, "modified", r->last_modified);
  say_text(out, "region", r->region);
  say_text(out, "location", r->location);
  say_text(out, "upload", r->upload_id);
  say_text(out, "page", r->next_page);
  say_text(out, "account", r->account);
  if (r->composite.present) {
    say(out, " %s=", hash_name(r->composite.alg));
    must(codec_hex(out, r->composite.digest, hash_len(r->composite.alg)));
    say(out, "-%" PRIu64, r->composite.parts);
  }
  if (r->has_size)
    say(out, " size=%" PRIu64, r->size);
  if (r->has_persisted)
    say(out, " persisted=%" PRIu64, r->persisted);
  if (r->transformed)
    say(out, " transformed");
  if (r->min_wait_ms)
    say(out, " wait=%" PRId64, r->min_wait_ms);
  for (int i = 0; i < HASH_ALG_COUNT; i++) {
    if (!r->checksums[i].present)
      continue;
    say(out, " %s=", hash_name((enum hash_alg)i));
    must(codec_hex(out, r->checksums[i].digest, hash_len((enum hash_alg)i)));
  }
}
