/* SPDX-License-Identifier: MIT
 *
 * settle - is what is stored there the object that we meant to store?
 * (policy.md 6)
 *
 * Asked when a store says that something is there already, and when the answer
 * to a store was lost.  Compared are, as far as both sides have them: the
 * nonce that only we know, the size, the strongest checksum; and where nothing
 * else tells, a small object is read back.
 */
#ifndef ANK_FLOW_SETTLE_H
#define ANK_FLOW_SETTLE_H

#include "flow/summary.h"

/* Name of the metadata that holds the nonce, behind the provider's prefix; an
 * identifier of C, as Azure wants them. */
#define SETTLE_NONCE "anknonce"

enum settle {
  SETTLE_OURS = 0, /* this very upload's, by its nonce, and not damaged */
  SETTLE_SAME,     /* the same bytes */
  SETTLE_OTHER,    /* other bytes */
  SETTLE_ABSENT,   /* nothing is there */
  SETTLE_FOREIGN,  /* another upload's, and nothing tells its bytes */
  SETTLE_BLIND,    /* something is there, and nothing tells whose */
  SETTLE_FAILED    /* it could not be asked */
};

/* Bytes of an object; more is not read only to be compared. */
#define SETTLE_MOST_READ (UINT64_C(64) << 20)

/* What we meant to store. */
struct settle_ours {
  const char *nonce; /* "" = none was sent */
  uint64_t size;
  const struct checksum *digests; /* HASH_ALG_COUNT of them */
  /* Finds what DIGESTS lack, when it decides: SHA256 and those of e->hashes go
   * to OUT.  May be NULL. */
  bool (*hash)(void *ctx, struct engine *e, struct checksum *out);
  /* Has it, cut into parts as we cut it, this digest of them?  False says
   * nothing.  May be NULL. */
  bool (*is_cut_alike)(void *ctx, struct engine *e, const struct composite *c);
  void *ctx;
};

/* What is known of the store and the conditions of the engine's options: false
 * when it refuses them with OP, and S has ended then; S->unguarded when it
 * ignores them. */
bool settle_guard(const struct engine *e, enum op op, struct summary *s);

/* Asks.  FOUND gets what the store says of the object, ERR why it failed. */
enum settle settle_object(struct engine *e, const struct settle_ours *ours,
                          struct op_result *found, struct error *err);

/* TO: the options FROM, whose metadata hold NONCE and no other.  METADATA,
 * zeroed, is the caller's to release after the last use of TO. */
enum err settle_say_nonce(const char *nonce, const struct object_options *from,
                          struct object_options *to, struct kv *metadata,
                          struct error *e) __attribute__((warn_unused_result));

/* Makes a new nonce, and TO: the options FROM with it.  METADATA, zeroed, is
 * the caller's to release after the last use of TO. */
enum err settle_add_nonce(char nonce[33], const struct object_options *from,
                          struct object_options *to, struct kv *metadata,
                          struct error *e) __attribute__((warn_unused_result));

/* Was S ended by a condition though an answer before had been lost?  What fails
 * it may be our own object. */
bool settle_is_doubtful(const struct summary *s, bool ambiguous);

/* A store that was cut off by the deadline or a signal when all of it had been
 * sent: S tells that it may have been done.  Nobody is asked any more. */
void settle_cut(struct summary *s, bool ambiguous);

/* After "it exists", when it could not be compared: S ends as cut off by the
 * deadline or a signal, if that is why. */
void settle_uncompared(struct engine *e, struct summary *s);

/* After a store whose answer was lost: S becomes a success, `unavailable`,
 * `exists` if that is what it was, `unknown`, or `interrupted`. */
enum settle settle_lost(struct engine *e, const struct settle_ours *ours,
                        struct summary *s);

/* After "it exists" to a store that was not to overwrite: S becomes a success
 * when it is ours. */
enum settle settle_exists(struct engine *e, const struct settle_ours *ours,
                          struct summary *s);

#endif
