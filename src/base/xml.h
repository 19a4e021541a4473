/* SPDX-License-Identifier: MIT
 *
 * xml - the text of named elements in small replies, on expat.
 *
 * Replies are at most what the caller captured (64 KiB); depth is bounded, a
 * DOCTYPE or entity declaration makes the document unreadable (no expansion).
 * Namespaces are ignored: names are compared by their local part.  White space
 * before the document is skipped.
 */
#ifndef ANK_BASE_XML_H
#define ANK_BASE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One wanted element: PATH like "Error/Code" from the root.  The text (all
 * character data directly inside it, first occurrence) is put in `text`. */
struct xml_want {
  const char *path;
  struct buf text; /* caller releases */
  bool found;
};

/* Reads DATA; true when it is one well-formed document.  Wants that were met
 * before an error are filled all the same (an error body may be cut).  ROOT,
 * if not NULL, receives the root element's local name. */
bool xml_read(const char *data, size_t len, struct xml_want *wants, size_t n,
              struct buf *root);

/* Reads a list: EACH is called at the end of every element ITEM, a path too,
 * with the WANTS that are inside it; they are empty again for the next one.
 * True as above.  False from EACH stops it, and is the answer. */
bool xml_each(const char *data, size_t len, const char *item,
              struct xml_want *wants, size_t n, bool (*each)(void *ctx),
              void *ctx);

/* Appends S escaped for element content and attribute values. */
enum err xml_escape(struct buf *out, const char *s)
    __attribute__((warn_unused_result));

#endif
