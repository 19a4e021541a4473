/* SPDX-License-Identifier: MIT
 *
 * upload_end - a side room of flow/upload: what comes behind the parts - the
 * last checks, the completion.
 */
#ifndef ANK_FLOW_UPLOAD_END_H
#define ANK_FLOW_UPLOAD_END_H

#include "flow/upload.h"

/* An upload as the server knows it. */
struct upload_state {
  char id[1024]; /* "" while there is none */
  char nonce[33];
  struct upload_part *parts; /* owned, in the order of their numbers */
  size_t n, room;
  bool lost; /* the server knows it no more: a new one may do */
  bool done; /* it was completed */
  bool keep; /* its completion may be under way: it is not dropped */
};

/* Keeps P among U's parts. */
enum err upload_note_part(struct upload_state *u, const struct upload_part *p,
                          struct error *e) __attribute__((warn_unused_result));

/* Is part NUMBER among them? */
bool upload_has_part(const struct upload_state *u, unsigned number);

/* Sets S->end when it fails. */
void upload_complete(struct engine *e, const struct put_wish *w,
                     struct upload_state *u, struct upload_source *source,
                     uint64_t sent, struct summary *s);

/* With no_clobber: is the object there already?  Then S->end is set, or
 * S->settled when it is the same.  SIZE: UINT64_MAX while it is not known. */
void upload_look(struct engine *e, const struct put_wish *w,
                 struct upload_source *source, uint64_t size,
                 struct summary *s);

/* A store that looks at the condition when an upload begins has refused it: is
 * it the same object?  S->end and S->settled say so; S->why does, if not. */
void upload_settle_begin(struct engine *e, const struct put_wish *w,
                         struct upload_source *source, uint64_t size,
                         struct summary *s);

/* Is the source what was promised: unchanged, ended well, of the expected size
 * and digest?  SENT: bytes that the parts hold. */
void upload_check_source(struct engine *e, const struct put_wish *w,
                         struct upload_source *source, uint64_t sent,
                         struct summary *s);

/* Is DIGEST, the SHA-256 of all, the one that was promised?  S tells it. */
void upload_check_digest(const struct put_wish *w, const unsigned char *digest,
                         struct summary *s);

/* ERR_LOCAL when CAME is another size than was promised; when it is MORE, the
 * end need not be awaited. */
enum err upload_check_size(const struct put_wish *w, uint64_t came, bool more,
                           struct error *e) __attribute__((warn_unused_result));

/* Has the command that is the stream failed already, whatever is still unread
 * of it?  Then S->end is set.  Not when a signal has come for all of us. */
bool upload_command_fails(struct stream *st, struct summary *s);

/* S takes over how J ended, a part that failed or the completion. */
void upload_job_ended(struct summary *s, struct upload_state *u,
                      const struct job *j);

/* The store's answer about an upload that it has lost says that it is not
 * there, or that its parts are not: of a later run's neither is true, so S may
 * not end as if asking again were no use. */
void upload_end_lost(const struct upload_state *u, struct summary *s);

#endif
