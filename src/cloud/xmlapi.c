/* SPDX-License-Identifier: MIT
 *
 * xmlapi - see xmlapi.h.
 */
#include "cloud/xmlapi.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/xml.h"
#include "cloud/sign_diff.h"

/* What a report shows of a server's words. */
enum { MESSAGE_CHARS = 512 };

/* Cut at a character, so that a report never holds half of one. */
static void copy(char *to, size_t room, const char *from)
{
  size_t len = 0, n;
  while (from[len] && len + 1 < room) {
    n = codec_utf8_len(from + len, strlen(from + len));
    if (!n)
      n = 1;
    if (len + n + 1 > room)
      break;
    len += n;
  }
  memcpy(to, from, len);
  to[len] = '\0';
}

/* After MOST characters. */
static void cut(char *s, size_t most)
{
  for (; *s && most; most--) {
    size_t n = codec_utf8_len(s, strlen(s));
    s += n ? n : 1;
  }
  *s = '\0';
}

bool xmlapi_error(const struct response *r, struct op_result *out)
{
  struct xml_want wants[] = {{.path = "Error/Code"},
                             {.path = "Error/Message"},
                             {.path = "Error/Region"}};
  struct buf root = {0};
  (void)xml_read(buf_str(&r->body), r->body.len, wants, 3, &root);
  bool is_error = strcmp(buf_str(&root), "Error") == 0;
  if (is_error) {
    copy(out->code, sizeof out->code, buf_str(&wants[0].text));
    copy(out->message, sizeof out->message, buf_str(&wants[1].text));
    cut(out->message, MESSAGE_CHARS);
    copy(out->region, sizeof out->region, buf_str(&wants[2].text));
  }
  for (size_t i = 0; i < 3; i++)
    buf_release(&wants[i].text);
  buf_release(&root);
  return is_error;
}

/* A whole document with this root. */
static bool read_document(const struct response *r, const char *name,
                          struct xml_want *wants, size_t n)
{
  struct buf root = {0};
  bool whole = xml_read(buf_str(&r->body), r->body.len, wants, n, &root);
  bool is = whole && strcmp(buf_str(&root), name) == 0;
  buf_release(&root);
  return is;
}

static bool has_control(const struct buf *b)
{
  for (size_t i = 0; i < b->len; i++)
    if ((unsigned char)b->data[i] < 0x20 || b->data[i] == 0x7F)
      return true;
  return false;
}

/* True when the body is a whole document of this kind, with an id that fits and
 * can be sent back. */
static bool read_upload_id(const struct response *r, struct op_result *out)
{
  struct xml_want id = {.path = "InitiateMultipartUploadResult/UploadId"};
  bool ok = read_document(r, "InitiateMultipartUploadResult", &id, 1) &&
            id.text.len > 0 && id.text.len < sizeof out->upload_id &&
            !has_control(&id.text);
  if (ok)
    copy(out->upload_id, sizeof out->upload_id, buf_str(&id.text));
  buf_release(&id.text);
  return ok;
}

/* "base64" is the digest of a whole object; "base64-N", of type COMPOSITE, is
 * that of the digests of N parts. */
static void checksum(const char *value, const char *type, enum hash_alg alg,
                     struct op_result *out)
{
  size_t len = strcspn(value, "-");
  uint64_t parts = 0;
  struct checksum sum = {.present = false};
  bool composite = strcmp(type, "COMPOSITE") == 0 || value[len];
  if (!checksum_read(&sum, alg, value, len))
    return;
  if (!composite) {
    out->checksums[alg] = sum;
  } else if (value[len] && codec_u64(value + len + 1, 1, INT32_MAX, &parts)) {
    out->composite =
        (struct composite){.present = true, .alg = alg, .parts = parts};
    memcpy(out->composite.digest, sum.digest, sizeof sum.digest);
  }
}

#define COMPLETED "CompleteMultipartUploadResult"

/* True when the body is the whole document of an upload that was completed; its
 * ETag goes before the header's, its version behind it, its checksums are the
 * object's. */
static bool read_completed(const struct response *r, struct op_result *out)
{
  enum { WANT_ETAG = HASH_ALG_COUNT, WANT_VERSION, WANT_TYPE, WANTS };
  struct xml_want wants[WANTS] = {
      [HASH_SHA256] = {.path = COMPLETED "/ChecksumSHA256"},
      [HASH_SHA1] = {.path = COMPLETED "/ChecksumSHA1"},
      [HASH_MD5] = {.path = COMPLETED "/ChecksumMD5"},
      [HASH_CRC32] = {.path = COMPLETED "/ChecksumCRC32"},
      [HASH_CRC32C] = {.path = COMPLETED "/ChecksumCRC32C"},
      [HASH_CRC64NVME] = {.path = COMPLETED "/ChecksumCRC64NVME"},
      [WANT_ETAG] = {.path = COMPLETED "/ETag"},
      [WANT_VERSION] = {.path = COMPLETED "/VersionId"},
      [WANT_TYPE] = {.path = COMPLETED "/ChecksumType"}};
  bool ok = read_document(r, COMPLETED, wants, WANTS);
  size_t etag = wants[WANT_ETAG].text.len,
         version = wants[WANT_VERSION].text.len;
  if (ok && etag && etag < sizeof out->etag)
    copy(out->etag, sizeof out->etag, buf_str(&wants[WANT_ETAG].text));
  if (ok && !out->version_id[0] && version < sizeof out->version_id)
    copy(out->version_id, sizeof out->version_id,
         buf_str(&wants[WANT_VERSION].text));
  for (int alg = 0; ok && alg < HASH_ALG_COUNT; alg++)
    if (wants[alg].text.len)
      checksum(buf_str(&wants[alg].text), buf_str(&wants[WANT_TYPE].text),
               (enum hash_alg)alg, out);
  for (size_t i = 0; i < WANTS; i++)
    buf_release(&wants[i].text);
  return ok;
}

enum code_class xmlapi_late_class(const char *code)
{
  static const struct {
    const char *code;
    enum code_class class;
  } refusals[] = {
      {"AccessDenied", CODE_DENIED},       {"AllAccessDisabled", CODE_DENIED},
      {"EntityTooLarge", CODE_REJECTED},   {"EntityTooSmall", CODE_REJECTED},
      {"InvalidArgument", CODE_REJECTED},  {"InvalidPart", CODE_REJECTED},
      {"InvalidPartOrder", CODE_REJECTED}, {"InvalidRequest", CODE_REJECTED},
      {"MalformedXML", CODE_REJECTED},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (strcmp(code, refusals[i].code) == 0)
      return refusals[i].class;
  return CODE_TRANSIENT;
}

bool xmlapi_success(const struct op_args *a, const struct response *r,
                    struct op_result *out)
{
  if (a->op == OP_CREATE)
    return read_upload_id(r, out);
  if (a->op == OP_PART)
    return out->etag[0] != '\0';
  if (a->op == OP_COMPLETE)
    return read_completed(r, out);
  if (a->op == OP_ABORT)
    out->answered = r->status == 204 || op_result_is_genuine(out);
  return a->op != OP_ABORT || out->answered;
}

/* ---- a list of parts ---- */

struct part_reader {
  struct xml_want wants[3];
  listed_part_fn *fn;
  void *ctx;
  unsigned last;
  bool good;
};

static bool read_part(void *ctx)
{
  struct part_reader *p = ctx;
  uint64_t number, size;
  p->good = codec_u64(buf_str(&p->wants[0].text), 1, INT32_MAX, &number) &&
            p->wants[1].text.len > 0 &&
            codec_u64(buf_str(&p->wants[2].text), 0, INT64_MAX, &size);
  if (!p->good)
    return false;
  p->last = (unsigned)number;
  p->fn(p->ctx, &(struct listed_part){.number = p->last,
                                      .etag = buf_str(&p->wants[1].text),
                                      .size = size});
  return true;
}

/* Some stores tell no marker: the last number is one. */
static bool read_page(const char *body, size_t len, struct parts_page *out,
                      bool *told)
{
  struct xml_want wants[] = {{.path = "ListPartsResult/IsTruncated"},
                             {.path = "ListPartsResult/NextPartNumberMarker"}};
  struct buf root = {0};
  uint64_t marker = 0;
  bool ok = xml_read(body, len, wants, 2, &root) &&
            strcmp(buf_str(&root), "ListPartsResult") == 0;
  out->more = strcmp(buf_str(&wants[0].text), "true") == 0;
  *told = codec_u64(buf_str(&wants[1].text), 1, INT32_MAX, &marker);
  out->marker = (unsigned)marker;
  buf_release(&wants[0].text);
  buf_release(&wants[1].text);
  buf_release(&root);
  return ok;
}

bool xmlapi_parts(const char *body, size_t len, listed_part_fn *fn, void *ctx,
                  struct parts_page *out)
{
  struct part_reader p = {.wants = {{.path = "ListPartsResult/Part/PartNumber"},
                                    {.path = "ListPartsResult/Part/ETag"},
                                    {.path = "ListPartsResult/Part/Size"}},
                          .fn = fn,
                          .ctx = ctx,
                          .good = true};
  bool told;
  bool ok =
      read_page(body, len, out, &told) &&
      xml_each(body, len, "ListPartsResult/Part", p.wants, 3, read_part, &p) &&
      p.good;
  if (ok && !told)
    out->marker = p.last;
  for (size_t i = 0; i < 3; i++)
    buf_release(&p.wants[i].text);
  return ok && (!out->more || out->marker);
}

static enum err add_part(const struct upload_part *p, bool sha256,
                         struct buf *out)
{
  enum err err =
      buf_addf(out, "<Part><PartNumber>%u</PartNumber><ETag>", p->number);
  if (!err)
    err = xml_escape(out, p->etag);
  if (!err)
    err = buf_adds(out, "</ETag>");
  if (!err && sha256)
    err = buf_adds(out, "<ChecksumSHA256>");
  if (!err && sha256)
    err = hash_base64(out, p->sha256, sizeof p->sha256);
  if (!err && sha256)
    err = buf_adds(out, "</ChecksumSHA256>");
  return err ? err : buf_adds(out, "</Part>");
}

enum err xmlapi_complete_body(const struct upload_part *parts, size_t n,
                              bool sha256, struct buf *out)
{
  size_t before = out->len;
  enum err err =
      buf_adds(out, "<CompleteMultipartUpload "
                    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  for (size_t i = 0; i < n && !err; i++)
    err = add_part(&parts[i], sha256, out);
  if (!err)
    err = buf_adds(out, "</CompleteMultipartUpload>");
  if (err)
    buf_cut(out, before);
  return err;
}

static void prefixed(const struct xmlapi_dialect *d, const struct response *r,
                     const char *name, char *to, size_t room)
{
  char full[80];
  snprintf(full, sizeof full, "%s%s", d->prefix, name);
  response_header(r, full, to, room);
}

static void checksums(const struct xmlapi_dialect *d, const struct response *r,
                      struct op_result *out)
{
  char type[32] = "";
  prefixed(d, r, "checksum-type", type, sizeof type);
  for (int alg = 0; alg < HASH_ALG_COUNT; alg++) {
    char name[80];
    snprintf(name, sizeof name, "%schecksum-%s", d->prefix,
             hash_name((enum hash_alg)alg));
    const char *value = kv_get(&r->headers, name);
    if (value)
      checksum(value, type, (enum hash_alg)alg, out);
  }
}

bool xmlapi_content_range(const char *value, uint64_t *first, uint64_t *last,
                          uint64_t *total)
{
  if (!value || !codec_starts_with(value, "bytes "))
    return false;
  const char *a = value + strlen("bytes ");
  size_t a_len = strspn(a, "0123456789");
  const char *b = a + a_len + 1;
  if (a[a_len] != '-')
    return false;
  size_t b_len = strspn(b, "0123456789");
  if (b[b_len] != '/')
    return false;
  uint64_t f, l, t;
  if (!codec_u64_n(a, a_len, 0, INT64_MAX, &f) ||
      !codec_u64_n(b, b_len, 0, INT64_MAX, &l) ||
      !codec_u64(b + b_len + 1, 0, INT64_MAX, &t) || f > l || l >= t)
    return false;
  *first = f;
  *last = l;
  *total = t;
  return true;
}

bool xmlapi_unsatisfied_range(const char *value, uint64_t *total)
{
  return value && codec_starts_with(value, "bytes */") &&
         codec_u64(value + strlen("bytes */"), 0, INT64_MAX, total);
}

static void size(const struct response *r, struct op_result *out)
{
  uint64_t first, last;
  const char *length = kv_get(&r->headers, "content-length");
  if (r->status == 206)
    out->has_size = xmlapi_content_range(kv_get(&r->headers, "content-range"),
                                         &first, &last, &out->size);
  else if (length && r->status == 200)
    out->has_size = codec_u64(length, 0, INT64_MAX, &out->size);
}

enum err xmlapi_refused_signature(const struct response *r,
                                  const struct sign_trace *ours,
                                  struct buf *out)
{
  struct xml_want wants[] = {
      {.path = "Error/CanonicalRequest", .text.secret = true},
      {.path = "Error/StringToSign"},
  };
  (void)xml_read(buf_str(&r->body), r->body.len, wants, 2, NULL);
  enum err err =
      sign_diff(ours, buf_str(&wants[0].text), buf_str(&wants[1].text), out);
  buf_release(&wants[0].text);
  buf_release(&wants[1].text);
  return err;
}

void xmlapi_headers(const struct xmlapi_dialect *d, const struct response *r,
                    struct op_result *out)
{
  response_header(r, "etag", out->etag, sizeof out->etag);
  response_header(r, "last-modified", out->last_modified,
                  sizeof out->last_modified);
  response_header(r, "location", out->location, sizeof out->location);
  prefixed(d, r, "request-id", out->request_id, sizeof out->request_id);
  prefixed(d, r, "version-id", out->version_id, sizeof out->version_id);
  prefixed(d, r, "storage-class", out->storage_class,
           sizeof out->storage_class);
  size(r, out);
  checksums(d, r, out);
}
