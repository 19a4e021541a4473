/* SPDX-License-Identifier: MIT
 *
 * config - option values as the structs the flows take, checked against one
 * another.
 *
 * Reads the few variables of other tools that stand behind our own (the CA
 * bundle).  Decides nothing about a transfer.
 */
#ifndef ANK_CLI_CONFIG_H
#define ANK_CLI_CONFIG_H

#include "cli/opt.h"
#include "cloud/provider.h"
#include "flow/engine.h"
#include "flow/get.h"
#include "flow/put.h"
#include "io/http.h"

/* What the options amount to; texts are borrowed from the struct opt. */
struct config {
  struct target target;
  const struct provider *provider; /* who serves it */
  const char *file; /* source or destination; NULL = standard output */
  struct retry_policy policy;
  const char *policy_name; /* of the preset that stands behind it */
  struct status_set more, less;
  struct engine_timeouts timeouts;
  int64_t deadline_mono_ms;
  struct guard_options guard;
  int64_t breaker_wait_ms;
  const char *state_file; /* NULL = the usual place */
  bool no_state;
  struct kv headers, metadata, resolve;
  struct object_options object;
  struct http_options http;
  struct range range;
  struct put_wish put;
  struct ranges_wish ranges;
  char **files; /* several, borrowed; TARGET is then what they go below */
  int n_files;
  const char *abort_upload; /* NULL = none */
  const char *profile;
  bool no_token_cache;
  bool sign, head, dry_run, create_dirs, verbose, explain;
  struct buf remote_name;
};

/* Fills C from O.  NOW is the run's start. */
enum err config_make(struct config *c, const struct opt *o, struct now now,
                     struct error *e) __attribute__((warn_unused_result));

void config_release(struct config *c);

#endif
