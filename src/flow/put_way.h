/* SPDX-License-Identifier: MIT
 *
 * put_way - a side room of flow/put: in how many requests an object goes,
 * and whether any would be sent now.
 */
#ifndef ANK_FLOW_PUT_WAY_H
#define ANK_FLOW_PUT_WAY_H

#include "flow/upload.h"

/* Does a file of SIZE bytes go in one request? */
bool put_way_is_single(const struct engine *e, const struct put_wish *w,
                       uint64_t size);

/* A stream of more than ROOM bytes was read that takes no upload in parts:
 * ERR_LOCAL. */
enum err put_way_refuse(const struct engine *e, uint64_t room,
                        struct error *err) __attribute__((warn_unused_result));

/* Bytes of a stream that are held before the first request. */
enum err put_way_room(const struct engine *e, const struct put_wish *w,
                      const struct upload_source *source, uint64_t *room,
                      struct error *err) __attribute__((warn_unused_result));

/* Before work that would be in vain if nothing could be sent behind it: has the
 * run its credentials, time left, and leave of what runs share?  Waits for its
 * turn as a request would, and sends none for the object.  S says why not. */
bool put_way_is_open(struct engine *e, struct summary *s);

#endif
