/* SPDX-License-Identifier: MIT
 *
 * credload_profile - a side room of io/credload: the two files of AWS's
 * profiles, and the variables that name them.
 */
#ifndef ANK_IO_CREDLOAD_PROFILE_H
#define ANK_IO_CREDLOAD_PROFILE_H

#include <stdbool.h>

#include "base/buf.h"

/* One profile file, read whole. */
struct profile_file {
  struct buf path, text;
  bool there;
};

/* A variable's value; empty is unset, as everywhere in the environment. */
const char *credload_env(const char *name);
const char *credload_env2(const char *first, const char *second);

/* FLAG, AWS_DEFAULT_PROFILE, AWS_PROFILE or "default". */
const char *credload_profile_name(const char *flag);

/* ERR_CREDENTIALS when a file that was named is not there, or one cannot be
 * read. */
enum err credload_read_credentials(struct profile_file *f, struct error *e)
    __attribute__((warn_unused_result));
enum err credload_read_config(struct profile_file *f, struct error *e)
    __attribute__((warn_unused_result));
void credload_file_release(struct profile_file *f);

/* The value of NAME in SECTION, the caller's to free; NULL when absent or
 * empty. */
enum err credload_get(const struct profile_file *f, const char *section,
                      const char *name, char **out, struct error *e)
    __attribute__((warn_unused_result));

/* The same of the config file's section "KIND NAME". */
enum err credload_get_config(const struct profile_file *f, const char *kind,
                             const char *name, const char *key, char **out,
                             struct error *e)
    __attribute__((warn_unused_result));

/* Puts the section "KIND NAME" as F spells it into OUT: with more blanks, with
 * quotes; [default] without its kind, too.  False, with OUT as no file has it:
 * it is not there. */
bool credload_section(const struct profile_file *f, const char *kind,
                      const char *name, struct buf *out);

bool credload_has_section(const struct profile_file *f, const char *section);

#endif
