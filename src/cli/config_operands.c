/* SPDX-License-Identifier: MIT
 *
 * config_operands - see config_operands.h.
 */
#include "cli/config_operands.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "cli/place.h"
#include "cloud/weburl.h"

static enum err usage(struct error *e, const char *source, const char *what)
{
  return err_set(e, ERR_USAGE, "%s: %s", source, what);
}

enum err config_check_key(const struct target *t, const struct provider *p,
                          struct error *e)
{
  size_t len = strlen(t->key);
  if (len > p->max_key)
    return err_set(e, ERR_USAGE, "the key has %zu bytes; %s takes %zu at most",
                   len, p->name, p->max_key);
  if (len)
    return ERR_OK;
  struct buf place = {0};
  enum err err = target_place(&place, t);
  err = err ? err_set(e, err, "out of memory")
            : err_set(e, ERR_USAGE, "%.120s/: the key is missing",
                      buf_str(&place));
  buf_release(&place);
  return err;
}

static uint64_t size_of(const struct opt *o, enum opt_id id)
{
  uint64_t n = 0;
  if (opt_text(o, id))
    (void)codec_size(opt_text(o, id), &n);
  return n;
}

/* Without a wish it is the plan's matter, which knows the store and the memory
 * that there is. */
static uint64_t part_size(const struct opt *o)
{
  return opt_given(o, OPT_PART_SIZE) ? size_of(o, OPT_PART_SIZE) : 0;
}

static unsigned parallel(const struct opt *o)
{
  uint64_t n = 1;
  (void)codec_u64(opt_text(o, OPT_PARALLEL), 1, 64, &n);
  return (unsigned)n;
}

/* As other programs have it. */
static const char *spool_dir(void)
{
  const char *dir = getenv("TMPDIR");
  return dir && *dir ? dir : "/tmp";
}

static void make_put(struct config *c, const struct opt *o)
{
  c->put = (struct put_wish){
      .path = c->file,
      .command = o->command,
      .dry_run = c->dry_run,
      .threshold = size_of(o, OPT_MULTIPART_THRESHOLD),
      .part_size = part_size(o),
      .buffer_limit = size_of(o, OPT_BUFFER_LIMIT),
      .parallel = parallel(o),
      .has_expected_size = opt_given(o, OPT_EXPECTED_SIZE),
      .expected_size = size_of(o, OPT_EXPECTED_SIZE),
      .expect_sha256 = opt_text(o, OPT_EXPECT_SHA256),
      .no_clobber = opt_flag(o, OPT_NO_CLOBBER),
      .resume = opt_flag(o, OPT_CONTINUE),
      .state_file = c->state_file,
      .spool_dir = spool_dir(),
  };
}

static enum err one_url(const struct opt *o, const char *what, struct error *e)
{
  return o->n_operands == 1
             ? ERR_OK
             : err_set(e, ERR_USAGE, "%s: one URL is needed", what);
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Amazon and Google sign the whole path. */
static enum err check_place(const struct target *t, struct error *e)
{
  size_t len = strlen(t->key);
  if (!target_is_signed(t) || (len && t->key[len - 1] != '/') ||
      (strcmp(t->scheme, "s3") != 0 && strcmp(t->scheme, "gs") != 0))
    return ERR_OK;
  return err_set(e, ERR_USAGE,
                 "the URL is signed for the one object that it names, so no "
                 "file's name can be added");
}

static enum err complete(struct config *c, struct error *e)
{
  enum err err = check_place(&c->target, e);
  return err ? err : target_complete(&c->target, c->file, e);
}

/* Of a web URL only the host: behind it there may be a signature. */
static int shown(const char *operand)
{
  const char *host = weburl_is(operand) ? strstr(operand, "://") + 3 : NULL;
  return host ? (int)(host + strcspn(host, "/?#") - operand) : 200;
}

/* Two files of one name would be one object. */
static enum err check_names(char **files, int n, struct error *e)
{
  for (int i = 0; i < n; i++) {
    if (strcmp(files[i], "-") == 0)
      return err_set(e, ERR_USAGE, "-: does not go with other files");
    if (target_is_url(files[i]))
      return err_set(e, ERR_USAGE,
                     "%.*s: the URL is the last operand; a command stands "
                     "behind --",
                     shown(files[i]), files[i]);
    for (int k = 0; k < i; k++)
      if (strcmp(base_name(files[i]), base_name(files[k])) == 0)
        return err_set(e, ERR_USAGE,
                       "%.200s and %.200s would be the same object", files[k],
                       files[i]);
  }
  return ERR_OK;
}

static enum err several(struct config *c, const struct opt *o, struct error *e)
{
  const char *url = o->operands[o->n_operands - 1];
  c->files = o->operands;
  c->n_files = o->n_operands - 1;
  make_put(c, o);
  if (c->put.has_expected_size)
    return usage(e, opt_source(o, OPT_EXPECTED_SIZE), "is of one file only");
  if (c->put.expect_sha256)
    return usage(e, opt_source(o, OPT_EXPECT_SHA256), "is of one file only");
  enum err err = check_names(c->files, c->n_files, e);
  if (!err)
    err = place_target(o, url, &c->target, e);
  if (err)
    return err;
  size_t len = strlen(c->target.key);
  if (len && c->target.key[len - 1] != '/')
    return err_set(e, ERR_USAGE, "%.*s: with several files the URL ends in /",
                   shown(url), url);
  return check_place(&c->target, e);
}

/* Below a signed path a DELETE would ask for the object's own. */
static enum err abort_operands(struct config *c, const struct opt *o,
                               struct error *e)
{
  const char *source = opt_source(o, OPT_ABORT_UPLOAD);
  enum err err =
      o->command ? usage(e, source, "stores nothing, so it takes no command")
                 : one_url(o, source, e);
  if (!err)
    err = place_target(o, o->operands[0], &c->target, e);
  if (!err && weburl_is_one_request(&c->target))
    err = usage(e, source, "a signed URL is for its object, not for an upload");
  return err;
}

static enum err no_file(const char *url, bool swapped, struct error *e)
{
  return swapped ? err_set(e, ERR_USAGE,
                           "%.*s: FILE comes first, then the URL; a command "
                           "stands behind --",
                           shown(url), url)
                 : err_set(e, ERR_USAGE,
                           "%.*s: is a URL, no file of this machine; to copy, "
                           "use ankget and a pipe",
                           shown(url), url);
}

/* "-" and a command have no name that a key could be made of. */
static enum err put_operands(struct config *c, const struct opt *o,
                             struct error *e)
{
  enum err err = ERR_OK;
  c->abort_upload = opt_text(o, OPT_ABORT_UPLOAD);
  if (c->abort_upload)
    return abort_operands(c, o, e);
  if (o->command && !*o->command)
    return err_set(e, ERR_USAGE, "--: the command is missing");
  if (o->command) {
    make_put(c, o);
    return place_target(o, o->operands[0], &c->target, e);
  }
  if (o->n_operands < 2)
    return err_set(e, ERR_USAGE,
                   "one FILE and one URL are needed, in this "
                   "order (see --help)");
  if (o->n_operands > 2)
    return several(c, o, e);
  if (target_is_url(o->operands[0]))
    return no_file(o->operands[0], !target_is_url(o->operands[1]), e);
  if (strcmp(o->operands[0], "-") != 0)
    c->file = o->operands[0];
  make_put(c, o);
  err = place_target(o, o->operands[1], &c->target, e);
  return err || !c->file ? err : complete(c, e);
}

/* The key's last part as a file's name here. */
static enum err name_from_key(struct config *c, const struct opt *o,
                              struct error *e)
{
  const char *slash = strrchr(c->target.key, '/');
  const char *name = slash ? slash + 1 : c->target.key;
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return err_set(e, ERR_USAGE, "%s: the key's last part '%s' is no file name",
                   opt_source(o, OPT_REMOTE_NAME), name);
  if (buf_addf(&c->remote_name, "./%s", name))
    return err_set(e, ERR_INTERNAL, "out of memory");
  c->file = buf_str(&c->remote_name);
  return ERR_OK;
}

static enum err choose_output(struct config *c, const struct opt *o,
                              struct error *e)
{
  int ways = (o->n_operands == 2) + opt_given(o, OPT_OUTPUT) +
             opt_flag(o, OPT_REMOTE_NAME);
  if (ways > 1)
    return err_set(e, ERR_USAGE,
                   "give one of FILE, --output and --remote-name");
  if (c->head && ways)
    return err_set(e, ERR_USAGE, "--head: writes no file");
  if (opt_flag(o, OPT_REMOTE_NAME))
    return name_from_key(c, o, e);
  c->file = o->n_operands == 2 ? o->operands[1] : opt_text(o, OPT_OUTPUT);
  if (c->file && strcmp(c->file, "-") == 0)
    c->file = NULL;
  else if (c->file && !*c->file)
    return err_set(e, ERR_USAGE, "the name of the output file is empty");
  return ERR_OK;
}

static enum err get_operands(struct config *c, const struct opt *o,
                             struct error *e)
{
  if (o->n_operands < 1 || o->n_operands > 2)
    return err_set(e, ERR_USAGE,
                   "one URL is needed, then at most one FILE (see --help)");
  c->head = opt_flag(o, OPT_HEAD);
  c->ranges = (struct ranges_wish){
      .threshold = size_of(o, OPT_MULTIPART_THRESHOLD),
      .part_size = part_size(o),
      .parallel = parallel(o),
      .buffer_limit = size_of(o, OPT_BUFFER_LIMIT),
  };
  if (c->head && c->range.present)
    return usage(e, opt_source(o, OPT_RANGE), "does not go with --head");
  if (o->n_operands == 2 && target_is_url(o->operands[0]) &&
      target_is_url(o->operands[1]))
    return no_file(o->operands[1], false, e);
  enum err err = place_target(o, o->operands[0], &c->target, e);
  return err ? err : choose_output(c, o, e);
}

/* A script's variable that was never set. */
static enum err none_empty(const struct opt *o, struct error *e)
{
  for (int i = 0; i < o->n_operands; i++)
    if (!*o->operands[i])
      return err_set(e, ERR_USAGE,
                     "operand %d of %d is empty: is it a variable that is not "
                     "set?",
                     i + 1, o->n_operands);
  return ERR_OK;
}

enum err config_operands(struct config *c, const struct opt *o, struct error *e)
{
  enum err err = none_empty(o, e);
  if (err)
    return err;
  return o->program == OPT_PUT ? put_operands(c, o, e) : get_operands(c, o, e);
}
