/* SPDX-License-Identifier: MIT
 *
 * upload_journal - see upload_journal.h.
 *
 * A version line, a line of facts, a line for the upload, then one a part.
 * The facts are compared as texts; device and inode are told to a person only,
 * since they change where the bytes do not (a mount, a copy), and every byte
 * that counts is read again anyway.
 */
#include "flow/upload_journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/settle.h"

#define FORMAT "1"

/* ---- what the upload is ---- */

static enum err add_encoded(struct kv *facts, const char *name,
                            const char *value)
{
  struct buf text = {0};
  enum err err = codec_percent(&text, value, strlen(value), true);
  if (!err)
    err = kv_add(facts, name, buf_str(&text), NULL);
  buf_release(&text);
  return err;
}

static enum err add_source(struct kv *facts, const char *path,
                           const struct file_source *f)
{
  const struct stat *st = &f->first;
  char *real = realpath(path, NULL);
  enum err err = add_encoded(facts, "path", real ? real : path);
  free(real);
  if (!err)
    err = kv_addf(facts, NULL, "device", "%ju", (uintmax_t)st->st_dev);
  if (!err)
    err = kv_addf(facts, NULL, "inode", "%ju", (uintmax_t)st->st_ino);
  if (!err)
    err = kv_addf(facts, NULL, "size", "%" PRIu64, f->size);
  return err ? err
             : kv_addf(facts, NULL, "mtime", "%jd.%09ld",
                       (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static enum err add_target(struct kv *facts, const struct engine *e)
{
  struct buf place = {0};
  enum err err = buf_adds(&place, e->site.base.https ? "https://" : "http://");
  if (!err)
    err = uri_authority(&place, &e->site.base);
  if (!err)
    err = buf_adds(&place, e->site.base.path);
  if (!err)
    err = kv_add(facts, "endpoint", buf_str(&place), NULL);
  if (!err)
    err = kv_add(facts, "bucket", e->target->bucket, NULL);
  buf_release(&place);
  return err ? err : add_encoded(facts, "key", e->target->key);
}

static enum err digest_pairs(struct buf *text, const struct kv *kv,
                             const char *mark)
{
  enum err err = ERR_OK;
  for (size_t i = 0; kv && i < kv->n && !err; i++)
    if (strcmp(kv->pairs[i].name, SETTLE_NONCE) != 0)
      err = buf_addf(text, "%s%s: %s\n", mark, kv->pairs[i].name,
                     kv->pairs[i].value);
  return err;
}

/* What is said when an upload begins; its conditions are said at its end.  A
 * digest, since headers may be secret. */
static enum err add_options(struct kv *facts, const struct object_options *o)
{
  const char *texts[] = {o->content_type, o->storage_class, o->sse};
  struct buf text = {.secret = true};
  char hex[2 * HASH_MAX_LEN + 1];
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && !err; i++)
    err = buf_addf(&text, "%s\n", texts[i] ? texts[i] : "");
  if (!err)
    err = digest_pairs(&text, o->metadata, "+");
  if (!err)
    err = digest_pairs(&text, o->headers, "");
  if (!err && o->has_checksum)
    err = buf_addf(&text, "=%s\n", hash_name(o->checksum));
  if (!err)
    err = hash_sha256_hex(buf_str(&text), text.len, hex);
  buf_release(&text);
  return err ? err : kv_add(facts, "options", hex, NULL);
}

enum err upload_journal_facts(struct kv *facts, const struct engine *e,
                              const struct put_wish *w,
                              const struct upload_source *source,
                              const struct plan *plan)
{
  enum err err = add_source(facts, w->path, source->file);
  if (!err)
    err = add_target(facts, e);
  if (!err)
    err = add_options(facts, e->options);
  return err ? err : kv_addf(facts, NULL, "part_size", "%" PRIu64, plan->first);
}

/* One journal a file and target. */
enum err upload_journal_name(const struct kv *facts, char hex[65])
{
  static const char *const names[] = {"endpoint", "bucket", "key", "path"};
  struct buf text = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names && !err; i++)
    err = buf_addf(&text, "%s\n", kv_get(facts, names[i]));
  if (!err)
    err = hash_sha256_hex(buf_str(&text), text.len, hex);
  buf_release(&text);
  return err;
}

/* ---- does the journal fit ---- */

struct misfit {
  const char *fact;
  struct upload_misfit is;
};

static const struct misfit misfits[] = {
    {"path", {"journal_other_target", "is of another file"}},
    {"endpoint", {"journal_other_target", "is of another object"}},
    {"bucket", {"journal_other_target", "is of another object"}},
    {"key", {"journal_other_target", "is of another object"}},
    {"size", {"journal_other_source", "the file has another size since"}},
    {"mtime", {"journal_other_source", "the file was changed since"}},
    {"options",
     {"journal_other_options", "the object was to have other properties"}},
    {"part_size", {"journal_other_parts", "the parts had another size"}},
};

static const struct upload_misfit damaged = {"journal_damaged", "is damaged"};
static const struct upload_misfit other_version = {"journal_version",
                                                   "is of another version"};

static bool is_version(const struct kv *line)
{
  return line->n == 1 && kv_get(line, "ank_upload");
}

const struct upload_misfit *upload_journal_compare(const struct kv *ours,
                                                   const struct kv *theirs)
{
  for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
    const char *a = kv_get(ours, misfits[i].fact);
    const char *b = kv_get(theirs, misfits[i].fact);
    if (!b)
      return &damaged;
    if (strcmp(a, b) != 0)
      return &misfits[i].is;
  }
  return NULL;
}

static bool take_text(char *to, size_t room, const char *from)
{
  int n = from ? snprintf(to, room, "%s", from) : 0;
  return n > 0 && (size_t)n < room;
}

static bool read_digest(const char *hex, unsigned char out[32])
{
  if (!hex || strspn(hex, "0123456789abcdef") != 64 || hex[64])
    return false;
  for (size_t i = 0; i < 32; i++)
    out[i] = (unsigned char)(codec_hex_digit(hex[2 * i]) * 16 +
                             codec_hex_digit(hex[2 * i + 1]));
  return true;
}

/* A line that cannot be read costs its part alone. */
static enum err take_part(struct upload_state *u, const struct kv *line,
                          unsigned most)
{
  const char *text = kv_get(line, "part");
  struct upload_part p = {0};
  uint64_t number;
  if (!text || !codec_u64(text, 1, most, &number) ||
      !take_text(p.etag, sizeof p.etag, kv_get(line, "etag")) ||
      !read_digest(kv_get(line, "sha256"), p.sha256))
    return ERR_OK;
  p.number = (unsigned)number;
  return upload_note_part(u, &p, NULL);
}

/* The id is read whatever the facts are: the upload may have to be dropped. */
static const struct upload_misfit *read_head(const struct journal *j,
                                             size_t *pos, const struct kv *ours,
                                             struct upload_state *u)
{
  struct kv version = {0}, facts = {0}, upload = {0};
  const struct upload_misfit *misfit = &damaged;
  if (journal_next(j, pos, &version) && is_version(&version)) {
    misfit = &other_version;
    if (strcmp(kv_get(&version, "ank_upload"), FORMAT) == 0)
      misfit = !journal_next(j, pos, &facts) || !journal_next(j, pos, &upload)
                   ? &damaged
                   : upload_journal_compare(ours, &facts);
  }
  if ((!take_text(u->id, sizeof u->id, kv_get(&upload, "upload_id")) ||
       !take_text(u->nonce, sizeof u->nonce, kv_get(&upload, "nonce"))) &&
      !misfit)
    misfit = &damaged;
  kv_release(&version);
  kv_release(&facts);
  kv_release(&upload);
  return misfit;
}

enum err upload_journal_read(const struct journal *j, const struct kv *ours,
                             const struct plan *plan, struct upload_state *u,
                             const struct upload_misfit **misfit)
{
  size_t pos = 0;
  struct kv line = {0};
  enum err err = ERR_OK;
  *misfit = read_head(j, &pos, ours, u);
  while (!*misfit && !err && journal_next(j, &pos, &line)) {
    err = take_part(u, &line, plan_count(plan));
    kv_clear(&line);
  }
  kv_release(&line);
  return err;
}

/* ---- writing ---- */

bool upload_journal_begin(struct journal *j, const struct kv *facts,
                          const struct upload_state *u)
{
  struct kv version = {0}, upload = {0};
  bool ok = journal_clear(j) && !kv_add(&version, "ank_upload", FORMAT, NULL) &&
            !kv_add(&upload, "upload_id", u->id, NULL) &&
            !kv_add(&upload, "nonce", u->nonce, NULL) &&
            journal_add(j, &version, false) && journal_add(j, facts, false) &&
            journal_add(j, &upload, true);
  kv_release(&version);
  kv_release(&upload);
  return ok;
}

/* Not synced: what a loss of power takes is sent again. */
bool upload_journal_part(struct journal *j, const struct upload_part *p)
{
  struct kv line = {0};
  struct buf hex = {0};
  bool ok = !codec_hex(&hex, p->sha256, sizeof p->sha256) &&
            !kv_addf(&line, NULL, "part", "%u", p->number) &&
            !kv_add(&line, "etag", p->etag, NULL) &&
            !kv_add(&line, "sha256", buf_str(&hex), NULL) &&
            journal_add(j, &line, false);
  buf_release(&hex);
  kv_release(&line);
  return ok;
}
