/* SPDX-License-Identifier: MIT
 *
 * credload_oci_file - a side room of io/credload: the file of Oracle's tools,
 * and the variables that go before it.
 */
#ifndef ANK_IO_CREDLOAD_OCI_FILE_H
#define ANK_IO_CREDLOAD_OCI_FILE_H

#include <stdbool.h>

#include "io/credload.h"

/* The file, the profile, and whose word counts. */
struct credload_oci_file {
  struct buf path, text;
  bool named; /* by a variable: it must be there */
  bool there;
  const char *profile; /* borrowed */
  bool only_profile;   /* it was named by flag */
};

/* Replaces OUT by PATH, "~/" being HOME. */
enum err credload_oci_expand(const char *path, struct buf *out)
    __attribute__((warn_unused_result));

/* The content of a file; ERR_CREDENTIALS.  One that need not be there leaves
 * OUT empty and *THERE false. */
enum err credload_oci_slurp(const char *path, struct buf *out, struct error *e)
    __attribute__((warn_unused_result));
enum err credload_oci_slurp_any(const char *path, struct buf *out, bool *there,
                                struct error *e)
    __attribute__((warn_unused_result));

/* Finds and reads the file; one that no variable names may be absent.  To be
 * closed in any case. */
enum err credload_oci_open(struct credload_oci_file *s,
                           const struct credload_ask *ask, struct error *e)
    __attribute__((warn_unused_result));
void credload_oci_close(struct credload_oci_file *s);

/* ERR_CREDENTIALS when the profile is not in the file. */
enum err credload_oci_check(const struct credload_oci_file *s, struct error *e)
    __attribute__((warn_unused_result));

/* The profile's value, else DEFAULT's; malloc'd, NULL when there is none. */
enum err credload_oci_inherited(const struct credload_oci_file *s,
                                const char *name, char **out, struct error *e)
    __attribute__((warn_unused_result));

/* The same behind VARIABLE; OUT is empty when there is none. */
enum err credload_oci_get(const struct credload_oci_file *s, const char *name,
                          const char *variable, struct buf *out,
                          struct error *e) __attribute__((warn_unused_result));

/* ERR_CREDENTIALS, with words for a value that is nowhere. */
enum err credload_oci_missing(const struct credload_oci_file *s,
                              const char *name, struct error *e);

#endif
