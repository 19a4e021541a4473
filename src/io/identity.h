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

/* Loads what proves to the provider named PROVIDER who we are.  OUT must be
 * initialised; it is replaced on success only.  Errors as credload_aws. */
enum err identity_load(const char *provider, const struct credload_ask *ask,
                       struct creds *out, struct error *e)
    __attribute__((warn_unused_result));

/* Where the provider's own set-up says that its objects are. */
enum err identity_settings(const char *provider, const struct credload_ask *ask,
                           struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

#endif
