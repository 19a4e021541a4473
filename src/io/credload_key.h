/* SPDX-License-Identifier: MIT
 *
 * credload_key - a side room of io/credload: Google's key files, member by
 * member, and where one says that the token of another identity is.
 */
#ifndef ANK_IO_CREDLOAD_KEY_H
#define ANK_IO_CREDLOAD_KEY_H

#include "base/json.h"
#include "cloud/grant.h"

/* A key file, or the member of one that is a key file of its own. */
struct key_file {
  const struct buf *text;
  const char *path, *within; /* "", "source_credentials/" */
};

/* A member that is not empty; false without it. */
bool credload_key_member(const struct key_file *f, const char *name,
                         struct buf *out);

/* The same; ERR_CREDENTIALS names what is missing. */
enum err credload_key_need(const struct key_file *f, const char *name,
                           struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* All texts of a member that is an object or a list. */
enum err credload_key_each(const struct key_file *f, const char *name,
                           json_member_fn *fn, void *ctx, struct error *e)
    __attribute__((warn_unused_result));

/* Puts the subject's token in hand, or adds a grant for it, as
 * credential_source says. */
enum err credload_key_subject(const struct key_file *f, struct way *w,
                              struct error *e)
    __attribute__((warn_unused_result));

/* Adds the grant by which the token in hand gives that of the service account
 * in service_account_impersonation_url, for SCOPE; nothing without one. */
enum err credload_key_impersonate(const struct key_file *f, const char *scope,
                                  struct way *w, struct error *e)
    __attribute__((warn_unused_result));

#endif
