/* SPDX-License-Identifier: MIT
 *
 * engine_hint - a side room of flow/engine: what a person could do about a
 * failure, where the failure itself does not say.
 */
#ifndef ANK_FLOW_ENGINE_HINT_H
#define ANK_FLOW_ENGINE_HINT_H

#include "flow/attempt.h"

/* Appends "; words" to OUT, or nothing. */
enum err engine_hint(const struct job *j, const struct attempt_end *end,
                     struct now now, struct buf *out)
    __attribute__((warn_unused_result));

#endif
