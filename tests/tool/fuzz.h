/* SPDX-License-Identifier: MIT
 *
 * fuzz - what must hold for any bytes at all, one function a room.
 *
 * Called by ank-test for the checked-in inputs (tests/fuzz/NAME.txt) and by
 * libFuzzer for new ones (tests/fuzz/run).  A property that does not hold ends
 * the program.
 */
#ifndef ANK_TESTS_FUZZ_H
#define ANK_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

/* Ends the program, WHAT as its last word, unless PROPERTY. */
void hold(bool property, const char *what);

void fuzz_codec(const char *s, size_t len);
void fuzz_config(const char *s, size_t len);
void fuzz_date(const char *s, size_t len);
void fuzz_diff(const char *s, size_t len);
void fuzz_header(const char *s, size_t len);
void fuzz_ini(const char *s, size_t len);
void fuzz_plan(const char *s, size_t len);
void fuzz_progress(const char *s, size_t len);
void fuzz_range(const char *s, size_t len);
void fuzz_refused(const char *s, size_t len);
void fuzz_reply(const char *s, size_t len);
void fuzz_retry(const char *s, size_t len);
void fuzz_state(const char *s, size_t len);
void fuzz_target(const char *s, size_t len);
void fuzz_token(const char *s, size_t len);
void fuzz_uri(const char *s, size_t len);
void fuzz_value(const char *s, size_t len);
void fuzz_weburl(const char *s, size_t len);
void fuzz_xml(const char *s, size_t len);

#endif
