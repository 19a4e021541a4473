/* SPDX-License-Identifier: MIT
 *
 * fuzz_cloud - what must hold of an object store's answers, whatever they are,
 * and of the parts of an object, whatever its size.
 */
#include <string.h>

#include "base/codec.h"
#include "cloud/provider.h"
#include "fuzz.h"
#include "policy/plan.h"
#include "tool.h"

/* ---- answers ---- */

/* The word behind the first byte and a colon; any for another word. */
static enum op op_of(const char *s, size_t len)
{
  const char *word = len > 2 && s[1] == ':' ? s + 2 : "";
  size_t n = strcspn(word, "\n");
  for (int i = 0; i < OP_COUNT; i++)
    if (strlen(op_name((enum op)i)) == n &&
        strncmp(word, op_name((enum op)i), n) == 0)
      return (enum op)i;
  return (enum op)(len % OP_COUNT);
}

static void read_lines(struct kv *headers, const char *s, const char *end)
{
  while (s < end) {
    size_t n = strcspn(s, "\n");
    size_t name = strcspn(s, ":\n");
    if (name > 0 && name < n)
      (void)!kv_addn(headers, s, name, s + name + 1, n - name - 1, NULL);
    s += n + 1;
  }
}

static bool holds(const struct response *r, const char *word)
{
  return strstr(buf_str(&r->body), word) != NULL;
}

/* Of an upload in parts nothing is done that the answer does not prove. */
static void check_upload(enum op op, const struct response *r,
                         const struct op_result *result, bool ok)
{
  const char *id = result->upload_id;
  hold(!id[0] || (op == OP_CREATE && ok), "an id begins an upload");
  for (size_t i = 0; id[i]; i++)
    hold((unsigned char)id[i] >= 0x20 && id[i] != 0x7F, "an id can be sent");
  if (op == OP_CREATE && ok)
    hold(id[0] && holds(r, "InitiateMultipartUploadResult"), "begun");
  if (op == OP_PART && ok)
    hold(result->etag[0], "stored");
  if (op == OP_COMPLETE && ok)
    hold(holds(r, "CompleteMultipartUploadResult"), "completed");
  if (op == OP_ABORT && ok)
    hold(result->answered, "aborted");
  hold(result->code_class != CODE_RESTART || op == OP_COMPLETE, "restarted");
}

static enum verdict check_words(const struct response *r,
                                const struct op_result *result)
{
  hold(codec_is_utf8(result->code, strlen(result->code)), "code");
  hold(codec_is_utf8(result->message, strlen(result->message)), "message");
  struct outcome o = {.http = r->status, .code = result->code_class};
  struct judgement j = verdict_of(&o, NULL, NULL);
  hold(!(j.retried && verdict_is_repair(j.verdict)), "one or the other");
  hold(err_name(verdict_end(j.verdict, &o)) != NULL, "an end");
  return j.verdict;
}

/* "STATUS HEADERS\n\nBODY" as an answer of S3, and of Azure. */
void fuzz_reply(const char *s, size_t len)
{
  struct target t = {0};
  struct site site = {.region = "eu-west-1"};
  const struct object_options options = {.headers = NULL};
  struct op_args args = {
      .op = op_of(s, len), .target = &t, .site = &site, .options = &options};
  struct op_result result;
  struct response r = {.status = len > 0 ? 100 + (unsigned char)s[0] * 2 : 0};
  const char *body = strstr(s, "\n\n");
  if (body == NULL)
    return;
  read_lines(&r.headers, s, body);
  must(buf_add(&r.body, body + 2, len - (size_t)(body + 2 - s)));
  prov_s3.read(&args, &r, &result);
  check_upload(args.op, &r, &result, check_words(&r, &result) == VERDICT_OK);
  prov_azure.read(&args, &r, &result);
  hold(check_words(&r, &result) != VERDICT_OK || args.op != OP_COMPLETE ||
           result.etag[0] != '\0',
       "committed");
  response_release(&r);
}

/* ---- parts ---- */

/* The next number, up to MOST. */
static uint64_t take(const char **s, uint64_t most)
{
  uint64_t n = 0;
  size_t digits = strspn(*s, "0123456789");
  if (!codec_u64_n(*s, digits, 0, UINT64_MAX, &n))
    n = digits;
  *s += digits + ((*s)[digits] != '\0' ? 1 : 0);
  return most == UINT64_MAX ? n : n % (most + 1);
}

static void check_file(const struct plan *p, const struct plan_limits *l,
                       uint64_t size)
{
  uint64_t offset = 0, length = 0, end = 0;
  unsigned n = plan_count(p);
  hold(n >= 1 && n <= l->max_parts, "not too many parts");
  for (unsigned i = 1; i <= n; i++) {
    plan_part(p, i, &offset, &length);
    hold(offset == end && length <= l->max_part, "one behind the other");
    hold(i == n || length >= l->min_part, "not too small");
    hold(length == plan_size(p, i) && (length > 0 || size == 0), "its size");
    end = offset + length;
  }
  hold(end == size && plan_size(p, n + 1) == 0, "all of it");
}

static void check_stream(const struct plan *p, const struct plan_limits *l,
                         uint64_t buffer)
{
  uint64_t all = 0, before = 0;
  unsigned warnings = 0;
  for (unsigned i = 1; i <= l->max_parts; i++) {
    uint64_t size = plan_size(p, i);
    hold(size >= l->min_part && size <= l->max_part, "a part's size");
    hold(size >= before, "parts grow");
    hold(plan_held(p, i) >= 1, "one is held");
    hold(size * plan_held(p, i) <= buffer, "memory is bounded");
    warnings += plan_warns(p, i);
    all += size;
    before = size;
  }
  hold(warnings <= 1, "one warning");
  hold(plan_most(p) == (all < l->max_object ? all : l->max_object), "the most");
}

/* "SIZE,PART,BUFFER,PARALLEL,PARTS,OBJECT,USUAL,EQUAL": as a file and as a stream. */
void fuzz_plan(const char *s, size_t len)
{
  struct plan_limits l = {.min_part = UINT64_C(5) << 20,
                          .max_part = UINT64_C(5) << 30};
  struct plan_wish w = {0};
  struct plan p;
  (void)len;
  uint64_t size = take(&s, UINT64_MAX);
  w.part_size = take(&s, UINT64_MAX);
  w.buffer_limit = take(&s, UINT64_MAX);
  w.parallel = 1 + (unsigned)take(&s, UINT32_MAX - 1);
  l.max_parts = 1 + (unsigned)take(&s, 9999);
  l.max_object = 1 + take(&s, UINT64_MAX - 1);
  l.usual_part = take(&s, UINT64_MAX);
  l.equal = take(&s, 1) != 0;
  if (plan_file(&p, &l, &w, size, NULL) == ERR_OK)
    check_file(&p, &l, size);
  w.expected = size;
  if (plan_stream(&p, &l, &w, NULL) == ERR_OK) {
    check_stream(&p, &l, w.buffer_limit);
    hold(plan_most(&p) >= size, "what is expected fits");
    hold(!l.equal || plan_size(&p, 1) == plan_size(&p, l.max_parts),
         "parts of one size");
  }
}
