/* SPDX-License-Identifier: MIT
 *
 * place - see place.h.
 */
#include "cli/place.h"

#include <string.h>

#include "cloud/registry.h"
#include "cloud/weburl.h"
#include "io/identity.h"

static void fall_back(struct site_wish *w, const struct credload_settings *s)
{
  if (!w->region) {
    w->region = s->region;
    w->region_from = s->region_from;
  }
  if (!w->endpoint) {
    w->endpoint = s->endpoint;
    w->endpoint_from = s->endpoint_from;
  }
  if (!w->region_metadata)
    w->region_metadata = s->region_metadata;
  w->default_realm = s->default_realm;
  w->kind = s->kind;
}

/* ---- which object ---- */

/* A store that speaks S3, or the cloud itself. */
static enum err check_provider(const struct opt *o, const struct target *t,
                               struct error *e)
{
  const char *name = opt_text(o, OPT_PROVIDER);
  bool s3 = strcmp(t->scheme, "s3") == 0;
  const struct provider *p = name ? registry_named(name) : NULL;
  if (!name || (p && strcmp(p->scheme, t->scheme) == 0) ||
      (s3 && quirk_named(name)))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: %.40s has no URLs of %s://",
                 opt_source(o, OPT_PROVIDER), name, t->scheme);
}

/* The flag is meant for this run; a variable or a file is for all, and the URL
 * says more. */
static enum err check_endpoint(const struct opt *o, struct error *e)
{
  if (o->values[OPT_ENDPOINT].rank != OPT_RANK_FLAG)
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: an https:// URL says itself where it is",
                 opt_source(o, OPT_ENDPOINT));
}

/* So it does where its bucket stands. */
static enum err check_addressing(const struct opt *o, const struct target *t,
                                 struct error *e)
{
  const char *wish = opt_text(o, OPT_ADDRESSING);
  if (!wish || o->values[OPT_ADDRESSING].rank != OPT_RANK_FLAG ||
      !(strcmp(wish, "path") == 0 ? t->web.virtual_host : t->web.path_style))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: the URL has the bucket in its %s",
                 opt_source(o, OPT_ADDRESSING),
                 t->web.path_style ? "path" : "host");
}

/* What is signed goes as it is. */
static enum err check_signed(const struct opt *o, struct error *e)
{
  if (!opt_given(o, OPT_VERSION_ID))
    return ERR_OK;
  return err_set(e, ERR_USAGE, "%s: a signed URL is sent as it is",
                 opt_source(o, OPT_VERSION_ID));
}

enum err place_target(const struct opt *o, const char *url, struct target *out,
                      struct error *e)
{
  const struct weburl_wish wish = {opt_text(o, OPT_PROVIDER),
                                   opt_text(o, OPT_ADDRESSING)};
  bool web = weburl_is(url);
  struct target t;
  enum err err = web ? check_endpoint(o, e) : ERR_OK;
  if (!err)
    err = web ? weburl_parse(url, &wish, &t, e) : target_parse(url, &t, e);
  if (err)
    return err;
  err = check_provider(o, &t, e);
  if (!err && web)
    err = check_addressing(o, &t, e);
  if (!err && target_is_signed(&t))
    err = check_signed(o, e);
  if (err)
    target_release(&t);
  else
    *out = t;
  return err;
}

static enum err keep(void *ctx, const char *secret)
{
  return log_secret(ctx, secret);
}

enum err place_hide_secrets(struct opt *o, int argc, char **argv,
                            struct log *log, struct error *e)
{
  enum err err = ERR_OK;
  for (int i = 0; i < o->n_operands && !err; i++)
    err = weburl_secrets(o->operands[i], keep, log);
  return err ? err_set(e, err, "out of memory")
             : opt_hide_secrets(o, argc, argv, e);
}

/* ---- where ---- */

/* What the URL says goes before all but a flag. */
static void obey_url(struct site_wish *w, const struct opt *o,
                     const struct target_web *web)
{
  static const char from[] = "the URL";
  bool flag = o->values[OPT_REGION].rank == OPT_RANK_FLAG;
  w->endpoint = web->endpoint;
  w->endpoint_from = from;
  w->addressing = web->virtual_host ? "virtual"
                  : web->path_style ? "path"
                                    : NULL;
  w->addressing_from = from;
  if (web->region && !flag) {
    w->region = web->region;
    w->region_from = from;
  }
}

/* The oldest names of hosts have none, nor does a signed URL need one. */
static void default_region(struct site_wish *w, const struct provider *p)
{
  if (!w->region && strcmp(p->name, "s3") == 0)
    w->region = "us-east-1";
  if (w->endpoint && strcmp(p->name, "oci") == 0)
    w->region = NULL;
}

static enum err locate(const struct opt *o, const struct provider *p,
                       const struct target *t, struct site_wish *wish,
                       const struct credload_settings *settings,
                       struct site *out, struct error *e)
{
  fall_back(wish, settings);
  if (t->web.is) {
    obey_url(wish, o, &t->web);
    default_region(wish, p);
  }
  return p->locate(t, wish, out, e);
}

/* TOLD: by the instance; NULL while it was not asked.  *ASKS, if not NULL:
 * whether it has to be, and nothing is located. */
static enum err find(const struct opt *o, const struct provider *p,
                     const struct target *t, const struct place_region *told,
                     bool *asks, struct site *out, struct error *e)
{
  struct site_wish wish = {
      .endpoint = opt_text(o, OPT_ENDPOINT),
      .endpoint_from = opt_source(o, OPT_ENDPOINT),
      .region = told ? told->name : opt_text(o, OPT_REGION),
      .region_from =
          told ? "the instance metadata service" : opt_source(o, OPT_REGION),
      .addressing = opt_text(o, OPT_ADDRESSING),
      .addressing_from = opt_source(o, OPT_ADDRESSING),
      .store = opt_text(o, OPT_PROVIDER),
      .region_metadata = told ? told->metadata : NULL,
  };
  struct credload_settings settings = {0};
  const struct credload_ask ask = {.profile = opt_text(o, OPT_PROFILE),
                                   .target = t};
  /* A signed URL needs no set-up, so a broken one does not matter. */
  enum err err = target_is_signed(t)
                     ? ERR_OK
                     : identity_settings(p->name, &ask, &settings, e);
  bool wait = !err && asks && settings.asks_region && !wish.region &&
              !wish.endpoint && !settings.endpoint && !t->web.is;
  if (asks)
    *asks = wait;
  if (!err && !wait)
    err = locate(o, p, t, &wish, &settings, out, e);
  credload_settings_release(&settings);
  return err;
}

enum err place_find(const struct opt *o, const struct provider *p,
                    const struct target *t, bool *asks, struct site *out,
                    struct error *e)
{
  return find(o, p, t, NULL, asks, out, e);
}

enum err place_find_in(const struct opt *o, const struct provider *p,
                       const struct target *t, const struct place_region *in,
                       struct site *out, struct error *e)
{
  return find(o, p, t, in, NULL, out, e);
}
