/* SPDX-License-Identifier: MIT
 *
 * report_plain - a side room of flow/report: a line of the report in words
 * (--text), made of the same fields.
 */
#ifndef ANK_FLOW_REPORT_PLAIN_H
#define ANK_FLOW_REPORT_PLAIN_H

#include "base/buf.h"

/* Appends the words of JSON (a cJSON object of the report), without newline
 * and with control characters made visible. */
enum err report_plain(const void *json, struct buf *out)
    __attribute__((warn_unused_result));

#endif
