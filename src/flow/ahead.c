/* SPDX-License-Identifier: MIT
 *
 * ahead - see ahead.h.
 */
#include "flow/ahead.h"

#include <stdlib.h>
#include <string.h>

static struct ahead_piece *nth(const struct ahead *a, unsigned i)
{
  return &a->pieces[(a->head + i) % a->most];
}

enum err ahead_set_up(struct ahead *a, unsigned most, struct error *e)
{
  a->pieces = calloc(most, sizeof *a->pieces);
  a->most = most;
  return a->pieces ? ERR_OK : err_set(e, ERR_INTERNAL, "out of memory");
}

static void free_data(struct ahead *a)
{
  for (unsigned i = 0; a->pieces && i < a->most; i++) {
    free(a->pieces[i].data);
    a->pieces[i].data = NULL;
  }
}

void ahead_begin(struct ahead *a, uint64_t at, size_t room)
{
  if (room != a->room)
    free_data(a);
  a->head = a->n = 0;
  a->room = room;
  a->at = at;
}

struct ahead_piece *ahead_next(struct ahead *a, uint64_t end)
{
  if (a->n == a->most)
    return NULL;
  uint64_t first = a->n ? nth(a, a->n - 1)->end : a->at;
  struct ahead_piece *p = nth(a, a->n++);
  *p = (struct ahead_piece){
      .first = first, .end = end, .reached = first, .data = p->data};
  return p;
}

enum err ahead_take(const struct ahead *a, struct ahead_piece *p,
                    const char *data, size_t len, struct error *e)
{
  if (!p->data)
    p->data = malloc(a->room);
  if (!p->data)
    return err_set(e, ERR_INTERNAL, "out of memory");
  memcpy(p->data + (p->reached - p->first), data, len);
  p->reached += len;
  return ERR_OK;
}

uint64_t ahead_doubt(const struct ahead *a, struct ahead_piece *p)
{
  p->reached = a->at > p->first ? a->at : p->first;
  return p->reached;
}

/* Up to where P's bytes may leave. */
static uint64_t free_to(const struct ahead_piece *p)
{
  return p->sure || p->reached < p->end ? p->reached : p->end - 1;
}

bool ahead_waits(const struct ahead *a)
{
  return a->n && free_to(nth(a, 0)) > a->at;
}

/* True when the first piece has been written. */
static bool leave(struct ahead *a)
{
  if (!a->n || a->at < nth(a, 0)->end)
    return false;
  a->head = (a->head + 1) % a->most;
  a->n--;
  return true;
}

static enum err write_first(struct ahead *a, struct error *e)
{
  const struct ahead_piece *p = nth(a, 0);
  const char *data = p->data + (a->at - p->first);
  long n = file_sink_write(a->sink, data, free_to(p) - a->at, e);
  if (n < 0)
    return e->code;
  if (a->wrote(a->ctx, a->at, data, (size_t)n))
    return err_set(e, ERR_INTERNAL, "hashing failed");
  a->at += (uint64_t)n;
  return ERR_OK;
}

enum err ahead_write(struct ahead *a, struct error *e)
{
  enum err err = ERR_OK;
  while (!err && ahead_waits(a)) {
    err = write_first(a, e);
    /* Something is left of it: the sink is full, or the rest has not come. */
    if (!err && !leave(a))
      break;
  }
  return err;
}

const char *ahead_bytes(const struct ahead *a, uint64_t at, uint64_t *len)
{
  for (unsigned i = 0; i < a->n; i++) {
    const struct ahead_piece *p = nth(a, i);
    if (at < p->first || at >= p->reached)
      continue;
    *len = p->reached - at;
    return p->data + (at - p->first);
  }
  return NULL;
}

uint64_t ahead_cut(struct ahead *a, unsigned most)
{
  uint64_t to = a->at;
  if (most < a->n)
    a->n = most;
  for (unsigned i = 0; i < a->n; i++) {
    struct ahead_piece *p = nth(a, i);
    if (p->reached < p->end)
      a->n = p->reached > p->first ? i + 1 : i;
    to = p->end = p->reached;
    p->sure = true;
  }
  while (leave(a))
    continue;
  return to;
}

void ahead_release(struct ahead *a)
{
  free_data(a);
  free(a->pieces);
  a->pieces = NULL;
}
