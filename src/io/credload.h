/* SPDX-License-Identifier: MIT
 *
 * credload - credentials and settings from where the official tools keep them:
 * the environment and the profile files.
 *
 * One of the three rooms that read the environment.  Answers values
 * (cloud/creds); talks to no server.  Source: providers.md 2.1 and 2.3.
 */
#ifndef ANK_IO_CREDLOAD_H
#define ANK_IO_CREDLOAD_H

#include "cloud/creds.h"
#include "cloud/target.h"

/* For whom; borrows both. */
struct credload_ask {
  const char *profile;         /* named by flag; NULL = none was */
  const struct target *target; /* NULL while there is none (--show-config) */
};

/* What a provider's set-up says beside the keys: values, and the variable or
 * file that each came from; all owned, NULL when not said. */
struct credload_settings {
  char *region, *region_from;
  char *endpoint, *endpoint_from;
  char *region_metadata, *default_realm; /* as struct site_wish has them */
};

/* AWS: the environment (unless a profile is named by flag), the shared
 * credentials file, the config file.  Without a profile: AWS_DEFAULT_PROFILE,
 * AWS_PROFILE, "default".  ERR_CREDENTIALS with the places looked at when there
 * are none, or names the file when one is damaged or a named profile missing.
 * OUT must be initialised; it is replaced on success only. */
enum err credload_aws(const struct credload_ask *ask, struct creds *out,
                      struct error *e) __attribute__((warn_unused_result));

/* Region (AWS_REGION, AWS_DEFAULT_REGION, profile) and endpoint
 * (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's services section,
 * its endpoint_url; none with AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true). */
enum err credload_aws_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

void credload_settings_release(struct credload_settings *s);

#endif
