/* SPDX-License-Identifier: MIT
 *
 * credload - credentials and settings from where the official tools keep them:
 * the environment and the profile files.
 *
 * One of the few rooms that read the environment.  Answers values
 * (cloud/grant): credentials, or how to ask for them; talks to no server.
 * Source: providers.md 2.1 and 2.3.
 */
#ifndef ANK_IO_CREDLOAD_H
#define ANK_IO_CREDLOAD_H

#include "cloud/aws_host.h"
#include "cloud/grant.h"
#include "cloud/target.h"

/* For whom; borrows all. */
struct credload_ask {
  const char *profile;         /* named by flag; NULL = none was */
  const struct target *target; /* NULL while there is none (--show-config) */
  const char *region;          /* by our own options; NULL = none was */
  int64_t deadline_mono_ms;    /* no helper runs beyond it */
};

/* What a provider's set-up says beside the keys: values, and the variable or
 * file that each came from; all owned, NULL when not said. */
struct credload_settings {
  char *region, *region_from;
  char *endpoint, *endpoint_from;
  char *region_metadata, *default_realm; /* as struct site_wish has them */
  struct aws_host_kind kind;             /* which of Amazon's hosts */
  bool asks_region; /* none is said, and the instance we run on knows its own */
};

/* The ways to AWS's credentials, in the order of its tools: the environment
 * (unless a profile is named by flag), the profile's role, a web identity, the
 * profile's SSO session, keys and helper, the services of containers and
 * instances.  Without a profile: AWS_DEFAULT_PROFILE, AWS_PROFILE, "default".
 * Files are read and helpers run; nothing is asked over the network.  A source
 * that is there and cannot be used is a way with an error.  OUT is zeroed. */
enum err credload_aws_ways(const struct credload_ask *ask, struct ways *out,
                           struct error *e) __attribute__((warn_unused_result));

/* Region (AWS_REGION, AWS_DEFAULT_REGION, profile) and endpoint
 * (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's services section,
 * its endpoint_url; none with AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true), and
 * which kind of hosts is wanted (AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT,
 * the profile's). */
enum err credload_aws_settings(const struct credload_ask *ask,
                               struct credload_settings *out, struct error *e)
    __attribute__((warn_unused_result));

void credload_settings_release(struct credload_settings *s);

#endif
