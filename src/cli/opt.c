/* SPDX-License-Identifier: MIT
 *
 * opt - see opt.h.
 */
#include "cli/opt.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/codec.h"
#include "cli/opt_check.h"
#include "cli/opt_file.h"
#include "cli/opt_near.h"
#include "cloud/target.h"

const struct opt_row opt_rows[OPT_COUNT] = {
#define OPT(id, short_name, long_name, kind, arg, def, programs, group, help) \
  {short_name, long_name,      OPT_KIND_##kind, arg,                          \
   def,        OPT_##programs, group,           help},
#include "cli/options.def"
#undef OPT
};

/* getopt's values for options without a short name. */
enum { LONG_BASE = 256 };

static enum err no_memory(struct error *e)
{
  return err_set(e, ERR_INTERNAL, "out of memory");
}

static bool takes_arg(enum opt_id id)
{
  return opt_rows[id].arg && opt_rows[id].kind != OPT_KIND_HELP;
}

static bool known_here(const struct opt *o, size_t id)
{
  return (opt_rows[id].programs & o->program) != 0;
}

/* ---- values ---- */

/* A header or a proxy may hold a secret. */
static void forget(struct opt_value *v)
{
  for (size_t i = 0; i < v->n; i++)
    buf_wipe_free(v->texts[i]);
  free(v->texts);
  free(v->place);
  *v = (struct opt_value){0};
}

static enum err append(struct opt_value *v, const char *text, size_t len,
                       struct error *e)
{
  char **more = realloc(v->texts, (v->n + 1) * sizeof *more);
  if (!more)
    return no_memory(e);
  v->texts = more;
  more[v->n] = strndup(text, len);
  if (!more[v->n])
    return no_memory(e);
  v->n++;
  return ERR_OK;
}

/* Lists add up within one source; all else is replaced by the last word. */
enum err opt_store(struct opt *o, enum opt_id id, enum opt_rank rank,
                   const char *source, const char *text, size_t len,
                   struct error *e)
{
  struct opt_value *v = &o->values[id];
  if (rank < v->rank)
    return ERR_OK;
  if (opt_rows[id].kind != OPT_KIND_LIST || rank > v->rank)
    forget(v);
  enum err err = append(v, text, len, e);
  v->source = source;
  v->rank = rank;
  if (!err)
    err = opt_check(id, source, v->texts[v->n - 1], e);
  /* A report of the mistake must not go where the mistake says. */
  if (err)
    forget(v);
  return err;
}

/* ---- environment ---- */

bool opt_env_name(enum opt_id id, char out[48])
{
  enum opt_kind kind = opt_rows[id].kind;
  const char *name = opt_rows[id].long_name;
  if (kind == OPT_KIND_NOENV_FLAG || kind == OPT_KIND_HELP ||
      kind == OPT_KIND_SHELL)
    return false;
  snprintf(out, 48, "ANK_%s", name);
  for (char *p = out + 4; *p; p++)
    *p = *p == '-' ? '_' : (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
  return true;
}

static enum err take_variable(struct opt *o, enum opt_id id, const char *value,
                              struct error *e)
{
  const char *name = o->names[id];
  enum err err = ERR_OK;
  if (opt_rows[id].kind != OPT_KIND_LIST)
    return opt_store(o, id, OPT_RANK_ENV, name, value, strlen(value), e);
  /* Lists: one element a line. */
  for (const char *p = value; *p && !err;) {
    size_t len = strcspn(p, "\n");
    if (len)
      err = opt_store(o, id, OPT_RANK_ENV, name, p, len, e);
    p += len + (p[len] == '\n');
  }
  return err;
}

static enum err read_environment(struct opt *o, struct error *e)
{
  enum err err = ERR_OK;
  for (size_t i = 0; i < OPT_COUNT && !err; i++) {
    enum opt_id id = (enum opt_id)i;
    if (!known_here(o, i) || !opt_env_name(id, o->names[i]))
      continue;
    const char *value = getenv(o->names[i]);
    if (value && *value)
      err = take_variable(o, id, value, e);
  }
  return err;
}

/* ---- command line ---- */

int opt_find(const char *name, size_t len, int programs)
{
  for (size_t i = 0; i < OPT_COUNT; i++)
    if ((opt_rows[i].programs & programs) &&
        strlen(opt_rows[i].long_name) == len &&
        memcmp(opt_rows[i].long_name, name, len) == 0)
      return (int)i;
  return -1;
}

static int find_short(const struct opt *o, char c)
{
  for (size_t i = 0; i < OPT_COUNT; i++)
    if (known_here(o, i) && opt_rows[i].short_name == c)
      return (int)i;
  return -1;
}

/* What stands behind '=' may be a secret. */
static enum err unknown(const struct opt *o, const char *arg, struct error *e)
{
  size_t len = strcspn(arg, "="), dashes = strspn(arg, "-");
  const char *near = len > dashes + 1
                         ? opt_near(arg + dashes, len - dashes, o->program)
                         : NULL;
  int shown = len > 80 ? 80 : (int)len;
  return near ? err_set(e, ERR_USAGE,
                        "%.*s: unknown option: is --%s meant? (see --help)",
                        shown, arg, near)
              : err_set(e, ERR_USAGE, "%.*s: unknown option (see --help)",
                        shown, arg);
}

/* How many further arguments ARG, an option, takes.  Also where abbreviations,
 * which getopt_long would accept, are turned down: a new option must not
 * change what an old script says. */
static enum err arity(const struct opt *o, const char *arg, int *more,
                      struct error *e)
{
  *more = 0;
  if (arg[1] == '-') {
    size_t len = strcspn(arg + 2, "=");
    int id = opt_find(arg + 2, len, (int)o->program);
    if (id < 0)
      return unknown(o, arg, e);
    *more = takes_arg((enum opt_id)id) && !arg[2 + len];
    return ERR_OK;
  }
  for (const char *p = arg + 1; *p; p++) {
    int id = find_short(o, *p);
    if (id < 0)
      return unknown(o, arg, e);
    if (takes_arg((enum opt_id)id)) {
      *more = !p[1];
      return ERR_OK;
    }
  }
  return ERR_OK;
}

/* "--" begins a command when exactly one operand, a URL, stands before it. */
static enum err find_command(struct opt *o, int *argc, char **argv,
                             struct error *e)
{
  int operands = 0;
  const char *operand = NULL;
  for (int i = 1; i < *argc; i++) {
    int more;
    if (strcmp(argv[i], "--") == 0) {
      if (o->program == OPT_PUT && operands == 1 && target_is_url(operand)) {
        o->command = argv + i + 1;
        *argc = i;
      }
      return ERR_OK;
    }
    if (argv[i][0] != '-' || !argv[i][1]) {
      operands++;
      operand = argv[i];
      continue;
    }
    enum err err = arity(o, argv[i], &more, e);
    if (err)
      return err;
    if (more && i + 1 >= *argc)
      return err_set(e, ERR_USAGE, "%s: needs a value", argv[i]);
    i += more;
  }
  return ERR_OK;
}

static void describe(const struct opt *o, char *shorts, struct option *longs)
{
  for (size_t i = 0; i < OPT_COUNT; i++) {
    const struct opt_row *row = &opt_rows[i];
    if (!known_here(o, i))
      continue;
    bool arg = takes_arg((enum opt_id)i);
    *longs++ = (struct option){row->long_name,
                               arg                          ? required_argument
                               : row->kind == OPT_KIND_HELP ? optional_argument
                                                            : no_argument,
                               NULL, LONG_BASE + (int)i};
    if (row->short_name)
      *shorts++ = row->short_name;
    if (row->short_name && arg)
      *shorts++ = ':';
  }
  *shorts = '\0';
  *longs = (struct option){0};
}

static enum err take_option(struct opt *o, int id, const char *value,
                            struct error *e)
{
  static const char *const sources[OPT_COUNT] = {
#define OPT(id, short_name, long_name, kind, arg, def, programs, group, help) \
  "--" long_name,
#include "cli/options.def"
#undef OPT
  };
  if (!value)
    value = opt_rows[id].kind == OPT_KIND_HELP ? "" : "1";
  else if (opt_rows[id].kind == OPT_KIND_FLAG ||
           opt_rows[id].kind == OPT_KIND_NOENV_FLAG)
    return err_set(e, ERR_USAGE, "%s: takes no value", sources[id]);
  return opt_store(o, (enum opt_id)id, OPT_RANK_FLAG, sources[id], value,
                   strlen(value), e);
}

static enum err read_flags(struct opt *o, int argc, char **argv,
                           struct error *e)
{
  char shorts[2 * OPT_COUNT + 2];
  struct option longs[OPT_COUNT + 1];
  int c;
  describe(o, shorts, longs);
  opterr = 0;
  optind = 0;
  while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
    int id = c >= LONG_BASE ? c - LONG_BASE : find_short(o, (char)c);
    if (c == '?' || c == ':' || id < 0)
      return err_set(e, ERR_USAGE, "%.80s: takes no value", argv[optind - 1]);
    enum err err = take_option(o, id, optarg, e);
    if (err)
      return err;
  }
  o->operands = argv + optind;
  o->n_operands = argc - optind;
  return ERR_OK;
}

/* ---- the URL ---- */

static bool has_url(const struct opt *o)
{
  for (int i = 0; i < o->n_operands; i++)
    if (target_is_url(o->operands[i]))
      return true;
  return false;
}

/* A variable stands where the operand would: last of ankput's, first of
 * ankget's. */
static enum err take_url_variable(struct opt *o, struct error *e)
{
  const char *value = getenv("ANK_URL");
  bool last = o->program == OPT_PUT;
  if (!value || !*value || o->program == OPT_STATE || o->command || has_url(o))
    return ERR_OK;
  char *url = opt_keep_url(o, value);
  o->own = calloc((size_t)o->n_operands + 2, sizeof *o->own);
  if (!o->own || !url)
    return no_memory(e);
  for (int i = 0; i < o->n_operands; i++)
    o->own[last ? i : i + 1] = o->operands[i];
  o->own[last ? o->n_operands : 0] = url;
  o->operands = o->own;
  o->n_operands++;
  return ERR_OK;
}

enum err opt_parse(struct opt *o, enum opt_programs program, int argc,
                   char **argv, struct error *e)
{
  struct error env_error = {0};
  *o = (struct opt){.program = program};
  /* A bad variable is told of after the flags were read, so that their word on
   * where the report goes is known. */
  enum err env_err = read_environment(o, &env_error);
  enum err err = find_command(o, &argc, argv, e);
  if (!err)
    err = read_flags(o, argc, argv, e);
  if (!err && env_err)
    err = err_set(e, env_err, "%s", env_error.msg);
  /* Who asks for help may ask because of the file. */
  if (err || opt_given(o, OPT_HELP) || opt_given(o, OPT_VERSION) ||
      opt_given(o, OPT_COMPLETION))
    return err;
  err = take_url_variable(o, e);
  return err ? err : opt_file_read(o, e);
}

bool opt_given(const struct opt *o, enum opt_id id)
{
  return o->values[id].n > 0;
}

const char *opt_text(const struct opt *o, enum opt_id id)
{
  const struct opt_value *v = &o->values[id];
  return v->n ? v->texts[v->n - 1] : opt_rows[id].def;
}

bool opt_flag(const struct opt *o, enum opt_id id)
{
  const char *text = opt_text(o, id);
  bool on = false;
  return text && codec_bool(text, &on) && on;
}

const char *opt_source(const struct opt *o, enum opt_id id)
{
  return o->values[id].source ? o->values[id].source : "";
}

void opt_release(struct opt *o)
{
  for (size_t i = 0; i < OPT_COUNT; i++)
    forget(&o->values[i]);
  opt_forget_urls(o);
}
