/* SPDX-License-Identifier: MIT
 *
 * put - see put.h.
 */
#include "flow/put.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "flow/engine_show.h"
#include "io/file.h"

enum { SLICE = 1 << 20 };

struct put {
  struct engine *engine;
  struct file_source source;
  struct job job;
  bool hashed, has_md5;
  unsigned char sha256[HASH_MAX_LEN], md5[HASH_MAX_LEN];
  struct buf sha256_hex, md5_base64;
};

static enum err hash_slices(struct put *p, struct hash *sha, struct hash *md5,
                            char *slice, struct error *e)
{
  for (uint64_t at = 0; at < p->source.size;) {
    enum err err = engine_tick(p->engine, e);
    if (err)
      return err;
    long n = file_source_read(&p->source, at, slice, SLICE, e);
    if (n < 0)
      return ERR_LOCAL;
    if (n == 0)
      return err_set(e, ERR_LOCAL, "%s: became shorter while it was being read",
                     p->source.path);
    if (sha && hash_update(sha, slice, (size_t)n))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    if (md5 && hash_update(md5, slice, (size_t)n))
      return err_set(e, ERR_INTERNAL, "hashing failed");
    at += (uint64_t)n;
    engine_show_work(&p->job, "hashing", at, p->source.size);
  }
  return file_source_check(&p->source, e);
}

/* One pass for whichever digests are still missing. */
static enum err hash_source(struct put *p, bool want_md5, struct error *e)
{
  struct hash sha = {0}, md5 = {0};
  char *slice = malloc(SLICE);
  bool do_sha = !p->hashed, do_md5 = want_md5 && !p->has_md5;
  enum err err = slice ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
  if (!err && ((do_sha && hash_start(&sha, HASH_SHA256)) ||
               (do_md5 && hash_start(&md5, HASH_MD5))))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  if (!err)
    err = hash_slices(p, do_sha ? &sha : NULL, do_md5 ? &md5 : NULL, slice, e);
  if (!err && do_sha) {
    buf_clear(&p->sha256_hex);
    p->hashed = !hash_final(&sha, p->sha256) &&
                !codec_hex(&p->sha256_hex, p->sha256, hash_len(HASH_SHA256));
  }
  if (!err && do_md5)
    p->has_md5 = !hash_final(&md5, p->md5) &&
                 !hash_base64(&p->md5_base64, p->md5, hash_len(HASH_MD5));
  if (!err && (!p->hashed || (want_md5 && !p->has_md5)))
    err = err_set(e, ERR_INTERNAL, "hashing failed");
  hash_release(&sha);
  hash_release(&md5);
  free(slice);
  return err;
}

/* Before the last byte is handed over the file must still be the one that was
 * hashed: without that byte the server publishes nothing. */
static long read_body(void *ctx, uint64_t offset, char *to, unsigned long len)
{
  struct put *p = ctx;
  struct error *e = &p->job.error;
  long n = file_source_read(&p->source, offset, to, len, e);
  if (n >= 0 && n < (long)len)
    err_set(e, ERR_LOCAL, "%s: became shorter while it was being sent",
            p->source.path);
  else if (n >= 0 && offset + (uint64_t)n == p->source.size &&
           file_source_check(&p->source, e))
    return -1;
  return n;
}

static enum err prepare(struct job *j, struct op_args *args, struct error *e)
{
  struct put *p = j->ctx;
  bool want_md5 = p->engine->want_md5;
  enum err err = file_source_check(&p->source, e);
  if (!err && (!p->hashed || (want_md5 && !p->has_md5)))
    err = hash_source(p, want_md5, e);
  args->body = (struct body){
      .present = true, .length = p->source.size, .read = read_body, .ctx = p};
  args->sha256_hex = buf_str(&p->sha256_hex);
  args->md5_base64 = want_md5 ? buf_str(&p->md5_base64) : NULL;
  return err;
}

static bool differs(const struct checksum *told, const unsigned char *ours,
                    size_t len)
{
  return told->present && memcmp(told->digest, ours, len) != 0;
}

static void mismatch(struct job *j)
{
  err_set(&j->error, ERR_INTEGRITY,
          "the server's checksum is not that of the bytes sent");
  j->refusal = (struct refusal){true, CODE_BAD_DIGEST, ERR_INTEGRITY,
                                "checksum_mismatch"};
}

static void judge(struct job *j, const struct op_result *r)
{
  struct put *p = j->ctx;
  if (r->code_class == CODE_BAD_DIGEST &&
      file_source_check(&p->source, &j->error))
    j->refusal = (struct refusal){true, CODE_NONE, ERR_LOCAL, "source_changed"};
  else if (j->call.response.status < 300 && !op_result_is_genuine(r))
    j->refusal = (struct refusal){true, CODE_TRANSIENT, ERR_REJECTED,
                                  "unexpected_answer"};
  else if (j->call.response.status < 300 &&
           differs(&r->checksums[HASH_SHA256], p->sha256,
                   hash_len(HASH_SHA256)))
    mismatch(j);
}

static void progress(struct job *j, struct progress_view *v)
{
  const struct put *p = j->ctx;
  v->done = j->state == JOB_FLYING ? http_moved(&j->call) : 0;
  v->total = p->source.size;
  v->has_total = true;
}

static const struct job_hooks hooks = {
    .prepare = prepare, .judge = judge, .progress = progress};

static enum err check_size(const struct put *p, struct error *e)
{
  const struct provider *prov = p->engine->provider;
  if (p->source.size <= prov->max_single)
    return ERR_OK;
  return err_set(e, ERR_LOCAL,
                 "%s: %" PRIu64 " bytes are more than one request to %s may "
                 "carry (%" PRIu64 ")",
                 p->source.path, p->source.size, prov->name, prov->max_single);
}

static void store(struct put *p, bool dry_run, struct summary *s)
{
  struct error *e = &s->error;
  if (dry_run) {
    s->end = engine_dry_run(p->engine, &p->job, e);
    if (!s->end)
      s->end = message_url(&s->url, &p->job.request);
    s->dry_run = true;
    return;
  }
  engine_run(p->engine, &p->job, 1);
  if (summary_of_job(s, &p->job))
    s->end = ERR_INTERNAL;
}

void put_file(struct engine *e, const char *path, bool dry_run,
              struct summary *s)
{
  struct put p = {.engine = e, .source = {.fd = -1}};
  p.job = (struct job){
      .op = OP_PUT, .bulk = true, .hooks = &hooks, .ctx = &p, .sink_fd = -1};
  s->end = file_source_open(&p.source, path, &s->error);
  if (!s->end)
    s->end = check_size(&p, &s->error);
  if (!s->end)
    store(&p, dry_run, s);
  if (p.hashed)
    summary_checksum(s, HASH_SHA256, p.sha256);
  if (s->end == ERR_OK && !dry_run) {
    s->has_bytes = true;
    s->bytes = p.source.size;
  }
  file_source_close(&p.source);
  job_release(&p.job);
  buf_release(&p.sha256_hex);
  buf_release(&p.md5_base64);
}
