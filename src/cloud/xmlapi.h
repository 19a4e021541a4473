/* SPDX-License-Identifier: MIT
 *
 * xmlapi - what S3 and Google's XML API have in common: error documents,
 * object headers, checksums, the documents of an upload in parts.
 *
 * Pure readers, and one writer; which code means what is each provider's own
 * table.
 */
#ifndef ANK_CLOUD_XMLAPI_H
#define ANK_CLOUD_XMLAPI_H

#include "cloud/provider.h"

/* Header names begin with this in one provider's answers: "x-amz-". */
struct xmlapi_dialect {
  const char *prefix;
};

/* Code, message and region of an <Error> document; false when the captured
 * body is none (or no XML at all). */
bool xmlapi_error(const struct response *r, struct op_result *out);

/* What the CODE of an <Error> inside a 2xx means, when no provider's own table
 * tells: CODE_TRANSIENT if it is not known as a refusal.  (providers.md 2.5) */
enum code_class xmlapi_late_class(const char *code);

/* Has a 2xx to A's operation what it must bring?  (providers.md 2.5: the status
 * of a completion comes before its work is done, and a proxy's page has any.)
 * Reads the documents of an upload in parts; the headers were read before. */
bool xmlapi_success(const struct op_args *a, const struct response *r,
                    struct op_result *out);

/* As struct provider's complete_body; SHA256: name the parts' digests, too.
 * OUT is as before on error. */
enum err xmlapi_complete_body(const struct upload_part *parts, size_t n,
                              bool sha256, struct buf *out)
    __attribute__((warn_unused_result));

/* As struct provider's read_parts. */
bool xmlapi_parts(const char *body, size_t len, listed_part_fn *fn, void *ctx,
                  struct parts_page *out);

/* As struct provider's refused_signature, from an <Error> document. */
enum err xmlapi_refused_signature(const struct response *r,
                                  const struct sign_trace *ours,
                                  struct buf *out)
    __attribute__((warn_unused_result));

/* ETag, size, dates, version, ids and the object's checksums from headers. */
void xmlapi_headers(const struct xmlapi_dialect *d, const struct response *r,
                    struct op_result *out);

/* Total length of the object from "Content-Range: bytes a-b/total"; all three
 * numbers when they are there.  False for anything else. */
bool xmlapi_content_range(const char *value, uint64_t *first, uint64_t *last,
                          uint64_t *total);

/* Total length from a 416's "bytes * /total" (without the blank). */
bool xmlapi_unsatisfied_range(const char *value, uint64_t *total);

#endif
