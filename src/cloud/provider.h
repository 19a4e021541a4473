/* SPDX-License-Identifier: MIT
 *
 * provider - the seam: one cloud is a struct of pure functions.
 *
 * A provider never sees a socket, a file or a clock: it builds a request from
 * values, signs it for a given moment, and reads what an answer means.  Every
 * request of every program goes through these and the one engine: objects now;
 * parts, sessions, lists and tokens are further ops with the same three steps.
 */
#ifndef ANK_CLOUD_PROVIDER_H
#define ANK_CLOUD_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/uri.h"
#include "cloud/aws_host.h"
#include "cloud/creds.h"
#include "cloud/message.h"
#include "cloud/quirk.h"
#include "cloud/sign_v4.h"
#include "cloud/target.h"
#include "policy/verdict.h"

enum op {
  OP_PUT,       /* store an object in one request */
  OP_GET,       /* fetch it, or a range of it */
  OP_HEAD,      /* its facts */
  OP_BUCKET,    /* which region holds the bucket */
  OP_CREATE,    /* begin an upload in parts */
  OP_PART,      /* store one part */
  OP_COMPLETE,  /* make an object of the parts */
  OP_ABORT,     /* drop the parts */
  OP_PARTS,     /* which parts are stored, a page of them */
  OP_SESSION,   /* begin an upload whose bytes come in order */
  OP_CHUNK,     /* its next bytes; the last ones make the object */
  OP_STATUS,    /* how far it is; at the end this makes the object, too */
  OP_CANCEL,    /* drop it */
  OP_DELETE,    /* one version of an object */
  OP_NAMESPACE, /* where the bucket's name is one, if the URL does not say */
  OP_TOKEN,     /* credentials; cloud/prov_token's only one */
  OP_COUNT
};

struct grant;

/* The digest of something, where it is known. */
struct checksum {
  bool present;
  unsigned char digest[HASH_MAX_LEN];
};

/* Reads base64; false, with OUT as before, when it is none of ALG's length. */
bool checksum_read(struct checksum *out, enum hash_alg alg, const char *text,
                   size_t len);

/* A part that was stored, as the completion names it. */
struct upload_part {
  unsigned number; /* from 1 */
  char etag[256];
  uint64_t size;
  unsigned char sha256[32];
  struct checksum checksum; /* that the whole's comes from, if any does */
  struct checksum md5;      /* where the provider needs it */
};

/* A part as the server lists it. */
struct listed_part {
  unsigned number;
  const char *etag; /* borrowed */
  uint64_t size;
};

typedef void listed_part_fn(void *ctx, const struct listed_part *part);

/* What follows a page of a list. */
struct parts_page {
  bool more;
  unsigned marker; /* the number behind which the next page begins */
};

/* Where requests go: one per run; a redirect repair replaces parts of it. */
struct site {
  struct uri base;   /* scheme, host, port, base path */
  bool custom;       /* given by --endpoint, not derived from the region */
  bool own;          /* the provider's own service: knows its new headers */
  bool virtual_host; /* bucket in the host, not in the path */
  char *region;      /* owned */
  struct aws_host_kind kind; /* of Amazon's hosts, when not custom */
  const struct quirk *quirk; /* what is known of the store; NULL = nothing */
};

/* What the user says of the place, and where he says it (for messages);
 * members may be NULL. */
struct site_wish {
  const char *endpoint, *endpoint_from;
  const char *region, *region_from;
  const char *addressing, *addressing_from; /* "path", "virtual" */
  const char *store; /* a row of quirk by its name, "s3": as S3; NULL: by the
                        host */
  /* Of OCI: regions that no table has, as JSON; the domain of all others. */
  const char *region_metadata, *default_realm;
  struct aws_host_kind kind; /* which of Amazon's hosts */
};

/* What the user says of the object; all borrowed, all may be NULL. */
struct object_options {
  const struct kv *headers; /* extra, already checked against the reserved */
  const char *content_type;
  const struct kv *metadata; /* names without prefix */
  const char *storage_class;
  const char *sse; /* "AES256", "aws:kms", "aws:kms=KEY" */
  const char *if_match;
  const char *if_none_match;
  const char *version_id;
  bool has_checksum; /* one was chosen: it travels, or must be told */
  enum hash_alg checksum;
};

/* A byte range as HTTP has it; suffix: the last LAST bytes. */
struct range {
  bool present;
  bool suffix;
  bool open; /* FIRST to the end */
  uint64_t first, last;
};

/* A digest of the parts' digests, which says nothing of the bytes in a row. */
struct composite {
  bool present;
  enum hash_alg alg;
  uint64_t parts;
  unsigned char digest[HASH_MAX_LEN];
};

/* One request to be built.  Borrows everything. */
struct op_args {
  enum op op;
  const struct target *target;
  const struct site *site;
  const struct object_options *options;
  struct body body;
  const struct checksum *digests; /* of the body, HASH_ALG_COUNT of them, by
                                     algorithm; NULL: it is empty */
  const struct checksum *whole;   /* OP_COMPLETE: of the object, likewise; NULL:
                                     none is known */
  struct range range;
  const char *resume_etag;    /* If-Match of a resumed read */
  const char *resume_version; /* the same as a version; either may be NULL */
  const char *upload_id;      /* OP_PART, OP_COMPLETE, OP_ABORT, OP_PARTS */
  unsigned part;   /* OP_PART: its number; OP_PARTS: those behind it, 0 = all */
  uint64_t offset; /* OP_CHUNK: of its first byte in the object */
  bool has_total;  /* OP_SESSION, OP_CHUNK, OP_STATUS: the end is known */
  uint64_t total;  /* bytes of the object */
  const char *once;    /* OP_SESSION: the same for all attempts */
  const char *version; /* OP_DELETE */
  const char *page;    /* OP_PARTS: what the page before told; NULL = none */
  const struct grant *grant; /* OP_TOKEN: what is asked for, */
  const struct creds *hand;  /* and by what right */
};

/* What an answer says.  Texts are cut to their room; "" is absent. */
struct op_result {
  enum code_class code_class;
  bool answered; /* holds what was asked for, whatever its status */
  bool gone;     /* the upload is not, or no more, known */
  char code[64];
  char message[2049];
  char request_id[160];
  char etag[256];
  char version_id[256];
  char storage_class[64];
  char last_modified[64];
  char region[64];    /* told by a redirect or asked for */
  char location[512]; /* of a redirect */
  char upload_id[1024];
  char next_page[512]; /* of a list, where a word says where it goes on */
  char account[64];    /* OP_NAMESPACE */
  bool has_size;
  uint64_t size; /* of the whole object where the answer tells */
  struct checksum checksums[HASH_ALG_COUNT]; /* of the whole object */
  struct composite composite;                /* where it is told instead */
  bool has_persisted;                        /* of a session that goes on: */
  uint64_t persisted;  /* bytes that it has, from the first */
  bool transformed;    /* the bytes are not those that are stored */
  int64_t min_wait_ms; /* before another attempt; 0 = as the policy says */
};

/* What a code of a provider's own means where that is more than its status
 * says, or something else. */
struct provider_code {
  const char *code;
  enum code_class class;
  const char *hint; /* what a person can do about it; may be NULL */
};

struct provider {
  const char *name;            /* "s3" */
  const char *scheme;          /* "s3" */
  uint64_t max_single;         /* most bytes of one PUT */
  uint64_t min_part, max_part; /* bytes of a part that is not the last one */
  unsigned max_parts;
  uint64_t max_object;
  size_t max_key;                    /* bytes */
  const char *meta_prefix;           /* "x-amz-meta-" */
  const struct provider_code *codes; /* N_CODES of them */
  size_t n_codes;
  unsigned hashes;     /* HASH_BIT of each digest that a body needs, beside the
                      SHA-256 that all have */
  unsigned checksums;  /* HASH_BIT of each that may be chosen for the options */
  unsigned told_whole; /* HASH_BIT of one of HASHES that combines, and is told
                          of an object that was made of parts */

  /* Where an upload in parts begins without a request: OUT gets an id made of
   * DICE, 16 random bytes.  NULL: OP_CREATE asks for one. */
  enum err (*own_upload_id)(const unsigned char *dice, struct buf *out);
  /* Uploads in parts take no condition: an object with one goes by OP_SESSION
   * in chunks of a multiple of this, unless keys sign it.  0: they do. */
  uint64_t session_unit;
  /* The body of OP_SESSION, appended: what the object is. */
  enum err (*session_body)(const struct object_options *, struct buf *out);
  int64_t skew_ms; /* a clock that is further off may be why a signature is
                      refused, and no code says so; 0: one does */
  const char *not_found_hint; /* what else a 404 may mean; NULL = nothing */
  bool asks_account;          /* OP_NAMESPACE finds an account that the target
                                 lacks */
  bool no_abort; /* parts that were not completed vanish by themselves: there
                    is no OP_ABORT */

  /* Derives OUT from the wish; ERR_USAGE names what is missing or wrong. */
  enum err (*locate)(const struct target *, const struct site_wish *,
                     struct site *out, struct error *);
  /* Applies a redirect to SITE: its region or place, through the provider's
   * own endpoint rule only.  *CHANGED tells whether anything did.
   * NULL: no answer names another place. */
  enum err (*relocate)(struct site *, const struct target *,
                       const struct op_result *, bool *changed, struct error *);
  /* The body of OP_COMPLETE, appended; PARTS in the order of their numbers.
   * Of the arguments, place and options count. */
  enum err (*complete_body)(const struct upload_part *parts, size_t n,
                            const struct op_args *, struct buf *out);
  /* Reads the body of a 2xx to OP_PARTS, which is too long to be captured: FN
   * gets each part, OUT what follows.  False when it is no such page, whole
   * and well-formed. */
  bool (*read_parts)(const char *body, size_t len, listed_part_fn *fn,
                     void *ctx, struct parts_page *out);
  /* Fills the zeroed request. */
  enum err (*build)(const struct op_args *, struct request *, struct error *);
  enum err (*sign)(struct request *, const struct op_args *,
                   const struct creds *, int64_t wall_ms, struct sign_trace *,
                   struct error *);
  /* Reads any answer, 2xx too.  Cannot fail: what is unreadable is absent. */
  void (*read)(const struct op_args *, const struct response *,
               struct op_result *);
  /* Appends why a signature was refused, if the answer shows it: what the
   * server signed against OURS.  NULL: it never does. */
  enum err (*refused_signature)(const struct response *,
                                const struct sign_trace *ours, struct buf *);
};

extern const struct provider prov_s3, prov_gcs;
extern const struct provider prov_azure;
extern const struct provider prov_oci;

/* The row of CODE; NULL when P has none. */
const struct provider_code *provider_code(const struct provider *p,
                                          const char *code);

/* What an error answer of STATUS with CODE means by P's codes: one that only
 * repeats what its status says leaves the word to the status, so that
 * --retry-on and kin can move it. */
enum code_class provider_class(const struct provider *p, const char *code,
                               int status);

/* "put", "get" ...: the report's `op`. */
const char *op_name(enum op op);

/* The digest ALG of A's body when it is known; borrowed, else NULL. */
const unsigned char *op_digest(const struct op_args *a, enum hash_alg alg);

/* Has a 2xx what an object store's answer has: an ETag, a date or the request's
 * name?  A page that a proxy puts in its place has not. */
bool op_result_is_genuine(const struct op_result *r);

/* Header value of a range: "bytes=0-9". */
enum err range_header(const struct range *r, struct buf *out)
    __attribute__((warn_unused_result));

/* The endpoint that W names.  ERR_USAGE names what is wrong and who said it. */
enum err site_endpoint(const struct site_wish *w, struct uri *out,
                       struct error *e) __attribute__((warn_unused_result));

/* *OUT, the caller's to free: the authority that T's requests go to. */
enum err site_host(const struct site *s, const struct target *t, char **out)
    __attribute__((warn_unused_result));

void site_release(struct site *s);

#endif
