/* SPDX-License-Identifier: MIT
 *
 * hash_rsa - base/hash's side room for RSA: private keys out of PEM or made for
 * one run, and signatures with them.
 *
 * A key is opened once, with its pass phrase, and from then on is PEM text
 * without one, so that the signers need no second secret and no state.
 * Nothing here prompts, whatever terminal there is.
 */
#ifndef ANK_BASE_HASH_RSA_H
#define ANK_BASE_HASH_RSA_H

#include <stddef.h>

#include "base/buf.h"

/* The first private key in PEM, PKCS#1 or PKCS#8, encrypted or not; text
 * around it (a label that a console adds behind it) is passed over.  PASS may
 * be NULL.  OUT, which should be secret, becomes the key as PKCS#8 PEM that is
 * not encrypted.  ERR_CREDENTIALS, worded to stand behind the name of a file,
 * when there is none, it is not RSA, or the pass phrase is missing or wrong;
 * OUT is then untouched. */
enum err hash_rsa_open(const char *pem, size_t len, const char *pass,
                       struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* OUT, which should be secret, becomes a new key of 2048 bits in the form of
 * hash_rsa_open.  Takes OpenSSL's dice: not for pure rooms. */
enum err hash_rsa_make(struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* The public half of KEY: base64 of DER, SubjectPublicKeyInfo, appended.
 * ERR_CREDENTIALS when KEY is not in the form of hash_rsa_open. */
enum err hash_rsa_public(const struct buf *key, struct buf *out,
                         struct error *e) __attribute__((warn_unused_result));

/* RSA PKCS#1 v1.5 with SHA-256 of DATA, appended to OUT as raw bytes.  KEY is
 * what hash_rsa_open made; ERR_CREDENTIALS when it is no such thing. */
enum err hash_rsa_sha256(const struct buf *key, const void *data, size_t len,
                         struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* The MD5 of the public key (DER, SubjectPublicKeyInfo), as pairs of hex
 * digits with colons between, appended: how Oracle names an API key. */
enum err hash_rsa_fingerprint(const struct buf *key, struct buf *out,
                              struct error *e)
    __attribute__((warn_unused_result));

#endif
