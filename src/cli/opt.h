/* SPDX-License-Identifier: MIT
 *
 * opt - command line, environment and configuration file into values, driven
 * by options.def.
 *
 * Each value is checked for its kind here and remembers where it came from,
 * so that a complaint names the flag or the variable.  What the values mean
 * together is cli/config's.  One of the rooms that read the environment.
 */
#ifndef ANK_CLI_OPT_H
#define ANK_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum opt_id {
#define OPT(id, short_name, long_name, kind, arg, def, programs, group, help) \
  OPT_##id,
#include "cli/options.def"
#undef OPT
  OPT_COUNT
};

enum opt_kind {
  OPT_KIND_FLAG,
  OPT_KIND_NOENV_FLAG,
  OPT_KIND_HELP,
  OPT_KIND_TEXT,
  OPT_KIND_WORD, /* a text that says nothing when it is empty */
  OPT_KIND_LIST,
  OPT_KIND_COUNT,
  OPT_KIND_MILLIS,
  OPT_KIND_DURATION,
  OPT_KIND_DEADLINE,
  OPT_KIND_RATE,
  OPT_KIND_SIZE,
  OPT_KIND_PARALLEL,
  OPT_KIND_SHA256,
  OPT_KIND_CHECKSUM,
  OPT_KIND_RANGE,
  OPT_KIND_STATUSES,
  OPT_KIND_BREAKER,
  OPT_KIND_BACKOFF,
  OPT_KIND_BUDGET,
  OPT_KIND_POLICY,
  OPT_KIND_ADDRESSING,
  OPT_KIND_PROVIDER,
  OPT_KIND_SSE,
  OPT_KIND_SHELL
};

/* OPT_STATE is ankbreaker. */
enum opt_programs {
  OPT_PUT = 1,
  OPT_GET = 2,
  OPT_BOTH = 3,
  OPT_STATE = 4,
  OPT_ALL = 7
};

struct opt_row {
  char short_name; /* 0 = none */
  const char *long_name;
  enum opt_kind kind;
  const char *arg; /* NULL for flags */
  const char *def; /* shown in --help; NULL = none */
  enum opt_programs programs;
  const char *group;
  const char *help;
};

extern const struct opt_row opt_rows[OPT_COUNT];

/* Who has the last word: the later one. */
enum opt_rank {
  OPT_RANK_DEFAULT = 0,
  OPT_RANK_FILE,   /* outside of a section */
  OPT_RANK_BUCKET, /* in the section of the URL's bucket */
  OPT_RANK_ENV,
  OPT_RANK_FLAG
};

/* A value and where it came from ("--retries", "ANK_RETRIES",
 * "FILE:7: retries"). */
struct opt_value {
  char **texts; /* owned copies; NULL = not given */
  size_t n;     /* more than one only for LIST */
  enum opt_rank rank;
  const char *source; /* borrowed, or PLACE */
  char *place;        /* owned: a line of a file */
};

struct opt {
  enum opt_programs program;
  struct opt_value values[OPT_COUNT];
  char **operands; /* borrowed from argv */
  int n_operands;
  char **command; /* borrowed; behind "--" when a command was meant */
  char names[OPT_COUNT][48]; /* of the variables */
  char **own;                /* owned: the operands, when one is not argv's */
  char **urls;               /* owned: those */
  size_t n_urls;
};

/* Fills O from the environment, from argv and from the configuration file (in
 * the order of enum opt_rank); where no operand is a URL, ANK_URL is one.
 * ERR_USAGE names the source; what was read until then stays in O. */
enum err opt_parse(struct opt *o, enum opt_programs program, int argc,
                   char **argv, struct error *e)
    __attribute__((warn_unused_result));

/* Last text of an option, or its default, or NULL. */
const char *opt_text(const struct opt *o, enum opt_id id);
bool opt_given(const struct opt *o, enum opt_id id);
bool opt_flag(const struct opt *o, enum opt_id id);
/* "--retries", "ANK_RETRIES" or "FILE:7: retries"; "" for a default. */
const char *opt_source(const struct opt *o, enum opt_id id);

/* ANK_RETRIES for "retries"; false for options without a variable. */
bool opt_env_name(enum opt_id id, char out[48]);

/* The option of this name that one of PROGRAMS has, or -1. */
int opt_find(const char *name, size_t len, int programs);

/* Checks and keeps TEXT unless something of higher rank is there. */
enum err opt_store(struct opt *o, enum opt_id id, enum opt_rank rank,
                   const char *source, const char *text, size_t len,
                   struct error *e) __attribute__((warn_unused_result));

/* Does a header of this name carry a key or a token? */
bool opt_is_secret_header(const char *name, size_t len);

/* Overwrites passwords and keys that stand in argv as values of O's options,
 * and what is secret in a URL among its operands; O has copies. */
enum err opt_hide_secrets(struct opt *o, int argc, char **argv, struct error *e)
    __attribute__((warn_unused_result));

/* A copy of URL that lives as long as O; NULL when memory is out. */
char *opt_keep_url(struct opt *o, const char *url);
void opt_forget_urls(struct opt *o);

/* Overwrites the password of user:password@ in S. */
void opt_hide_password(char *s);

/* Overwrites the value of "Name: value" when it is a secret. */
void opt_hide_header(char *s);

void opt_release(struct opt *o);

#endif
