/* SPDX-License-Identifier: MIT
 *
 * opt_file - see opt_file.h.
 */
#include "cli/opt_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/codec.h"
#include "base/ini.h"
#include "cli/opt_check.h"
#include "cloud/target.h"
#include "cloud/weburl.h"
#include "io/file.h"

enum { MAX_FILE = 1 << 20 };

struct reader {
  struct opt *o;
  const char *path;
  struct buf section; /* of the URL's bucket, "" when there is no URL */
};

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

/* ---- its place ---- */

static const char *directory(const char *name)
{
  const char *value = getenv(name);
  return value && *value == '/' ? value : NULL;
}

/* Empty: there is none. */
static enum err find_path(const struct opt *o, struct buf *out)
{
  const char *given = opt_text(o, OPT_CONFIG);
  const char *xdg = directory("XDG_CONFIG_HOME"), *home = directory("HOME");
  if (given)
    return strcmp(given, "/dev/null") == 0 ? ERR_OK : buf_adds(out, given);
  if (xdg)
    return buf_addf(out, "%s/ank/config", xdg);
  return home ? buf_addf(out, "%s/.config/ank/config", home) : ERR_OK;
}

/* Who may write it may send our objects elsewhere. */
static enum err check_mode(const char *path, struct error *e)
{
  struct stat st;
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & S_IWOTH)
    return err_set(e, ERR_USAGE, "%s: may be written by anybody", path);
  return ERR_OK;
}

/* ---- its lines ---- */

/* An option that may stand in a file. */
static int find_option(const char *name)
{
  char variable[48];
  int id = opt_find(name, strlen(name), OPT_ALL);
  return id >= 0 && id != OPT_CONFIG && opt_env_name((enum opt_id)id, variable)
             ? id
             : -1;
}

/* Names the line; O keeps it with the value. */
static char *place_of(const struct reader *r, int line, const char *name)
{
  struct buf place = {0};
  if (buf_addf(&place, "%s:%d: %s", r->path, line, name))
    buf_release(&place);
  return place.data ? buf_take(&place) : NULL;
}

static enum err keep(struct reader *r, enum opt_id id, enum opt_rank rank,
                     char *place, const char *value, struct error *e)
{
  struct opt_value *v = &r->o->values[id];
  if (rank < v->rank || !(opt_rows[id].programs & r->o->program)) {
    enum err err = opt_check(id, place, value, e);
    free(place);
    return err;
  }
  enum err err = opt_store(r->o, id, rank, place, value, strlen(value), e);
  free(v->place);
  v->place = err ? NULL : place;
  if (err)
    free(place);
  return err;
}

/* "s3://bucket" of a section, or of a URL without its key: each bucket has one
 * such name, though it may be written in several ways. */
static enum err place_of_url(const char *url, struct buf *out, bool *whole,
                             struct error *e)
{
  struct target t = {0};
  enum err err = target_parse(url, &t, e);
  if (err)
    return err;
  *whole = !*t.key && url[strlen(url) - 1] != '/';
  err = target_place(out, &t) ? no_memory(e) : ERR_OK;
  target_release(&t);
  return err;
}

/* *OURS: it is that of the run's bucket. */
static enum err check_section(const struct reader *r, const char *section,
                              int line, bool *ours, struct error *e)
{
  struct buf place = {0};
  bool whole = false;
  enum err err = ERR_OK;
  *ours = false;
  if (!*section)
    return ERR_OK;
  if (target_is_url(section) && !weburl_is(section)) {
    err = place_of_url(section, &place, &whole, e);
    if (err == ERR_USAGE)
      err_prefix(e, "%s:%d: ", r->path, line);
  }
  if (!err && !whole)
    err = err_set(e, ERR_USAGE,
                  "%s:%d: [%.80s]: a section is like [s3://BUCKET] or "
                  "[az://ACCOUNT/CONTAINER]",
                  r->path, line, section);
  *ours = !err && strcmp(buf_str(&place), buf_str(&r->section)) == 0;
  buf_release(&place);
  return err;
}

static enum err take_pair(void *ctx, const char *section, const char *name,
                          const char *value, int line, struct error *e)
{
  struct reader *r = ctx;
  int id = find_option(name);
  bool ours;
  enum err err = check_section(r, section, line, &ours, e);
  if (err)
    return err;
  if (id < 0)
    return err_set(e, ERR_USAGE, "%s:%d: %.80s: no option that may stand here",
                   r->path, line, name);
  char *place = place_of(r, line, name);
  if (!place)
    return no_memory(e);
  enum opt_rank rank = ours       ? OPT_RANK_BUCKET
                       : *section ? OPT_RANK_DEFAULT
                                  : OPT_RANK_FILE;
  /* An empty value is unset, as in the environment. */
  if (!*value || rank == OPT_RANK_DEFAULT) {
    err = *value ? opt_check((enum opt_id)id, place, value, e) : ERR_OK;
    free(place);
    return err;
  }
  return keep(r, (enum opt_id)id, rank, place, value, e);
}

/* A URL of the web has the section of what it means; where only a file says
 * whose it is, there is none. */
static enum err section_of(const struct opt *o, const char *url,
                           struct buf *out)
{
  const struct weburl_wish wish = {opt_text(o, OPT_PROVIDER),
                                   opt_text(o, OPT_ADDRESSING)};
  struct target t = {0};
  struct error why;
  enum err err = weburl_is(url) ? weburl_parse(url, &wish, &t, &why)
                                : target_parse(url, &t, &why);
  if (!err)
    err = target_place(out, &t);
  target_release(&t);
  return err == ERR_INTERNAL ? err : ERR_OK;
}

/* That of the first operand that is a URL.  One that is none after all is told
 * of by those who want the object. */
static enum err find_section(struct reader *r)
{
  for (int i = 0; i < r->o->n_operands; i++)
    if (target_is_url(r->o->operands[i]))
      return section_of(r->o, r->o->operands[i], &r->section);
  return ERR_OK;
}

static enum err parse(struct opt *o, const char *path, const struct buf *text,
                      struct error *e)
{
  struct reader r = {.o = o, .path = path};
  enum err err = find_section(&r) ? no_memory(e) : ERR_OK;
  if (!err)
    err = ini_parse(buf_str(text), text->len, take_pair, &r, e);
  /* ini's own complaints know the line, not the file. */
  if (err == ERR_USAGE && codec_starts_with(e->msg, "line "))
    err_prefix(e, "%s: ", path);
  buf_release(&r.section);
  return err;
}

enum err opt_file_read(struct opt *o, struct error *e)
{
  struct buf path = {0}, text = {.secret = true};
  struct error why = {0};
  bool given = opt_given(o, OPT_CONFIG);
  enum err err = find_path(o, &path) ? no_memory(e) : ERR_OK;
  if (!err && path.len) {
    enum err read = file_slurp(buf_str(&path), MAX_FILE, &text, &why);
    if (read && (given || read != ERR_NOT_FOUND))
      err = err_set(e, ERR_USAGE, "%s%s%s",
                    given ? opt_source(o, OPT_CONFIG) : "", given ? ": " : "",
                    why.msg);
    if (!err && !read)
      err = check_mode(buf_str(&path), e);
    if (!err && !read)
      err = parse(o, buf_str(&path), &text, e);
  }
  buf_release(&path);
  buf_release(&text);
  return err;
}
