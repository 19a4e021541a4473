/* SPDX-License-Identifier: MIT
 *
 * session_end - a side room of flow/session: what comes behind the last byte -
 * is it what was sent, and if not, or when it failed, what becomes of it.
 */
#ifndef ANK_FLOW_SESSION_END_H
#define ANK_FLOW_SESSION_END_H

#include "flow/upload.h"
#include "io/journal.h"

struct session_resume {
  bool on;      /* a journal is held */
  bool noted;   /* and has our session */
  bool doubted; /* a line could not be written; told once */
  struct journal journal;
  struct kv facts; /* of this upload */
};

struct session {
  struct engine *engine;
  const struct put_wish *wish;
  struct put_wish own; /* what WISH is: as given, but for the nonce */
  struct session_resume resume;
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

/* The CRC goes on where it was up to U->end, so that it is known with the last
 * chunk. */
enum err session_hash_on(struct session *u, struct error *e)
    __attribute__((warn_unused_result));

/* Drops the session ID, after all else or AT_END.  False when it may be
 * left. */
bool session_drop(struct engine *e, const char *id, bool at_end);

/* Settles, compares, drops: all that is left to do. */
void session_end(struct session *u);

#endif
