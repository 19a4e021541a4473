/* SPDX-License-Identifier: MIT
 *
 * credload_aws - io/credload's side rooms for AWS: each finds one kind of way
 * to credentials.
 *
 * They append to a way what leads to keys: a start, and the grants behind it.
 * ERR_CREDENTIALS says why a source that is there cannot be used.
 */
#ifndef ANK_IO_CREDLOAD_AWS_H
#define ANK_IO_CREDLOAD_AWS_H

#include "cloud/grant.h"
#include "io/credload.h"
#include "io/credload_profile.h"

/* What a look for ways has read so far. */
struct aws {
  const struct credload_ask *ask;
  struct profile_file credentials, config;
  const char *profile; /* borrowed */
};

/* KEY of a profile in either file, the caller's to free; NULL when absent. */
enum err credload_aws_value(const struct aws *a, const char *profile,
                            const char *key, char **out, struct error *e)
    __attribute__((warn_unused_result));

/* The same of the profile in use, VARIABLE going before it; is it "true"? */
enum err credload_aws_said(const struct aws *a, const char *variable,
                           const char *key, char **out, struct error *e)
    __attribute__((warn_unused_result));
enum err credload_aws_is_true(const struct aws *a, const char *variable,
                              const char *key, bool *out, struct error *e)
    __attribute__((warn_unused_result));

/* Which of Amazon's hosts are to be asked. */
enum err credload_aws_kind(const struct aws *a, struct aws_host_kind *out,
                           struct error *e) __attribute__((warn_unused_result));

/* Where requests to SERVICE ("sts") go: AWS_ENDPOINT_URL_SERVICE,
 * AWS_ENDPOINT_URL, the profile's; else https://HOST. */
enum err credload_aws_place(const struct aws *a, const char *service,
                            const char *host, struct uri *out, struct error *e)
    __attribute__((warn_unused_result));

/* Keys that are there. */
enum err credload_aws_environment(struct creds *out, bool *found,
                                  struct error *e)
    __attribute__((warn_unused_result));
enum err credload_aws_section(const struct profile_file *f, const char *section,
                              struct creds *out, bool *found, struct error *e)
    __attribute__((warn_unused_result));

/* PROFILE's roles alone, and all of its sources but those; *FOUND tells whether
 * it has one. */
enum err credload_aws_roles(const struct aws *a, const char *profile,
                            struct way *w, bool *found, int depth,
                            struct error *e)
    __attribute__((warn_unused_result));
enum err credload_aws_rest(const struct aws *a, const char *profile,
                           struct way *w, bool *found, struct error *e)
    __attribute__((warn_unused_result));

/* AWS_WEB_IDENTITY_TOKEN_FILE and its kin. */
enum err credload_aws_web(const struct aws *a, struct way *w, bool *found,
                          struct error *e) __attribute__((warn_unused_result));

/* A role that the bearer of a token in FILE may have. */
enum err credload_aws_web_role(const struct aws *a, const char *file,
                               const char *role, const char *session,
                               struct way *w, struct error *e)
    __attribute__((warn_unused_result));

/* The keys in hand take on a role; PROFILE says which. */
enum err credload_aws_role(const struct aws *a, const char *profile,
                           struct way *w, struct error *e)
    __attribute__((warn_unused_result));

/* A session that `aws sso login` has begun. */
enum err credload_aws_sso(const struct aws *a, const char *profile,
                          struct way *w, bool *found, struct error *e)
    __attribute__((warn_unused_result));

/* What a helper prints. */
enum err credload_aws_process(const struct aws *a, const char *profile,
                              struct way *w, bool *found, struct error *e)
    __attribute__((warn_unused_result));

/* The metadata services of containers and of instances. */
enum err credload_aws_container(struct way *w, bool *found, struct error *e)
    __attribute__((warn_unused_result));
enum err credload_aws_instance(const struct aws *a, struct way *w, bool *found,
                               struct error *e)
    __attribute__((warn_unused_result));
bool credload_aws_instance_is_off(void);

#endif
