/* SPDX-License-Identifier: MIT
 *
 * hash_x509 - base/hash's side room for certificates.
 */
#ifndef ANK_BASE_HASH_X509_H
#define ANK_BASE_HASH_X509_H

#include <stddef.h>

#include "base/buf.h"

/* The certificate number NTH, from 0, of those in PEM: all are appended, may be
 * NULL.  BASE64: its DER.  SHA1: its fingerprint, as pairs of hex digits with
 * colons between.  SUBJECT: the values of its subject's attributes, a line
 * each.  False: there is none, or memory is out. */
bool hash_x509_read(const char *pem, size_t len, unsigned nth,
                    struct buf *base64, struct buf *sha1, struct buf *subject);

#endif
