/* SPDX-License-Identifier: MIT
 *
 * hash_x509 - see hash_x509.h.
 */
#include "base/hash_x509.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/hash.h"

/* Takes DER over. */
static bool add_base64(struct buf *out, unsigned char *der, int len)
{
  bool good = len > 0 && !hash_base64(out, der, (size_t)len);
  OPENSSL_free(der);
  return good;
}

static X509 *find(const char *pem, size_t len, unsigned nth)
{
  BIO *in = len > INT_MAX ? NULL : BIO_new_mem_buf(len ? pem : "", (int)len);
  X509 *found = NULL;
  for (unsigned i = 0; in && i <= nth; i++) {
    X509_free(found);
    found = PEM_read_bio_X509(in, NULL, NULL, NULL);
    if (!found)
      break;
  }
  BIO_free(in);
  ERR_clear_error();
  return found;
}

static bool add_sha1(const X509 *x, struct buf *out)
{
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned len = 0;
  bool good = X509_digest(x, EVP_sha1(), sum, &len) == 1;
  for (unsigned i = 0; i < len && good; i++)
    good = !buf_addf(out, "%s%02x", i ? ":" : "", sum[i]);
  return good;
}

static bool add_subject(const X509 *x, struct buf *out)
{
  const X509_NAME *name = X509_get_subject_name(x);
  bool good = true;
  for (int i = 0; i < X509_NAME_entry_count(name) && good; i++) {
    const ASN1_STRING *value =
        X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i));
    good = !buf_add(out, ASN1_STRING_get0_data(value),
                    (size_t)ASN1_STRING_length(value)) &&
           !buf_addc(out, '\n');
  }
  return good;
}

bool hash_x509_read(const char *pem, size_t len, unsigned nth,
                    struct buf *base64, struct buf *sha1, struct buf *subject)
{
  X509 *x = find(pem, len, nth);
  unsigned char *der = NULL;
  if (!x)
    return false;
  int der_len = base64 ? i2d_X509(x, &der) : 0;
  bool good = (!base64 || add_base64(base64, der, der_len)) &&
              (!sha1 || add_sha1(x, sha1)) &&
              (!subject || add_subject(x, subject));
  X509_free(x);
  ERR_clear_error();
  return good;
}
