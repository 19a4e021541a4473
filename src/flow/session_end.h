/* SPDX-License-Identifier: MIT
 *
 * session_end - a side room of flow/session: what comes behind the last byte -
 * is it what was sent, and if not, or when it failed, what becomes of it.
 */
#ifndef ANK_FLOW_SESSION_END_H
#define ANK_FLOW_SESSION_END_H

#include "flow/upload.h"

struct session {
  struct engine *engine;
  const struct put_wish *wish;
  struct upload_source *source;
  struct summary *summary;
  struct buf about; /* what the object is, as the server is told */
  char id[1024];    /* secret; "" while there is none */
  char once[33];
  unsigned sessions;   /* that were lost */
  uint64_t persisted;  /* bytes that the server has */
  uint64_t chunk, end; /* of the next one, in the object */
  bool last;           /* it is the last one */
  bool has_total;
  uint64_t total;
  char *held; /* owned: a stream's bytes from HELD_AT */
  uint64_t held_at, held_len;
  struct hash crc; /* of the bytes before HASHED */
  uint64_t hashed;
  struct checksum digests[HASH_ALG_COUNT]; /* of all, once it is known */
  struct retry_state retry;                /* of requests that got no further */
  unsigned idle;        /* chunks of which nothing was kept */
  unsigned asked_first; /* attempts of this chunk */
  bool begun_before;    /* bytes were sent */
  bool ambiguous;       /* the last bytes were sent, and not answered */
  bool lost;            /* the server knows it no more */
  bool done;
  struct error *error; /* where reading fails; the job's */
};

/* Settles, compares, drops: all that is left to do. */
void session_end(struct session *u);

#endif
