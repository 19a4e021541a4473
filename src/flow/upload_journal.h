/* SPDX-License-Identifier: MIT
 *
 * upload_journal - a side room of flow/upload: what its journal says, and
 * whether that is of this upload.
 */
#ifndef ANK_FLOW_UPLOAD_JOURNAL_H
#define ANK_FLOW_UPLOAD_JOURNAL_H

#include "flow/upload_end.h"
#include "io/journal.h"
#include "policy/plan.h"

/* Why a journal does not fit: for the report, for a person. */
struct upload_misfit {
  const char *why, *text;
};

/* What must be the same for an upload to be continued, added to FACTS. */
enum err upload_journal_facts(struct kv *facts, const struct engine *e,
                              const struct put_wish *w,
                              const struct upload_source *source,
                              const struct plan *plan)
    __attribute__((warn_unused_result));

/* The journal's name: one a file and target. */
enum err upload_journal_name(const struct kv *facts, char hex[65])
    __attribute__((warn_unused_result));

/* Why an upload with THEIRS facts is not one with OURS; NULL: it may be. */
const struct upload_misfit *upload_journal_compare(const struct kv *ours,
                                                   const struct kv *theirs);

/* Reads J into the empty U: id, nonce and parts.  *MISFIT is NULL when it is
 * of an upload with OURS facts; else U has the id, if there is one.  Fails when
 * memory is out. */
enum err upload_journal_read(const struct journal *j, const struct kv *ours,
                             const struct plan *plan, struct upload_state *u,
                             const struct upload_misfit **misfit)
    __attribute__((warn_unused_result));

/* Each is false when it cannot be written. */
bool upload_journal_begin(struct journal *j, const struct kv *facts,
                          const struct upload_state *u);
bool upload_journal_part(struct journal *j, const struct upload_part *p);

#endif
