/* SPDX-License-Identifier: MIT
 *
 * quirk - where stores that speak S3 part ways with it: a table of facts.
 *
 * One row a store, found by the endpoint's host or by name.  A row says only
 * what a source states (named beside it in quirk.c); a host that no row knows
 * is taken to do as S3 does.  ETags are no matter here: ank reads none as a
 * digest.  Nor is a Content-MD5: who wants one says so and gets it.  Pure;
 * knows no request and no option.
 */
#ifndef ANK_CLOUD_QUIRK_H
#define ANK_CLOUD_QUIRK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the bucket stands when the user does not say. */
enum quirk_style {
  QUIRK_PATH = 0, /* as at any endpoint of one's own */
  QUIRK_VIRTUAL   /* in the host, where it can stand there */
};

/* What becomes of If-Match and If-None-Match with a request that stores. */
enum quirk_condition {
  QUIRK_OBEYED = 0,
  QUIRK_IGNORED, /* it is stored all the same */
  QUIRK_REFUSED  /* the request fails */
};

struct quirk {
  const char *name;
  const char *within;      /* in the host; NULL = whatever it holds */
  const char *suffixes[2]; /* of the host, whole labels; all NULL: it stands on
                              hosts of anybody and is found by name alone */
  enum quirk_style style;
  enum quirk_condition put, complete;
  bool no_parts;       /* it takes no upload in parts */
  bool equal_parts;    /* all parts but the last must be of one size */
  uint64_t usual_part; /* bytes of a part when the user has no wish; 0 = ours */
  unsigned max_parts;  /* 0 = as S3 has it, as are those below */
  uint64_t max_object;
};

/* The row of HOST, in lower case and without a port; NULL = none. */
const struct quirk *quirk_of_host(const char *host);

/* The names of all rows, in their order; NULL behind the last one. */
const char *quirk_name(size_t i);

/* The row called NAME; NULL = none. */
const struct quirk *quirk_named(const char *name);

#endif
