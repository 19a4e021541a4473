/* SPDX-License-Identifier: MIT
 *
 * plan - see plan.h.
 *
 * The one product is a part's size times the number of parts, at most what the
 * provider states for both: 48.8 TiB or some hundreds.
 */
#include "policy/plan.h"

#include <inttypes.h>

#define MIB (UINT64_C(1) << 20)

enum { MOST_STEP = 500, STEPS = 20 };

static uint64_t min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
  return a / b + (a % b != 0);
}

static enum err check_part_size(const struct plan_limits *l,
                                const struct plan_wish *w, struct error *e)
{
  if (!w->part_size ||
      (w->part_size >= l->min_part && w->part_size <= l->max_part))
    return ERR_OK;
  return err_set(e, ERR_USAGE,
                 "--part-size %" PRIu64 ": a part has %" PRIu64 " to %" PRIu64
                 " bytes",
                 w->part_size, l->min_part, l->max_part);
}

static struct plan begin(const struct plan_limits *l, const struct plan_wish *w)
{
  return (struct plan){
      .max_parts = l->max_parts,
      .most = min_u64(l->max_object, l->max_part * l->max_parts),
      .buffer_limit = w->buffer_limit,
      .parallel = w->parallel < l->max_parts ? w->parallel : l->max_parts,
  };
}

static uint64_t wished_part(const struct plan_limits *l,
                            const struct plan_wish *w, uint64_t fallback)
{
  return w->part_size ? w->part_size
                      : min_u64(max_u64(fallback, l->min_part), l->max_part);
}

static uint64_t usual_part(const struct plan_limits *l)
{
  return l->usual_part ? l->usual_part : PLAN_PART;
}

/* Whole MiB keep parts apart at the boundaries of pages and disks. */
static uint64_t needed_part(const struct plan_limits *l, uint64_t size)
{
  return divide_up(divide_up(size, l->max_parts), MIB) * MIB;
}

enum err plan_file(struct plan *p, const struct plan_limits *limits,
                   const struct plan_wish *wish, uint64_t size, struct error *e)
{
  enum err err = check_part_size(limits, wish, e);
  *p = begin(limits, wish);
  p->size = size;
  if (err)
    return err;
  if (size > p->most)
    return err_set(e, ERR_LOCAL,
                   "%" PRIu64 " bytes are more than an object may have "
                   "(%" PRIu64 ")",
                   size, p->most);
  uint64_t wished = wished_part(limits, wish, usual_part(limits));
  p->first =
      min_u64(max_u64(wished, needed_part(limits, size)), limits->max_part);
  p->ceiling = p->first;
  return ERR_OK;
}

unsigned plan_count(const struct plan *p)
{
  return p->size ? (unsigned)divide_up(p->size, p->first) : 1;
}

void plan_part(const struct plan *p, unsigned number, uint64_t *offset,
               uint64_t *length)
{
  *offset = min_u64((uint64_t)(number - 1) * p->first, p->size);
  *length = min_u64(p->first, p->size - *offset);
}

/* ---- streams ---- */

static uint64_t grown(const struct plan *p, unsigned doublings)
{
  uint64_t size = p->first;
  while (doublings-- && size < p->ceiling)
    size *= 2;
  return min_u64(size, p->ceiling);
}

static uint64_t sum(const struct plan *p)
{
  uint64_t all = 0;
  unsigned done = 0;
  for (unsigned doublings = 0; done < p->max_parts; doublings++) {
    unsigned n = p->max_parts - done < p->step ? p->max_parts - done : p->step;
    all += n * grown(p, doublings);
    done += n;
  }
  return all;
}

/* As many as are sent at once, and the one that is read. */
static uint64_t fitting_part(const struct plan *p)
{
  if (p->max_parts == 1)
    return p->buffer_limit;
  uint64_t fit = p->buffer_limit / (p->parallel + 1);
  return fit > MIB ? fit / MIB * MIB : fit;
}

static void lay_out_equal(struct plan *p, const struct plan_limits *l,
                          const struct plan_wish *w)
{
  uint64_t size = w->expected
                      ? max_u64(usual_part(l), needed_part(l, w->expected))
                      : fitting_part(p);
  p->first = wished_part(l, w, min_u64(size, p->buffer_limit));
  p->ceiling = p->first;
  p->step = p->max_parts;
  p->most = min_u64(p->most, p->first * p->max_parts);
}

/* Half, so that one part can be read while the one before is sent. */
static void lay_out(struct plan *p, const struct plan_limits *l,
                    const struct plan_wish *w)
{
  uint64_t half = p->buffer_limit / 2;
  if (l->equal) {
    lay_out_equal(p, l, w);
    return;
  }
  p->first = wished_part(l, w, min_u64(usual_part(l), half));
  p->ceiling = max_u64(p->first, min_u64(half, l->max_part));
  p->step = l->max_parts / STEPS < MOST_STEP ? l->max_parts / STEPS : MOST_STEP;
  if (!p->step)
    p->step = 1;
  p->most = min_u64(p->most, sum(p));
}

/* The least doubling of the buffer limit that takes what is expected; 0. */
static uint64_t buffer_for(const struct plan_limits *l,
                           const struct plan_wish *w)
{
  struct plan_wish more = *w;
  while (more.buffer_limit / 2 < l->max_part) {
    more.buffer_limit *= 2;
    struct plan p = begin(l, &more);
    lay_out(&p, l, &more);
    if (p.most >= w->expected)
      return more.buffer_limit;
  }
  return 0;
}

static enum err refuse_expected(const struct plan *p,
                                const struct plan_limits *l,
                                const struct plan_wish *w, struct error *e)
{
  uint64_t enough = buffer_for(l, w);
  if (w->expected > l->max_object)
    return err_set(e, ERR_USAGE,
                   "--expected-size %" PRIu64 ": an object has at most %" PRIu64
                   " bytes",
                   w->expected, l->max_object);
  if (enough)
    return err_set(e, ERR_USAGE,
                   "--expected-size %" PRIu64 ": %u parts within "
                   "--buffer-limit %" PRIu64 " hold at most %" PRIu64
                   " bytes; --buffer-limit %" PRIu64 " would do",
                   w->expected, p->max_parts, p->buffer_limit, p->most, enough);
  return err_set(e, ERR_USAGE,
                 "--expected-size %" PRIu64 ": %u parts that begin at "
                 "%" PRIu64 " bytes hold at most %" PRIu64
                 "; it takes a larger --part-size and --buffer-limit",
                 w->expected, p->max_parts, p->first, p->most);
}

enum err plan_stream(struct plan *p, const struct plan_limits *limits,
                     const struct plan_wish *wish, struct error *e)
{
  enum err err = check_part_size(limits, wish, e);
  *p = begin(limits, wish);
  p->stream = true;
  p->expected = wish->expected > 0;
  if (err)
    return err;
  lay_out(p, limits, wish);
  if (p->first > p->buffer_limit)
    return err_set(e, ERR_USAGE,
                   "--buffer-limit %" PRIu64 ": a part of %" PRIu64
                   " bytes does not fit",
                   p->buffer_limit, p->first);
  return wish->expected > p->most ? refuse_expected(p, limits, wish, e)
                                  : ERR_OK;
}

/* ---- both ---- */

uint64_t plan_size(const struct plan *p, unsigned number)
{
  uint64_t offset, length;
  if (number < 1 || number > p->max_parts)
    return 0;
  if (p->stream)
    return grown(p, (number - 1) / p->step);
  plan_part(p, number, &offset, &length);
  return length;
}

uint64_t plan_most(const struct plan *p)
{
  return p->most;
}

unsigned plan_held(const struct plan *p, unsigned number)
{
  uint64_t size = p->stream ? plan_size(p, number) : p->first;
  uint64_t fit = size ? p->buffer_limit / size : 0;
  return fit > p->parallel ? p->parallel + 1 : (unsigned)fit;
}

bool plan_warns(const struct plan *p, unsigned number)
{
  return p->stream && !p->expected && number == p->max_parts / 2;
}
