/* SPDX-License-Identifier: MIT
 *
 * sas - a shared access signature of Azure in its one right form.
 *
 * People have it raw, encoded, encoded twice, with a '?' before it or in a
 * whole URL; all of these become the query that the service takes.  Pure.
 * Source: learn.microsoft.com/rest/api/storageservices/create-service-sas
 */
#ifndef ANK_CLOUD_SAS_H
#define ANK_CLOUD_SAS_H

#include "base/buf.h"

/* Appends TEXT as "name=value&...", encoded once, in its order, without the
 * parameters that say what is asked for (comp, restype ...).  ERR_CREDENTIALS
 * when it holds no signature or one that is none; the message quotes nothing
 * of it. */
enum err sas_normal(const char *text, struct buf *out, struct error *e)
    __attribute__((warn_unused_result));

/* Appends the QUERY of a blob's URL: as it is where the service reads it right
 * or it holds no SAS, else in its one right form. */
enum err sas_of_url(const char *query, struct buf *out)
    __attribute__((warn_unused_result));

/* Appends the signature of NORMAL, encoded and, as OTHER, decoded: both are
 * secret wherever they show up. */
enum err sas_signature(const char *normal, struct buf *out, struct buf *other)
    __attribute__((warn_unused_result));

#endif
