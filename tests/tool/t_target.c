/* SPDX-License-Identifier: MIT
 *
 * t_target - cloud/target and cloud/weburl as commands.
 */
#include <string.h>

#include "base/date.h"
#include "cloud/target.h"
#include "cloud/weburl.h"
#include "tool.h"

/* ADDRESS as scheme, bucket and key, or why not. */
static void target_line(const struct buf *in, struct buf *out)
{
  struct target t = {0};
  struct error e = {0};
  enum err err = target_parse(buf_str(in), &t, &e);
  if (err != ERR_OK) {
    say(out, "%s: %s%s", err_name(err), e.msg, t.bucket ? " (touched)" : "");
    return;
  }
  if (t.account)
    say(out, "%s [%s] [%s] [%s]", t.scheme, t.account, t.bucket, t.key);
  else
    say(out, "%s [%s] [%s]%s", t.scheme, t.bucket, t.key,
        target_bucket_is_label(t.bucket) ? " label" : "");
  target_release(&t);
}

/* "URL FILE": the key that FILE gets. */
static void target_complete_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf part = {0};
  struct target t = {0};
  struct error e = {0};
  field(&rest, &part, false);
  must(target_parse(buf_str(&part), &t, &e));
  field(&rest, &part, true);
  enum err err = target_complete(&t, buf_str(&part), &e);
  say(out, "%s", err == ERR_OK ? t.key : e.msg);
  target_release(&t);
  buf_release(&part);
}

static enum err hold_secret(void *ctx, const char *secret)
{
  return buf_addf(ctx, " [%s]", secret);
}

/* "URL [provider=P] [addressing=A]" as what it means, or why not. */
static void weburl_line(const struct buf *in, struct buf *out)
{
  const char *rest = buf_str(in);
  struct buf url = {0}, name = {0}, provider = {0}, addressing = {0};
  struct buf value = {0};
  struct target t = {0};
  struct error e = {0};
  char date[DATE_MAX];
  int64_t ms;
  field(&rest, &url, false);
  while (setting(&rest, &name, &value))
    must(buf_sets(strcmp(buf_str(&name), "provider") == 0 ? &provider
                                                          : &addressing,
                  buf_str(&value)));
  const struct weburl_wish wish = {provider.len ? buf_str(&provider) : NULL,
                                   addressing.len ? buf_str(&addressing)
                                                  : NULL};
  enum err err = weburl_parse(buf_str(&url), &wish, &t, &e);
  if (err)
    say(out, "%s: %s%s", err_name(err), e.msg, t.bucket ? " (touched)" : "");
  else
    say(out, "%s [%s] [%s] [%s] %s %s%s%s", t.scheme,
        t.account ? t.account : "", t.bucket, t.key,
        t.web.endpoint ? t.web.endpoint : "usual",
        t.web.region ? t.web.region : "-",
        t.web.virtual_host ? " virtual"
        : t.web.path_style ? " path"
                           : "",
        target_is_signed(&t) ? " signed" : "");
  if (!err && weburl_expiry(&t, &ms)) {
    date_iso_ms(ms, date);
    say(out, " until %s", date);
  }
  target_release(&t);
  buf_release(&url);
  buf_release(&name);
  buf_release(&value);
  buf_release(&provider);
  buf_release(&addressing);
}

/* URL as it may be shown, as it stands in argv then, and what is secret. */
static void weburl_mask_line(const struct buf *in, struct buf *out)
{
  struct buf copy = {0}, secrets = {0};
  must(buf_sets(&copy, buf_str(in)));
  must(weburl_mask(out, buf_str(in)));
  must(weburl_secrets(buf_str(in), hold_secret, &secrets));
  weburl_blank(copy.data);
  say(out, " %s%s%s", buf_str(&copy), buf_str(&secrets),
      weburl_has_secret(buf_str(in)) ? "" : " plain");
  buf_release(&copy);
  buf_release(&secrets);
}

const struct command target_commands[] = {
    {"target", target_line, false},
    {"target-complete", target_complete_line, true},
    {"weburl", weburl_line, true},
    {"weburl-mask", weburl_mask_line, true},
    {NULL, NULL, false},
};
