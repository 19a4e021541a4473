/* SPDX-License-Identifier: MIT
 *
 * validator - is this answer a further piece of the object whose first bytes
 * we have?  The facts that tell (ETag, Last-Modified, total size), kept from
 * the first answer and compared with each later one.
 *
 * Pure.  RFC 9110 8.8.3 (only strong ETags prove byte equality), 14.4.
 */
#ifndef ANK_FLOW_VALIDATOR_H
#define ANK_FLOW_VALIDATOR_H

#include "cloud/provider.h"

struct validator {
  bool known;
  char etag[256];
  char version[256];
  char last_modified[64];
  bool has_total;
  uint64_t total; /* size of the whole object */
};

/* Keeps what the first answer tells. */
void validator_keep(struct validator *v, const struct op_result *r);

/* Fills what ARGS can ask a server to compare. */
void validator_ask(const struct validator *v, struct op_args *args);

/* True when R belongs to the same object and something comparable says so; a
 * fact that one side lacks decides nothing. */
bool validator_fits(const struct validator *v, const struct op_result *r);

#endif
