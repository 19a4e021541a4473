/* SPDX-License-Identifier: MIT
 *
 * engine_show - a side room of flow/engine: what a job does, as a view of
 * flow/progress.
 */
#ifndef ANK_FLOW_ENGINE_SHOW_H
#define ANK_FLOW_ENGINE_SHOW_H

#include "flow/job.h"

/* Shows J on the engine's progress line, if there is one. */
void engine_show(struct job *j, struct now now);

/* The same for long work before a request: DONE of TOTAL bytes. */
void engine_show_work(const struct job *j, const char *doing, uint64_t done,
                      uint64_t total);

#endif
