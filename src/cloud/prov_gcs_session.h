/* SPDX-License-Identifier: MIT
 *
 * prov_gcs_session - the Google provider's side room for resumable uploads of
 * the JSON API: what is said to a session, and what it answers (providers.md
 * 3.5).
 *
 * A session's id is a secret: who has it may write.  The place that an answer
 * names is not followed; the id alone is taken, and our own endpoint.
 */
#ifndef ANK_CLOUD_PROV_GCS_SESSION_H
#define ANK_CLOUD_PROV_GCS_SESSION_H

#include "cloud/provider.h"

/* Is OP one of the JSON API?  Does it speak to a session that is open? */
bool prov_gcs_session_has(enum op op);
bool prov_gcs_session_is_open(enum op op);

/* As struct provider's. */
enum err prov_gcs_session_body(const struct object_options *o, struct buf *out)
    __attribute__((warn_unused_result));
enum err prov_gcs_session_build(const struct op_args *a, struct request *r,
                                struct error *e)
    __attribute__((warn_unused_result));

/* Reads the answer; what is common to all answers has been read. */
void prov_gcs_session_read(const struct op_args *a, const struct response *r,
                           struct op_result *out);

#endif
