/* SPDX-License-Identifier: MIT
 *
 * tool - what the commands of ank-test share.
 *
 * A command turns each line of standard input into one line of output, so a
 * table of inputs and answers is the whole test.  In a line, \n \r \t \0 \s
 * (blank) \\ and \xNN stand for bytes; the answers are written the same way.
 */
#ifndef ANK_TESTS_TOOL_H
#define ANK_TESTS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/kv.h"
#include "policy/verdict.h"

/* The line's bytes, escapes replaced; the answer goes to OUT as bytes. */
struct command {
  const char *name;
  void (*line)(const struct buf *in, struct buf *out);
  bool raw; /* escapes are left for the command, which splits fields first */
};

/* Exit statuses; sanitizers use 1. */
enum { TOOL_BAD_LINE = 2, TOOL_OUT_OF_MEMORY = 3 };

/* Ends with a name of NULL. */
extern const struct command backoff_commands[];
extern const struct command budget_commands[];
extern const struct command codec_commands[];
extern const struct command continue_commands[];
extern const struct command date_commands[];
extern const struct command hash_commands[];
extern const struct command oci_commands[];
extern const struct command text_commands[];
extern const struct command token_commands[];
extern const struct command file_commands[];
extern const struct command policy_commands[];
extern const struct command plan_commands[];
extern const struct command quirk_commands[];
extern const struct command breaker_commands[];
extern const struct command progress_commands[];
extern const struct command cloud_commands[];
extern const struct command target_commands[];
extern const struct command sign_commands[];
extern const struct command state_commands[];
extern const struct command fuzz_commands[];

/* Appends; leaves the program when it cannot, as a tool may. */
void say(struct buf *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void say_bytes(struct buf *out, const void *data, size_t len);
/* "yes" or "no". */
void say_bool(struct buf *out, bool value);

/* Leaves the program when CODE is an error that a tool does not expect. */
void must(enum err code);

/* Leaves the program: the line is not what the command reads. */
void bad_line(void) __attribute__((noreturn));

/* Cuts the next field (up to a blank, or to the end when LAST) off *REST and
 * puts it, escapes replaced, into OUT; '' is an empty one.  False when there
 * is none. */
bool field(const char **rest, struct buf *out, bool last);

/* Cuts the next NAME=VALUE field off *REST.  False when there is none. */
bool setting(const char **rest, struct buf *name, struct buf *value);

/* Cuts "@2026-01-15T12:00:00Z " off *S and returns it in ms; that very moment
 * where nothing stands there. */
int64_t take_now(const char **s);

/* Adds lines of "NAME: VALUE". */
void read_headers(struct kv *headers, const char *text);

/* "VERDICT retried|repair|returned TALLY OUTCOME" */
void say_judgement(struct buf *out, const struct outcome *o,
                   const struct status_set *more,
                   const struct status_set *less);

/* Appends S with escapes replaced. */
void unescape(struct buf *out, const char *s, size_t len);

/* The digest of that name. */
bool find_alg(const char *name, enum hash_alg *out);
/* The enum op called NAME. */
int find_op(const char *name);

/* What was read of an answer, appended. */
struct op_result;
void say_result(const struct op_result *r, struct buf *out);

#endif
