/* SPDX-License-Identifier: MIT
 *
 * t_cloud - the providers as commands.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/date.h"
#include "base/hash.h"
#include "cloud/registry.h"
#include "policy/retry.h"
#include "tool.h"

/* A line of the commands below: an address and settings. */
struct request_case {
  struct target target;
  struct site_wish wish;
  struct object_options options;
  struct kv headers;
  struct kv metadata;
  struct kv texts; /* owns what the others borrow */
  struct op_args args;
  struct checksum digests[HASH_ALG_COUNT]; /* of its body */
  struct op_result told;                   /* by a redirect */
  struct site site;
  const struct provider *provider;
  struct upload_part stored[4];
  size_t n_stored;
  struct creds creds;
  int64_t wall_ms;
};

/* "A-B", "A-" or "-N" */
static struct range read_range(const char *s)
{
  struct range r = {.present = true};
  size_t n = strcspn(s, "-");
  r.suffix = n == 0;
  r.open = s[n + 1] == '\0';
  if (!r.suffix && !codec_u64_n(s, n, 0, UINT64_MAX, &r.first))
    bad_line();
  if (!r.open && !codec_u64(s + n + 1, 0, UINT64_MAX, &r.last))
    bad_line();
  return r;
}

static bool read_text(struct request_case *c, const char *name, const char *v)
{
  const struct {
    const char *name;
    const char **at;
  } texts[] = {
      {"endpoint", &c->wish.endpoint},
      {"region", &c->wish.region},
      {"addressing", &c->wish.addressing},
      {"content-type", &c->options.content_type},
      {"storage-class", &c->options.storage_class},
      {"sse", &c->options.sse},
      {"if-match", &c->options.if_match},
      {"if-none-match", &c->options.if_none_match},
      {"version", &c->options.version_id},
      {"resume", &c->args.resume_etag},
      {"resume-version", &c->args.resume_version},
      {"upload", &c->args.upload_id},
      {"once", &c->args.once},
      {"object-version", &c->args.version},
      {"page", &c->args.page},
      {"region-metadata", &c->wish.region_metadata},
      {"default-realm", &c->wish.default_realm},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(texts[i].name, name) != 0)
      continue;
    must(kv_add(&c->texts, name, v, NULL));
    *texts[i].at = c->texts.pairs[c->texts.n - 1].value;
    return true;
  }
  return false;
}

/* In hex, by the name of the algorithm: "sha256", "md5" ...  They are taken for
 * those of the whole object, too. */
static bool read_digest(struct request_case *c, const char *name, const char *v)
{
  enum hash_alg alg;
  if (!find_alg(name, &alg))
    return false;
  size_t len = hash_len(alg);
  if (strlen(v) != 2 * len)
    bad_line();
  for (size_t i = 0; i < len; i++)
    c->digests[alg].digest[i] = (unsigned char)(codec_hex_digit(v[2 * i]) * 16 +
                                                codec_hex_digit(v[2 * i + 1]));
  c->digests[alg].present = true;
  c->args.digests = c->args.whole = c->digests;
  return true;
}

static void copy(char *to, size_t room, const char *from)
{
  if (strlen(from) >= room)
    bad_line();
  memcpy(to, from, strlen(from) + 1);
}

/* "NUMBER:ETAG"; its SHA-256 is the number, again and again. */
static void read_stored(struct request_case *c, const char *s)
{
  uint64_t number;
  size_t n = strcspn(s, ":");
  if (c->n_stored == 4 || s[n] == '\0' || !codec_u64_n(s, n, 0, 10000, &number))
    bad_line();
  struct upload_part *part = &c->stored[c->n_stored++];
  part->number = (unsigned)number;
  copy(part->etag, sizeof part->etag, s + n + 1);
  memset(part->sha256, (int)(number % 256), sizeof part->sha256);
}

static bool read_signing(struct request_case *c, const char *name,
                         const char *v)
{
  if (strcmp(name, "id") == 0)
    must(buf_sets(&c->creds.key_id, v));
  else if (strcmp(name, "secret") == 0)
    must(buf_sets(&c->creds.secret, v));
  else if (strcmp(name, "token") == 0)
    must(buf_sets(&c->creds.token, v));
  else if (strcmp(name, "date") != 0 || !date_parse_basic(v, &c->wall_ms))
    return false;
  return true;
}

static unsigned part_number(const char *s)
{
  uint64_t number;
  if (!codec_u64(s, 0, 10000, &number))
    bad_line();
  return (unsigned)number;
}

/* Where in the object a chunk is. */
static bool read_span(struct request_case *c, const char *name, const char *v)
{
  struct op_args *a = &c->args;
  uint64_t n;
  if (!codec_u64(v, 0, INT64_MAX, &n))
    return false;
  if (strcmp(name, "offset") == 0)
    a->offset = n;
  else if (strcmp(name, "length") == 0)
    a->body.length = n;
  else if (strcmp(name, "total") == 0)
    a->total = n;
  else
    return false;
  a->has_total = a->has_total || strcmp(name, "total") == 0;
  return true;
}

static void read_setting(struct request_case *c, const char *name,
                         const char *v)
{
  if (read_text(c, name, v) || read_digest(c, name, v) ||
      read_signing(c, name, v) || read_span(c, name, v))
    return;
  if (strcmp(name, "op") == 0)
    c->args.op = (enum op)find_op(v);
  else if (strcmp(name, "range") == 0)
    c->args.range = read_range(v);
  else if (strcmp(name, "header") == 0)
    read_headers(&c->headers, v);
  else if (strcmp(name, "meta") == 0)
    read_headers(&c->metadata, v);
  else if (strcmp(name, "part") == 0)
    c->args.part = part_number(v);
  else if (strcmp(name, "stored") == 0)
    read_stored(c, v);
  else if (strcmp(name, "checksum") == 0)
    c->options.has_checksum = find_alg(v, &c->options.checksum);
  else if (strcmp(name, "to-region") == 0)
    copy(c->told.region, sizeof c->told.region, v);
  else if (strcmp(name, "location") == 0)
    copy(c->told.location, sizeof c->told.location, v);
  else
    bad_line();
}

static void release_case(struct request_case *c)
{
  target_release(&c->target);
  kv_release(&c->headers);
  kv_release(&c->metadata);
  kv_release(&c->texts);
  site_release(&c->site);
  creds_release(&c->creds);
}

/* Reads the line and finds the place; false after saying why not. */
static bool locate_case(struct request_case *c, const char *rest,
                        struct buf *out)
{
  struct buf name = {0};
  struct buf value = {0};
  struct error e = {0};
  *c = (struct request_case){.args.op = OP_GET};
  creds_init(&c->creds);
  c->creds.kind = CREDS_KEYS;
  field(&rest, &value, false);
  enum err err = target_parse(buf_str(&value), &c->target, &e);
  while (setting(&rest, &name, &value))
    read_setting(c, buf_str(&name), buf_str(&value));
  c->options.headers = &c->headers;
  c->options.metadata = &c->metadata;
  c->args.target = &c->target;
  c->args.site = &c->site;
  c->args.options = &c->options;
  if (err == ERR_OK)
    err = registry_find(&c->target, &c->provider, &e);
  if (err == ERR_OK)
    err = c->provider->locate(&c->target, &c->wish, &c->site, &e);
  if (err != ERR_OK)
    say(out, "%s: %s%s", err_name(err), e.msg,
        c->site.region ? " (touched)" : "");
  buf_release(&name);
  buf_release(&value);
  return err == ERR_OK;
}

static void say_request(struct request_case *c, bool headers, struct buf *out)
{
  struct request r = {0};
  struct error e = {0};
  enum err err = c->provider->build(&c->args, &r, &e);
  if (err == ERR_OK) {
    say(out, "%s ", message_method(r.method));
    must(message_url(out, &r));
    say(out, " %s", c->site.region);
    for (size_t i = 0; headers && i < r.headers.n; i++)
      say(out, " | %s: %s", r.headers.pairs[i].name, r.headers.pairs[i].value);
    if (headers && r.document.len)
      say(out, " | %s", buf_str(&r.document));
  } else {
    say(out, "%s: %s", err_name(err), e.msg);
  }
  request_release(&r);
}

/* "URL NAME=VALUE...": method, URL, region of the request. */
static void endpoint_line(const struct buf *in, struct buf *out)
{
  struct request_case c;
  if (locate_case(&c, buf_str(in), out))
    say_request(&c, false, out);
  release_case(&c);
}

/* The same with the headers. */
static void build_line(const struct buf *in, struct buf *out)
{
  struct request_case c;
  if (locate_case(&c, buf_str(in), out))
    say_request(&c, true, out);
  release_case(&c);
}

/* The same, signed for settings id, secret, token, date: what was signed, and
 * the signature. */
static void sign_built_line(const struct buf *in, struct buf *out)
{
  struct request_case c;
  struct request r = {0};
  struct sign_trace trace = {{0}, {0}};
  struct error e = {0};
  if (locate_case(&c, buf_str(in), out)) {
    enum err err = c.provider->build(&c.args, &r, &e);
    if (err == ERR_OK)
      err =
          c.provider->sign(&r, &c.args, &c.creds, c.wall_ms * 1000, &trace, &e);
    if (err == ERR_OK)
      say(out, "%s\n--\n%s\n--\n%s", buf_str(&trace.canonical_request),
          buf_str(&trace.string_to_sign), kv_get(&r.headers, "authorization"));
    else
      say(out, "%s: %s", err_name(err), e.msg);
  }
  sign_trace_release(&trace);
  request_release(&r);
  release_case(&c);
}

static void complete_body_line(const struct buf *in, struct buf *out)
{
  struct request_case c;
  if (locate_case(&c, buf_str(in), out))
    must(c.provider->complete_body(c.stored, c.n_stored, &c.args, out));
  release_case(&c);
}

/* The same after a redirect told "to-region" or "location". */
static void relocate_line(const struct buf *in, struct buf *out)
{
  struct request_case c;
  struct error e = {0};
  bool changed = false;
  if (locate_case(&c, buf_str(in), out)) {
    if (c.provider->relocate)
      must(c.provider->relocate(&c.site, &c.target, &c.told, &changed, &e));
    say(out, "%s ", changed ? "moved" : "stays");
    say_request(&c, false, out);
  }
  release_case(&c);
}

/* "OP STATUS HEADERS [BODY]": the verdict, then what was read, at PLACE. */
static void read_at(const char *place, const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct request_case c;
  struct response r = {0};
  struct op_result result;
  struct buf part = {0};
  uint64_t status;
  if (!locate_case(&c, place, out))
    must(ERR_INTERNAL);
  field(&rest, &part, false);
  c.args.op = (enum op)find_op(buf_str(&part));
  field(&rest, &part, false);
  if (!codec_u64(buf_str(&part), 0, 999, &status))
    bad_line();
  r.status = (int)status;
  if (field(&rest, &part, false))
    read_headers(&r.headers, buf_str(&part));
  field(&rest, &r.body, true);
  c.provider->read(&c.args, &r, &result);
  struct outcome o = {
      .http = r.status,
      .code = result.code_class,
      .retry_after = retry_after_read(&r.headers, 0).ms >= 0,
  };
  say_judgement(out, &o, NULL, NULL);
  say_result(&result, out);
  response_release(&r);
  release_case(&c);
  buf_release(&part);
}
static void s3_read_line(const struct buf *in, struct buf *out)
{
  read_at("s3://bucket/key region=eu-west-1", in, out);
}

static void gcs_read_line(const struct buf *in, struct buf *out)
{
  read_at("gs://bucket/key", in, out);
}

static void azure_read_line(const struct buf *in, struct buf *out)
{
  read_at("az://acct/con/k upload=00112233445566778899aabbccddeeff part=1", in,
          out);
}
static void oci_read_line(const struct buf *in, struct buf *out)
{
  read_at("oci://ns/bucket/key region=eu-frankfurt-1", in, out);
}

const struct command cloud_commands[] = {
    {"endpoint", endpoint_line, true},
    {"build", build_line, true},
    {"sign-built", sign_built_line, true},
    {"complete-body", complete_body_line, true},
    {"relocate", relocate_line, true},
    {"s3-read", s3_read_line, true},
    {"gcs-read", gcs_read_line, true},
    {"azure-read", azure_read_line, true},
    {"oci-read", oci_read_line, true},
    {NULL, NULL, false},
};
