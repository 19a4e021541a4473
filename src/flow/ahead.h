/* SPDX-License-Identifier: MIT
 *
 * ahead - ranges of an object that come before their turn, kept in memory until
 * a pipe takes them: in order, each byte once.
 *
 * Pieces lie behind one another.  A piece that is not sure yet is written as it
 * comes, but for its last byte: whatever becomes of its answer, there is
 * something left to ask for.  Knows no request; used by flow/ranges.
 */
#ifndef ANK_FLOW_AHEAD_H
#define ANK_FLOW_AHEAD_H

#include "io/file.h"

struct ahead_piece {
  uint64_t first, end, reached; /* of the object */
  bool sure;                    /* all came, by an answer that was a good one */
  char *data;                   /* owned; room for one piece */
};

struct ahead {
  struct file_sink *sink; /* borrowed */
  /* Told what was written.  Not NULL. */
  enum err (*wrote)(void *ctx, uint64_t at, const char *data, size_t len);
  void *ctx;

  struct ahead_piece *pieces; /* a ring; NULL = there is none */
  unsigned most, head, n;
  size_t room; /* bytes of a piece */
  uint64_t at; /* the next byte that the sink needs */
};

/* Room for MOST pieces, whose memory is taken when it is needed; SINK, WROTE
 * and CTX are set.  ERR_INTERNAL. */
enum err ahead_set_up(struct ahead *a, unsigned most, struct error *e)
    __attribute__((warn_unused_result));

/* Forgets everything: AT is what the sink needs, pieces have ROOM bytes. */
void ahead_begin(struct ahead *a, uint64_t at, size_t room);

/* The piece behind the others, up to END, at most ROOM bytes away; NULL while
 * MOST of them are there. */
struct ahead_piece *ahead_next(struct ahead *a, uint64_t end);

/* Adds the next LEN bytes of P, of those that it lacks.  ERR_INTERNAL. */
enum err ahead_take(const struct ahead *a, struct ahead_piece *p,
                    const char *data, size_t len, struct error *e)
    __attribute__((warn_unused_result));

/* P's answer was no good: what was not written is asked for again, from where
 * this says. */
uint64_t ahead_doubt(const struct ahead *a, struct ahead_piece *p);

/* True when there is something that the sink may take now. */
bool ahead_waits(const struct ahead *a);

/* Writes what is in order, as far as the sink has room.  ERR_LOCAL,
 * ERR_INTERRUPTED when the reader has gone, ERR_INTERNAL. */
enum err ahead_write(struct ahead *a, struct error *e)
    __attribute__((warn_unused_result));

/* The bytes from AT on that lie in one piece, and how many; NULL = none. */
const char *ahead_bytes(const struct ahead *a, uint64_t at, uint64_t *len);

/* Keeps, of the first MOST pieces, what is in order alone, and takes it for
 * sure.  Where it ends. */
uint64_t ahead_cut(struct ahead *a, unsigned most);

void ahead_release(struct ahead *a);

#endif
