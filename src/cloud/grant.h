/* SPDX-License-Identifier: MIT
 *
 * grant - one request that gives credentials, and the ways to them, as values.
 *
 * A way begins with what is on this machine (perhaps nothing) and goes through
 * grants, each of which takes what the one before gave: a session token, the
 * name of a role, keys, the keys of another role.  A way without grants is
 * credentials that are there.  Who finds ways is io/credload, who asks is
 * flow/token, and what the requests look like is cloud/prov_token's.
 */
#ifndef ANK_CLOUD_GRANT_H
#define ANK_CLOUD_GRANT_H

#include <stdint.h>

#include "base/kv.h"
#include "base/uri.h"
#include "cloud/creds.h"
#include "cloud/message.h"

/* How the request shows what is in hand; nothing is shown that is not there. */
enum grant_proof {
  GRANT_NOTHING = 0,
  GRANT_HEADER, /* the token in the header TOKEN_AS */
  GRANT_BEARER, /* the token behind "Bearer " */
  GRANT_FORM,   /* the token as field TOKEN_AS, the secret as SECRET_AS */
  GRANT_SIGV4,  /* signed with the keys, for STS */
  GRANT_JWT,    /* CLAIMS signed with the secret, as the field "assertion" */
  GRANT_X509    /* certificates and SESSION_KEY's public half, signed by OCI's
                   rules with the instance's key */
};

/* What the answer is, and what of it is then in hand. */
enum grant_reply {
  GRANT_TEXT_TOKEN = 0, /* the body is the token */
  GRANT_TEXT_NAME,      /* its first line is a name: the key id */
  GRANT_JSON_TOKEN,     /* its member REPLY_MEMBER is the token */
  GRANT_STS_KEYS,       /* STS's XML */
  GRANT_SSO_KEYS,       /* roleCredentials of the SSO portal */
  GRANT_AWS_KEYS,       /* AccessKeyId ... of metadata services */
  GRANT_OAUTH,          /* access_token and expires_in: a bearer token */
  GRANT_IMPERSONATED,   /* accessToken and expireTime: a bearer token */
  GRANT_OCI_PLACE,      /* regionInfo: which host gives tokens */
  GRANT_OCI_REGION,     /* the same: the region is the key id, all of it the
                           token */
  GRANT_OCI_CERTIFICATE,
  GRANT_OCI_KEY,
  GRANT_OCI_TOKEN /* a session's token, for SESSION_KEY */
};

struct grant {
  enum method method;
  struct uri base;          /* owned: where, the path included */
  bool add_name;            /* the key id in hand is the path's end */
  bool host_in_hand;        /* it is the host, BASE has the rest */
  struct kv query, headers; /* no secrets */
  struct kv form;           /* the body, as a form; no secrets */
  struct kv claims;         /* GRANT_JWT */
  char *json;               /* owned: the body instead of FORM; NULL */
  char *key_name;           /* owned: GRANT_JWT, which key it is; NULL */
  char *region;             /* owned: GRANT_SIGV4 */
  char *session_key;        /* owned, secret: GRANT_X509, in PEM */
  enum grant_proof proof;
  char *token_as, *secret_as; /* owned; may be NULL */
  enum grant_reply reply;
  char *reply_member;   /* owned: GRANT_JSON_TOKEN */
  char *reply_header;   /* owned: NAME: VALUE that the answer must have; NULL */
  bool metadata;        /* a link-local place: asked on its own terms, and what
                           it gives is never kept */
  bool optional;        /* refused or silent: go on without */
  int64_t timeout_ms;   /* METADATA: of one attempt */
  uint64_t tries;       /* METADATA: attempts at a place that answers */
  bool retry_not_found; /* 404 and 410 are said for a while, too */
};

struct way {
  struct creds start;    /* in hand at first; kind CREDS_NONE: nothing */
  int64_t start_ends_ms; /* wall clock; 0 = not known */
  struct grant *grants;  /* owned */
  size_t n;
  struct buf name;    /* the source, for a person: becomes the creds' */
  bool named;         /* asked for by name: nothing behind it will do */
  struct error error; /* why it cannot be gone, or ERR_OK */
};

struct ways {
  struct way *items; /* owned; in the order in which they are tried */
  size_t n;
  struct buf looked; /* the places that had nothing, for a message */
};

/* Adds a zeroed, prepared one at the end; NULL: memory is out. */
struct way *ways_add(struct ways *w);
struct grant *way_add(struct way *w);

/* Takes the last one away. */
void ways_drop(struct ways *w);

/* Hex SHA-256 of all that W is: where, as whom and with which credential. */
enum err way_fingerprint(const struct way *w, char out[65])
    __attribute__((warn_unused_result));

/* May what it gives be kept for other runs? */
bool way_may_be_kept(const struct way *w);

void grant_release(struct grant *g);
void ways_release(struct ways *w);

#endif
