/* SPDX-License-Identifier: MIT
 *
 * summary - see summary.h.
 */
#include "flow/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"

/* The same name twice is one value, joined as HTTP has it. */
static enum err keep_one(struct kv *kv, const char *name, const char *value)
{
  const char *old = kv_get(kv, name);
  struct buf joined = {0};
  if (!old)
    return kv_add(kv, name, value, NULL);
  enum err err = buf_addf(&joined, "%s, %s", old, value);
  if (!err)
    err = kv_set(kv, name, buf_str(&joined), NULL);
  buf_release(&joined);
  return err;
}

static enum err keep_metadata(struct summary *s, const struct job *j)
{
  const char *prefix = j->engine->provider->meta_prefix;
  size_t len = strlen(prefix);
  enum err err = ERR_OK;
  for (size_t i = 0; i < j->headers.n && !err; i++) {
    const struct kv_pair *p = &j->headers.pairs[i];
    if (codec_starts_nocase(p->name, strlen(p->name), prefix) && p->name[len])
      err = keep_one(&s->metadata, p->name + len, p->value);
  }
  return err;
}

enum err summary_of_job(struct summary *s, const struct job *j)
{
  s->end = j->end;
  s->why = j->why;
  s->error = j->error;
  s->result = j->result;
  s->throttled = j->throttled;
  s->throttled_s = j->throttled_s;
  s->open_left_ms = j->open_left_ms;
  return s->facts ? keep_metadata(s, j) : ERR_OK;
}

void summary_dry_run(struct summary *s, struct engine *e, struct job *j)
{
  s->dry_run = true;
  s->end = engine_dry_run(e, j, &s->error);
  if (!s->end && message_url(&s->url, &j->request))
    s->end = err_set(&s->error, ERR_INTERNAL, "out of memory");
}

void summary_checksum(struct summary *s, enum hash_alg alg,
                      const unsigned char *digest)
{
  struct buf hex = {0};
  if (!codec_hex(&hex, digest, hash_len(alg)))
    snprintf(s->checksum, sizeof s->checksum, "%s:%s", hash_name(alg),
             buf_str(&hex));
  buf_release(&hex);
}

/* As all times of a report; a date that cannot be read is unknown. */
static void tell_date(struct report_line *l, enum report_field f,
                      const char *http_date, int64_t now_wall_ms)
{
  char iso[DATE_MAX];
  int64_t s;
  if (!date_parse_http(http_date, now_wall_ms, &s))
    return;
  date_iso_ms(s * 1000, iso);
  report_text(l, f, iso);
}

static void tell_object(struct report_line *l, const struct summary *s,
                        int64_t now_wall_ms)
{
  const struct op_result *r = &s->result;
  if (s->has_bytes)
    report_number(l, REPORT_BYTES, (int64_t)s->bytes);
  report_text(l, REPORT_ETAG, r->etag);
  report_text(l, REPORT_VERSION_ID, r->version_id);
  report_text(l, REPORT_CHECKSUM, s->checksum);
  if (!s->facts)
    return;
  report_number(l, REPORT_SIZE, r->has_size ? (int64_t)r->size : -1);
  tell_date(l, REPORT_LAST_MODIFIED, r->last_modified, now_wall_ms);
  report_text(l, REPORT_STORAGE_CLASS, r->storage_class);
  report_map(l, REPORT_METADATA, &s->metadata);
}

static void tell_place(struct report_line *l, const struct engine *e)
{
  if (!e->target)
    return;
  report_text(l, REPORT_ACCOUNT, e->target->account);
  report_text(l, REPORT_BUCKET, e->target->bucket);
  report_key(l, e->target->key);
}

static void tell_upload(struct report_line *l, const struct summary *s)
{
  report_text(l, REPORT_SETTLED, s->settled);
  report_text(l, REPORT_CONFIRMED_BY, s->confirmed_by);
  if (s->unguarded)
    report_flag(l, REPORT_GUARDED, false);
  report_text(l, REPORT_LEFTOVER, s->leftover);
  report_text(l, REPORT_UPLOAD_ID, s->upload_id);
  if (s->has_resumed)
    report_number(l, REPORT_RESUMED_FROM, (int64_t)s->resumed_from);
  if (s->has_aborted)
    report_flag(l, REPORT_ABORTED, s->aborted);
  if (s->has_producer_exit)
    report_number(l, REPORT_PRODUCER_EXIT, s->producer_exit);
}

void summary_tell(const struct summary *s, const struct engine *e,
                  struct report *r, int exit_status, struct now now)
{
  struct report_line l = report_begin(r, REPORT_EVENT_RESULT, now.wall_ms);
  report_flag(&l, REPORT_OK, err_is_success(s->end));
  report_number(&l, REPORT_EXIT, exit_status);
  report_text(&l, REPORT_OUTCOME, err_name(s->end));
  if (!err_is_success(s->end))
    report_text(&l, REPORT_MESSAGE, s->error.msg);
  report_text(&l, REPORT_WHY, s->why);
  if (s->dry_run)
    report_flag(&l, REPORT_DRY_RUN, true);
  report_text(&l, REPORT_FILE, s->file);
  report_text(&l, REPORT_URL, buf_str(&s->url));
  if (s->parts) {
    report_number(&l, REPORT_PARTS, s->parts);
    report_number(&l, REPORT_PART_SIZE, (int64_t)s->part_size);
  }
  if (e->provider)
    report_text(&l, REPORT_PROVIDER, e->provider->name);
  tell_place(&l, e);
  tell_object(&l, s, now.wall_ms);
  report_number(&l, REPORT_ATTEMPTS, (int64_t)e->attempts);
  report_number(&l, REPORT_RETRIES, (int64_t)e->retries);
  report_number(&l, REPORT_REPAIRS, (int64_t)e->repairs);
  report_number(&l, REPORT_THROTTLED_SECONDS,
                s->throttled ? s->throttled_s : -1);
  report_number(&l, REPORT_WAIT_MS,
                s->end == ERR_BREAKER_OPEN ? s->open_left_ms : -1);
  tell_upload(&l, s);
  report_number(&l, REPORT_ELAPSED_MS, now.mono_ms - e->start_mono_ms);
  report_number(&l, REPORT_WAITED_MS, e->waited_ms);
  report_end(&l);
}

void summary_release(struct summary *s)
{
  kv_release(&s->metadata);
  buf_release(&s->url);
}
