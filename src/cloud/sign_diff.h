/* SPDX-License-Identifier: MIT
 *
 * sign_diff - where what we signed and what the server signed part ways.
 *
 * Servers that refuse a signature send their own canonical request or string
 * to sign; the first difference is the cause.  Pure.
 */
#ifndef ANK_CLOUD_SIGN_DIFF_H
#define ANK_CLOUD_SIGN_DIFF_H

#include "cloud/sign_v4.h"

/* Appends words for a person.  CANONICAL and STRING are the server's, either
 * may be NULL.  Nothing is appended when there is nothing to compare.  Values
 * of headers that carry tokens or keys are not quoted. */
enum err sign_diff(const struct sign_trace *ours, const char *canonical,
                   const char *string, struct buf *out)
    __attribute__((warn_unused_result));

#endif
