/* SPDX-License-Identifier: MIT
 *
 * identity - which room loads a provider's credentials and settings.
 *
 * A table; each row is an io/credload room, which knows the places that the
 * provider's own tools look at.
 */
#ifndef ANK_IO_IDENTITY_H
#define ANK_IO_IDENTITY_H

#include "io/credload.h"

/* Finds the ways to what proves to the provider named PROVIDER who we are.
 * OUT, zeroed, is the caller's to release, whatever is returned.  Errors as
 * credload_aws_ways. */
enum err identity_find(const char *provider, const struct credload_ask *ask,
                       struct ways *out, struct error *e)
    __attribute__((warn_unused_result));

/* Where the provider's own set-up says that its objects are. */
enum err identity_settings(const char *provider, const struct credload_ask *ask,
                           struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

/* The one request that tells the region of the instance that we run on, where
 * settings say that it has to be asked.  OUT is as ways_add gives it. */
enum err identity_region(const char *provider, struct way *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
