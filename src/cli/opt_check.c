/* SPDX-License-Identifier: MIT
 *
 * opt_check - see opt_check.h.
 */
#include "cli/opt_check.h"

#include <string.h>

#include "base/codec.h"
#include "cloud/quirk.h"
#include "cloud/registry.h"
#include "policy/backoff.h"
#include "policy/breaker.h"
#include "policy/budget.h"
#include "policy/preset.h"
#include "policy/verdict.h"

bool opt_range(const char *s, struct range *out)
{
  struct range r = {.present = true};
  size_t len = strspn(s, "0123456789");
  if (s[len] != '-')
    return false;
  const char *second = s + len + 1;
  r.suffix = len == 0;
  r.open = !*second;
  if (r.suffix && r.open)
    return false;
  if (!r.suffix && !codec_u64_n(s, len, 0, INT64_MAX, &r.first))
    return false;
  if (!r.open && !codec_u64(second, r.suffix ? 1 : r.first, INT64_MAX, &r.last))
    return false;
  *out = r;
  return true;
}

static bool whole_number(const char *s)
{
  uint64_t n;
  return codec_u64(s, 0, INT64_MAX, &n);
}

static bool millis(const char *s)
{
  uint64_t n;
  return codec_u64(s, 0, INT32_MAX, &n);
}

static bool duration(const char *s)
{
  int64_t ms;
  return codec_duration_ms(s, &ms);
}

static bool deadline(const char *s)
{
  int64_t ms;
  return *s == '@' ? codec_epoch_ms(s + 1, &ms) : codec_duration_ms(s, &ms);
}

static bool rate(const char *s)
{
  uint64_t n;
  return codec_size(s, &n) && n > 0;
}

static bool size(const char *s)
{
  uint64_t n;
  return codec_size(s, &n) && n <= INT64_MAX;
}

static bool parallel(const char *s)
{
  uint64_t n;
  return codec_u64(s, 1, 64, &n);
}

static bool sha256(const char *s)
{
  return strlen(s) == 64 && s[strspn(s, "0123456789abcdefABCDEF")] == '\0';
}

static bool range(const char *s)
{
  struct range r;
  return opt_range(s, &r);
}

static bool statuses(const char *s)
{
  struct status_set set;
  return status_set_parse(s, &set);
}

static bool breaker(const char *s)
{
  struct breaker_policy p = breaker_default;
  return breaker_policy_parse(s, &p);
}

static bool backoff(const char *s)
{
  struct backoff b;
  return backoff_parse(s, &b) == NULL;
}

static bool budget(const char *s)
{
  struct budget_policy p;
  return budget_policy_parse(s, &p);
}

static const char *const addressing_words[] = {"path", "virtual", NULL};
static const char *const sse_words[] = {"AES256", "aws:kms", "aws:kms:dsse",
                                        NULL};
static const char *const checksum_words[] = {"crc64nvme", "crc32c", "sha256",
                                             NULL};
static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};
static const char *const policy_words[] = {"ank", "anole", "restic",
                                           "prismatic", NULL};
/* Clouds, then stores that speak S3; what is taken is asked of the tables. */
static const char *const provider_words[] = {
    "s3",       "gcs",          "azure",  "oci",     "alibaba", "backblaze",
    "ceph",     "digitalocean", "fastly", "hetzner", "minio",   "r2",
    "scaleway", "storj",        "swift",  "tencent", "wasabi",  NULL};
static const char *const report_words[] = {"none", NULL};

const char *const *opt_words(enum opt_id id)
{
  static const char *const *const words[] = {
      [OPT_KIND_ADDRESSING] = addressing_words,
      [OPT_KIND_PROVIDER] = provider_words,
      [OPT_KIND_SSE] = sse_words,
      [OPT_KIND_CHECKSUM] = checksum_words,
      [OPT_KIND_POLICY] = policy_words,
      [OPT_KIND_SHELL] = shell_words,
  };
  size_t kind = opt_rows[id].kind;
  if (id == OPT_REPORT)
    return report_words;
  return kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

static bool one_of(const char *const *words, const char *s)
{
  while (*words && strcmp(*words, s) != 0)
    words++;
  return *words != NULL;
}

static bool addressing(const char *s)
{
  return one_of(addressing_words, s);
}

static bool provider(const char *s)
{
  return registry_named(s) || quirk_named(s);
}

static bool sse(const char *s)
{
  return one_of(sse_words, s) || (codec_starts_with(s, "aws:kms=") && s[8]) ||
         (codec_starts_with(s, "aws:kms:dsse=") && s[13]);
}

static bool checksum(const char *s)
{
  return one_of(checksum_words, s);
}

static bool policy(const char *s)
{
  return preset_find(s) != NULL;
}

static bool shell(const char *s)
{
  return one_of(shell_words, s);
}

static bool boolean(const char *s)
{
  bool b;
  return codec_bool(s, &b);
}

static bool text(const char *s)
{
  return s[strcspn(s, "\r\n")] == '\0';
}

/* An empty ETag, from a variable that a script never set, would be no
 * condition at all. */
static bool word(const char *s)
{
  return *s && text(s);
}

static const struct {
  bool (*fits)(const char *s);
  const char *what;
} kinds[] = {
    [OPT_KIND_FLAG] = {boolean, "1, yes, true, 0, no or false"},
    [OPT_KIND_NOENV_FLAG] = {boolean, "1 or 0"},
    [OPT_KIND_HELP] = {text, "a group of options"},
    [OPT_KIND_TEXT] = {text, "one line"},
    [OPT_KIND_WORD] = {word, "one line"},
    [OPT_KIND_LIST] = {text, "one line"},
    [OPT_KIND_COUNT] = {whole_number, "a whole number, 0 or more"},
    [OPT_KIND_MILLIS] = {millis, "a whole number of milliseconds, 0 or more"},
    [OPT_KIND_DURATION] = {duration, "a duration like 90s, 15m, 1500ms or 2h"},
    [OPT_KIND_DEADLINE] = {deadline,
                           "a duration like 15m, or @ and seconds since 1970"},
    [OPT_KIND_RATE] = {rate, "bytes a second like 500K or 10M"},
    [OPT_KIND_SIZE] = {size, "a size like 8M or 5G"},
    [OPT_KIND_PARALLEL] = {parallel, "a whole number from 1 to 64"},
    [OPT_KIND_SHA256] = {sha256, "64 hexadecimal digits"},
    [OPT_KIND_CHECKSUM] = {checksum, "crc64nvme, crc32c or sha256"},
    [OPT_KIND_RANGE] = {range, "a range of bytes like 0-99, 100- or -50"},
    [OPT_KIND_STATUSES] = {statuses, "a list like 404,5xx,transport"},
    [OPT_KIND_BREAKER] = {breaker, "a list like failures=5,open=5s,max=60s"},
    [OPT_KIND_BACKOFF] = {backoff, "a back-off"},
    [OPT_KIND_BUDGET] = {budget, "1 to 1000 tokens, and what a success earns "
                                 "of them, like 10 or 10,0.1, or 0 for none"},
    [OPT_KIND_POLICY] = {policy, "ank, anole, restic or prismatic"},
    [OPT_KIND_ADDRESSING] = {addressing, "path or virtual"},
    [OPT_KIND_PROVIDER] = {provider, "a provider's name"},
    [OPT_KIND_SSE] = {sse, "AES256, aws:kms, aws:kms:dsse or aws:kms=KEY"},
    [OPT_KIND_SHELL] = {shell, "bash, zsh or fish"},
};

/* It has so many forms that the mistake itself is told. */
static enum err bad_backoff(const char *source, const char *s, struct error *e)
{
  struct backoff b;
  return err_set(e, ERR_USAGE, "%s: '%.60s': %s", source, s,
                 backoff_parse(s, &b));
}

/* So are these many, and a table's. */
static enum err bad_provider(const char *source, const char *s, struct error *e)
{
  struct buf names = {0};
  enum err err = ERR_OK;
  for (size_t i = 0; registry_name(i) && !err; i++)
    err = buf_addf(&names, "%s%s", i ? ", " : "", registry_name(i));
  for (size_t i = 0; quirk_name(i) && !err; i++)
    if (!registry_named(quirk_name(i)))
      err = buf_addf(&names, ", %s", quirk_name(i));
  err = err ? err_set(e, err, "out of memory")
            : err_set(e, ERR_USAGE, "%s: '%.60s' is none of %s", source, s,
                      buf_str(&names));
  buf_release(&names);
  return err;
}

enum err opt_check(enum opt_id id, const char *source, const char *s,
                   struct error *e)
{
  enum opt_kind kind = opt_rows[id].kind;
  if (kinds[kind].fits(s))
    return ERR_OK;
  if (kind == OPT_KIND_WORD && !*s)
    return err_set(e, ERR_USAGE, "%s: is empty", source);
  /* A text may be a header with a key in it. */
  if (kinds[kind].fits == text || kinds[kind].fits == word)
    return err_set(e, ERR_USAGE, "%s: is not %s", source, kinds[kind].what);
  if (kind == OPT_KIND_BACKOFF)
    return bad_backoff(source, s, e);
  if (kind == OPT_KIND_PROVIDER)
    return bad_provider(source, s, e);
  return err_set(e, ERR_USAGE, "%s: '%.80s' is not %s", source, s,
                 kinds[kind].what);
}
