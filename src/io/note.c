/* SPDX-License-Identifier: MIT
 *
 * note - see note.h.
 */
#include "io/note.h"

#include <cjson/cJSON.h>

enum err note_write(struct buf *out, const struct kv *facts)
{
  cJSON *json = cJSON_CreateObject();
  bool ok = json != NULL;
  for (size_t i = 0; i < facts->n && ok; i++)
    ok = cJSON_AddStringToObject(json, facts->pairs[i].name,
                                 facts->pairs[i].value) != NULL;
  char *text = ok ? cJSON_PrintUnformatted(json) : NULL;
  enum err err = text ? buf_addf(out, "%s\n", text) : ERR_INTERNAL;
  cJSON_free(text);
  cJSON_Delete(json);
  return err;
}

bool note_read(const char *line, size_t len, struct kv *out)
{
  const char *end = NULL;
  cJSON *json = cJSON_ParseWithLengthOpts(line, len, &end, false);
  bool ok = cJSON_IsObject(json) && end == line + len;
  const cJSON *item = ok ? json->child : NULL;
  for (; item && ok; item = item->next)
    ok = cJSON_IsString(item) &&
         !kv_add(out, item->string, item->valuestring, NULL);
  cJSON_Delete(json);
  if (!ok)
    kv_clear(out);
  return ok;
}
