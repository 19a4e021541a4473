/* SPDX-License-Identifier: MIT
 *
 * credload_grant - a side room of io/credload: what those who make grants
 * share.
 */
#ifndef ANK_IO_CREDLOAD_GRANT_H
#define ANK_IO_CREDLOAD_GRANT_H

#include "cloud/grant.h"

/* Adds a grant for URL, whose query becomes the grant's. */
enum err credload_grant(struct way *w, enum method method, const char *url,
                        struct grant **out, struct error *e)
    __attribute__((warn_unused_result));

/* The whole of a small file without the blanks around it; ERR_CREDENTIALS. */
enum err credload_token_file(const char *path, struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* This machine or its link: nobody else is asked in clear text. */
bool credload_is_near(const struct uri *u);

/* How the last of WS has turned out: a source that cannot be used stands with
 * the reason in WHY, one that is not there is taken away. */
enum err credload_settle(struct ways *ws, enum err err, bool found,
                         const struct error *why, struct error *e)
    __attribute__((warn_unused_result));

#endif
