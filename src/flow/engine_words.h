/* SPDX-License-Identifier: MIT
 *
 * engine_words - a side room of flow/engine: what is said of an attempt's end.
 */
#ifndef ANK_FLOW_ENGINE_WORDS_H
#define ANK_FLOW_ENGINE_WORDS_H

#include <stddef.h>

#include "flow/attempt.h"

/* Sets j->error to what the server or the transport said, unless it is set. */
void engine_say_answer(struct job *j, const struct attempt_end *end);

/* Words for a limit of ours that ended an attempt; NULL for other ends. */
const char *engine_limit_words(enum xport x);

/* "503 SlowDown", "connect": what ankbreaker shows as the last error. */
void engine_say_fault(const struct job *j, const struct attempt_end *end,
                      char *to, size_t size);

#endif
