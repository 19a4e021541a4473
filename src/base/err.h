/* SPDX-License-Identifier: MIT
 *
 * err - what can end a run, in one enum, and how each end is named and exits.
 *
 * Every fallible function of every floor returns an enum err (0 is success)
 * and fills the caller's struct error once, where the failure happened.  A
 * floor above may prefix the message, never replace it.  No message ever
 * holds a secret.  The names and exit statuses are those of cli.md and of the
 * manual's EXIT STATUS; tests/doc compares them.
 */
#ifndef ANK_BASE_ERR_H
#define ANK_BASE_ERR_H

enum err {
  ERR_OK = 0,
  ERR_INTERNAL,     /* out of memory, a bug */
  ERR_USAGE,        /* bad flag, URL, environment or configuration value */
  ERR_LOCAL,        /* source, destination, disk, this node */
  ERR_CREDENTIALS,  /* none found or not usable */
  ERR_DENIED,       /* 401, 403 */
  ERR_NOT_FOUND,    /* 404, 410 */
  ERR_EXISTS,       /* a precondition failed */
  ERR_REJECTED,     /* any other permanent answer */
  ERR_INTEGRITY,    /* bytes differ from what was promised */
  ERR_UNAVAILABLE,  /* transient failures to the last attempt */
  ERR_THROTTLED,    /* told to come back later */
  ERR_BREAKER_OPEN, /* nothing was sent: the target is known to be down */
  ERR_DEADLINE,     /* time is up */
  ERR_UNKNOWN,      /* sent, fate not learnt */
  ERR_TLS,          /* certificate or TLS set-up refused */
  ERR_INTERRUPTED,  /* a signal, or the consumer left: exits 128 + n */
  ERR_NOT_MODIFIED, /* 304 on a conditional read: a success, exit 0 */
  ERR_COUNT
};

/* The caller's; filled once by err_set. */
struct error {
  enum err code;
  char msg[512];
};

/* Sets code and message (printf-like, truncated to fit at a character
 * boundary) and returns CODE, so that `return err_set(e, ERR_X, ...)` is the
 * idiom.  E may be NULL. */
enum err err_set(struct error *e, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts printf-like text before an existing message; keeps the code, which it
 * returns.  E may be NULL (then ERR_OK is returned only if nothing was set). */
enum err err_prefix(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "ok", "usage", "local" ...: the report's `outcome`. Never NULL. */
const char *err_name(enum err code);

/* Exit status of cli.md; for ERR_INTERRUPTED 128 + SIGNUM. */
int err_exit_status(enum err code, int signum);

/* Of two ends of a run with several objects: does A decide its status rather
 * than B?  The order is cli.md's. */
_Bool err_outranks(enum err a, enum err b);

/* True for the outcomes that exit 0. */
_Bool err_is_success(enum err code);

#endif
