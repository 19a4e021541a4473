/* SPDX-License-Identifier: MIT
 *
 * prov_azure - Azure's blob service: who asks, and what its answers mean.
 *
 * Answers what providers.md 4 states; the engine and the flows know none of
 * it.  Its one export is the struct provider `prov_azure` (cloud/provider.h).
 */
#include <string.h>

#include "base/codec.h"
#include "base/xml.h"
#include "cloud/prov_azure_build.h"
#include "cloud/prov_azure_site.h"
#include "cloud/sign_azure.h"
#include "cloud/sign_diff.h"
#include "cloud/xmlapi.h"

#define MIB (UINT64_C(1) << 20)

static const struct xmlapi_dialect ms = {.prefix = "x-ms-"};

/* Codes that outrank their status (providers.md 0.3), and what to do about
 * those that a person has to see to. */
static const struct provider_code codes[] = {
    {"ServerBusy", CODE_THROTTLE, NULL},
    {"BlobAlreadyExists", CODE_EXISTS, NULL},
    {"Md5Mismatch", CODE_BAD_DIGEST, NULL},
    {"Crc64Mismatch", CODE_BAD_DIGEST, NULL},
    {"InvalidAuthenticationInfo", CODE_REAUTH, NULL},
    {"InvalidBlockList", CODE_NONE,
     "blocks of this upload are gone: another "
     "writer has put the same blob meanwhile"},
    {"InvalidBlobOrBlock", CODE_NONE,
     "blocks that another writer left on this blob have ids of another "
     "length; they vanish after a week, or at once when the blob is put in one "
     "request (--multipart-threshold)"},
    {"BlockCountExceedsLimit", CODE_NONE,
     "blocks that were never committed, left by earlier uploads, fill the "
     "blob's 100,000; they vanish after a week, or at once when the blob is "
     "put in one request (--multipart-threshold)"},
    {"BlobArchived", CODE_NONE,
     "the blob is archived: give it another tier and wait some hours before "
     "it can be read"},
    {"BlobBeingRehydrated", CODE_NONE,
     "the blob comes out of the archive; that takes hours"},
    {"LeaseIdMissing", CODE_NONE,
     "somebody holds a lease on the blob; its id goes with -H 'x-ms-lease-id: "
     "ID'"},
    {"AuthorizationPermissionMismatch", CODE_NONE,
     "the SAS or the role does not allow this: storing needs create and "
     "write, reading needs read"},
    {"UnauthorizedBlobOverwrite", CODE_NONE,
     "the blob is there, and the SAS allows to create, not to write over it"},
};

/* ---- who asks ---- */

static enum err sign_key(struct request *r, const struct op_args *a,
                         const struct creds *c, int64_t wall_ms,
                         struct sign_trace *trace, struct error *e)
{
  const char *account = a->target->account;
  if (strcmp(buf_str(&c->key_id), account) != 0)
    return err_set(e, ERR_CREDENTIALS,
                   "the key from %.80s is account %.80s's, not %.80s's",
                   buf_str(&c->source), buf_str(&c->key_id), account);
  return sign_azure(r, c, account, wall_ms, trace, e);
}

/* Whoever reads these on their way can use them. */
static enum err check_line(const struct request *r, const struct op_args *a,
                           const char *what, struct error *e)
{
  if (r->https || uri_is_loopback(&a->site->base))
    return ERR_OK;
  return err_set(e, ERR_CREDENTIALS,
                 "%s is not sent without TLS: the endpoint begins with http://",
                 what);
}

static enum err sign_bearer(struct request *r, const struct op_args *a,
                            const struct creds *c, struct error *e)
{
  struct buf value = {.secret = true};
  enum err err = check_line(r, a, "a token", e);
  if (err)
    return err;
  err = buf_addf(&value, "Bearer %s", buf_str(&c->token));
  err = err ? err_set(e, err, "out of memory")
            : kv_set(&r->headers, "Authorization", buf_str(&value), e);
  buf_release(&value);
  return err;
}

static enum err sign_sas(struct request *r, const struct op_args *a,
                         const struct creds *c, struct error *e)
{
  enum err err = check_line(r, a, "a SAS", e);
  if (!err && buf_sets(&r->raw_query, buf_str(&c->token)))
    err = err_set(e, ERR_INTERNAL, "out of memory");
  return err;
}

static enum err azure_sign(struct request *r, const struct op_args *a,
                           const struct creds *c, int64_t wall_ms,
                           struct sign_trace *trace, struct error *e)
{
  switch (c->kind) {
  case CREDS_KEYS:
    return sign_key(r, a, c, wall_ms, trace, e);
  case CREDS_BEARER:
    return sign_bearer(r, a, c, e);
  case CREDS_SAS:
    return sign_sas(r, a, c, e);
  case CREDS_NONE:
  case CREDS_RSA:
    break;
  }
  return err_set(e, ERR_CREDENTIALS, "nothing to sign with");
}

/* ---- blocks ---- */

static enum err azure_complete_body(const struct upload_part *parts, size_t n,
                                    const struct op_args *a, struct buf *out)
{
  size_t before = out->len;
  (void)a;
  enum err err = buf_adds(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                               "<BlockList>");
  for (size_t i = 0; i < n && !err; i++) {
    err = buf_adds(out, "<Latest>");
    if (!err)
      err = xml_escape(out, parts[i].etag);
    if (!err)
      err = buf_adds(out, "</Latest>");
  }
  if (!err)
    err = buf_adds(out, "</BlockList>");
  if (err)
    buf_cut(out, before);
  return err;
}

struct block_reader {
  struct xml_want wants[2];
  listed_part_fn *fn;
  void *ctx;
};

/* Blocks of other writers are passed over. */
static bool read_block(void *ctx)
{
  struct block_reader *b = ctx;
  const char *id = buf_str(&b->wants[0].text);
  uint64_t size;
  if (!codec_u64(buf_str(&b->wants[1].text), 0, INT64_MAX, &size))
    return false;
  unsigned number = prov_azure_block_number(id);
  if (number)
    b->fn(b->ctx,
          &(struct listed_part){.number = number, .etag = id, .size = size});
  return true;
}

static bool azure_read_parts(const char *body, size_t len, listed_part_fn *fn,
                             void *ctx, struct parts_page *out)
{
  static const char block[] = "BlockList/UncommittedBlocks/Block";
  struct block_reader b = {
      .wants = {{.path = "BlockList/UncommittedBlocks/Block/Name"},
                {.path = "BlockList/UncommittedBlocks/Block/Size"}},
      .fn = fn,
      .ctx = ctx};
  struct buf root = {0};
  *out = (struct parts_page){.more = false};
  bool ok = xml_read(body, len, NULL, 0, &root) &&
            strcmp(buf_str(&root), "BlockList") == 0 &&
            xml_each(body, len, block, b.wants, 2, read_block, &b);
  buf_release(&b.wants[0].text);
  buf_release(&b.wants[1].text);
  buf_release(&root);
  return ok;
}

/* ---- what is answered ---- */

/* The text of the body's detail; the caller releases it. */
static struct buf detail_of(const struct response *r)
{
  struct xml_want want = {.path = "Error/AuthenticationErrorDetail"};
  (void)xml_read(buf_str(&r->body), r->body.len, &want, 1, NULL);
  return want.text;
}

/* One code for all that is wrong with a signature; a HEAD tells no more. */
static enum code_class class_of_refusal(const struct op_args *a,
                                        const struct response *r)
{
  struct buf detail = detail_of(r);
  const char *s = buf_str(&detail);
  enum code_class class = CODE_NONE;
  if (strstr(s, "date header too old") || (a->op == OP_HEAD && !r->body.len))
    class = CODE_RECLOCK;
  else if (strstr(s, "time frame") || strstr(s, "Signed expiry time"))
    class = CODE_REAUTH;
  buf_release(&detail);
  return class;
}

/* A lease is no condition of ours; where a write asks for a new blob it means
 * all the same that there is one. */
static bool is_lease(const struct op_args *a, const struct op_result *out)
{
  return codec_starts_with(out->code, "Lease") && !a->options->if_none_match;
}

static void read_error(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  static const char lost[] = "InvalidBlockList";
  out->code_class = provider_class(&prov_azure, out->code, r->status);
  if (strcmp(out->code, "AuthenticationFailed") == 0)
    out->code_class = class_of_refusal(a, r);
  else if (r->status == 401)
    out->code_class = CODE_REAUTH;
  if (r->status == 412 && is_lease(a, out))
    out->code_class = CODE_REJECTED;
  out->gone = (a->op == OP_COMPLETE && strcmp(out->code, lost) == 0) ||
              (a->op == OP_PARTS && r->status == 404);
  if (out->gone && a->op == OP_COMPLETE)
    out->code_class = CODE_RESTART;
  if (out->code_class == CODE_NONE && r->status < 300)
    out->code_class = CODE_TRANSIENT;
}

/* A 2xx is believed by what it brings; a block has no ETag but its id. */
static void read_success(const struct op_args *a, const struct response *r,
                         struct op_result *out)
{
  bool good = true;
  struct buf id = {0};
  if (a->op == OP_COMPLETE)
    good = out->etag[0];
  else if (a->op == OP_PART)
    good = r->status == 201 && out->request_id[0] &&
           !prov_azure_block_id(a->upload_id, a->part, &id);
  if (id.len && id.len < sizeof out->etag)
    memcpy(out->etag, id.data, id.len + 1);
  if (!good)
    out->code_class = CODE_TRANSIENT;
  buf_release(&id);
}

/* Azure's CRC64 is little-endian. */
static void checksum(const char *value, enum hash_alg alg, struct checksum *out)
{
  struct checksum told;
  if (!value || !checksum_read(&told, alg, value, strlen(value)))
    return;
  size_t len = hash_len(alg);
  for (size_t i = 0; i < len; i++)
    out->digest[i] = told.digest[alg == HASH_CRC64NVME ? len - 1 - i : i];
  out->present = true;
}

/* Beside a range Content-MD5 and the CRC would be the range's.  A list of
 * blocks is answered with its own sums, which are no object's. */
static void checksums(const struct op_args *a, const struct response *r,
                      struct op_result *out)
{
  const struct kv *h = &r->headers;
  if (a->op == OP_COMPLETE || r->status >= 300)
    return;
  bool whole = r->status != 206;
  checksum(kv_get(h, whole ? "content-md5" : "x-ms-blob-content-md5"), HASH_MD5,
           &out->checksums[HASH_MD5]);
  if (whole)
    checksum(kv_get(h, "x-ms-content-crc64"), HASH_CRC64NVME,
             &out->checksums[HASH_CRC64NVME]);
}

/* "...\nRequestId:...\nTime:..." are told elsewhere. */
static void first_line(char *s)
{
  s[strcspn(s, "\r\n")] = '\0';
}

static void azure_read(const struct op_args *a, const struct response *r,
                       struct op_result *out)
{
  *out = (struct op_result){0};
  xmlapi_headers(&ms, r, out);
  response_header(r, "x-ms-access-tier", out->storage_class,
                  sizeof out->storage_class);
  checksums(a, r, out);
  bool error = xmlapi_error(r, out);
  first_line(out->message);
  if (r->status == 304 || r->status < 200)
    return;
  const char *code = kv_get(&r->headers, "x-ms-error-code");
  if (code && codec_is_token(code, strlen(code)))
    response_header(r, "x-ms-error-code", out->code, sizeof out->code);
  if (r->status < 300 && !error && !out->code[0])
    read_success(a, r, out);
  else
    read_error(a, r, out);
}

/* "... following string to sign: 'TEXT'." */
static enum err azure_refused(const struct response *r,
                              const struct sign_trace *ours, struct buf *out)
{
  static const char before[] = "string to sign: '";
  struct buf detail = detail_of(r);
  const char *from = strstr(buf_str(&detail), before);
  enum err err = ERR_OK;
  if (from && ours->string_to_sign.len) {
    from += strlen(before);
    char *end = strrchr(from, '\'');
    if (end)
      *end = '\0';
    err = sign_diff(ours, NULL, from, out);
  }
  buf_release(&detail);
  return err;
}

const struct provider prov_azure = {
    .name = "azure",
    .scheme = "az",
    .max_single = 5000 * MIB,
    .min_part = 1,
    .max_part = 4000 * MIB,
    .max_parts = 50000,
    .max_object = 4000 * MIB * 50000, /* about 190.7 TiB */
    .max_key = 4096,                  /* 1024 characters */
    .meta_prefix = "x-ms-meta-",
    .codes = codes,
    .n_codes = sizeof codes / sizeof *codes,
    .hashes = HASH_BIT(HASH_CRC64NVME),
    .own_upload_id = prov_azure_upload_id,
    .no_abort = true,
    .locate = prov_azure_locate,
    .complete_body = azure_complete_body,
    .read_parts = azure_read_parts,
    .build = prov_azure_build,
    .sign = azure_sign,
    .read = azure_read,
    .refused_signature = azure_refused,
};
