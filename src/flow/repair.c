/* SPDX-License-Identifier: MIT
 *
 * repair - see repair.h.
 */
#include "flow/repair.h"

#include "flow/token.h"

/* No chain of answers may keep a request going round. */
enum { MOST_REPAIRS = 8 };

bool repair_region(struct engine *e, const struct op_result *r,
                   struct error *err)
{
  bool changed = false;
  if (!e->provider->relocate ||
      e->provider->relocate(&e->site, e->target, r, &changed, err) || !changed)
    return false;
  e->site_gen++;
  return true;
}

/* A region is followed once a run, and so is a temporary place. */
static enum repair redirect(struct job *j, struct error *e)
{
  struct engine *en = j->engine;
  const struct op_result *r = &j->result;
  if (j->site_gen != en->site_gen)
    return REPAIR_DONE;
  if (!r->region[0] && !r->location[0])
    return j->op == OP_BUCKET || en->region_moves++ ? REPAIR_NONE
                                                    : REPAIR_ASK_REGION;
  unsigned *moves = r->region[0] ? &en->region_moves : &en->place_moves;
  if (*moves >= 1)
    return REPAIR_NONE;
  (*moves)++;
  return repair_region(en, r, e) ? REPAIR_DONE : REPAIR_NONE;
}

/* The server's Date against our clock at the moment its answer was read. */
static enum repair reclock(struct job *j, struct now now)
{
  struct engine *en = j->engine;
  const char *date = kv_get(&j->headers, "date");
  int64_t server_s;
  if (j->clock_gen != en->clock_gen)
    return REPAIR_DONE;
  if (!date || !date_parse_http(date, now.wall_ms, &server_s) ||
      en->clock_gen > 0)
    return REPAIR_NONE;
  en->clock_offset_ms = server_s * 1000 - now.wall_ms;
  en->clock_gen++;
  return REPAIR_DONE;
}

/* Those of a file are there at once; others are asked for while J waits. */
static enum repair reauth(struct job *j, struct error *e)
{
  struct engine *en = j->engine;
  if (j->creds_gen != en->creds_gen)
    return REPAIR_DONE;
  if (!en->sign || j->op == OP_TOKEN)
    return REPAIR_NONE;
  switch (token_reload(en, e)) {
  case TOKEN_HAVE:
    return REPAIR_DONE;
  case TOKEN_ASK:
    j->refused = true;
    return REPAIR_ASK_TOKEN;
  case TOKEN_SAME:
  case TOKEN_FAILED:
    break;
  }
  return REPAIR_NONE;
}

/* Where a refusal does not say which of the two it is about. */
static bool is_clock_off(const struct job *j, struct now now)
{
  const char *date = kv_get(&j->headers, "date");
  int64_t most = j->engine->provider->skew_ms, off, server_s;
  if (!most || !date || !date_parse_http(date, now.wall_ms, &server_s))
    return false;
  off = server_s * 1000 - now.wall_ms - j->engine->clock_offset_ms;
  return off > most || off < -most;
}

static enum repair add_checksum(struct job *j)
{
  struct engine *en = j->engine;
  if (j->hashes_gen != en->hashes_gen)
    return REPAIR_DONE;
  if (en->hashes & HASH_BIT(HASH_MD5) || !j->args.body.present)
    return REPAIR_NONE;
  en->hashes |= HASH_BIT(HASH_MD5);
  en->hashes_gen++;
  return REPAIR_DONE;
}

static enum repair once(bool *done)
{
  if (*done)
    return REPAIR_NONE;
  *done = true;
  return REPAIR_DONE;
}

enum repair repair_job(struct job *j, const struct attempt_end *end,
                       struct now now, struct error *e)
{
  if (++j->repairs > MOST_REPAIRS)
    return REPAIR_NONE;
  switch ((int)end->judgement.verdict) {
  case VERDICT_REDIRECT:
    return redirect(j, e);
  case VERDICT_RECLOCK:
    return reclock(j, now);
  case VERDICT_REAUTH:
    return is_clock_off(j, now) ? reclock(j, now) : reauth(j, e);
  case VERDICT_ADD_CHECKSUM:
    return add_checksum(j);
  case VERDICT_DROP_EXPECT:
    return once(&j->no_expect);
  case VERDICT_RESEND:
    return once(&j->resent);
  default:
    return REPAIR_NONE;
  }
}
