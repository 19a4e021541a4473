/* SPDX-License-Identifier: MIT
 *
 * config_continue - see config_continue.h.
 */
#include "cli/config_continue.h"

static enum err refuse(const struct opt *o, const char *what, struct error *e)
{
  return err_set(e, ERR_USAGE, "%s: %s", opt_source(o, OPT_CONTINUE), what);
}

enum err config_check_continue(const struct config *c, const struct opt *o,
                               struct error *e)
{
  if (!opt_flag(o, OPT_CONTINUE) || c->abort_upload)
    return ERR_OK;
  if (c->head)
    return refuse(o, "does not go with --head", e);
  if (c->range.present)
    return refuse(o, "does not go with --range", e);
  if (c->file || c->n_files)
    return ERR_OK;
  return o->program == OPT_PUT
             ? refuse(o, "needs a FILE: what comes once cannot be read again",
                      e)
             : refuse(o, "needs a FILE: nothing is kept of a stream", e);
}
