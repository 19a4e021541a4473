/* SPDX-License-Identifier: MIT
 *
 * registry - the table of providers: who serves a target.
 */
#ifndef ANK_CLOUD_REGISTRY_H
#define ANK_CLOUD_REGISTRY_H

#include "cloud/provider.h"

/* The provider of T's scheme; ERR_USAGE when there is none. */
enum err registry_find(const struct target *t, const struct provider **out,
                       struct error *e) __attribute__((warn_unused_result));

/* The names of all, in their order; NULL behind the last one. */
const char *registry_name(size_t i);

/* By its name, "s3"; NULL when there is none. */
const struct provider *registry_named(const char *name);

#endif
