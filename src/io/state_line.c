/* SPDX-License-Identifier: MIT
 *
 * state_line - see state_line.h.
 */
#include "io/state_line.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

#define NUMBER(name, member)             \
  {                                      \
    name, offsetof(struct scope, member) \
  }

/* Whole numbers of 0 or more, in the order of the line. */
static const struct {
  const char *name;
  size_t offset;
} numbers[] = {NUMBER("seen", seen_ms),
               NUMBER("success_at", success_at_ms),
               NUMBER("failures", breaker.failures),
               NUMBER("failed_at", breaker.failed_at_ms),
               NUMBER("opened_at", breaker.opened.at_ms),
               NUMBER("open_ms", breaker.opened.length_ms),
               NUMBER("lease_at", breaker.lease.at_ms),
               NUMBER("lease_ms", breaker.lease.length_ms),
               NUMBER("window_at", breaker.window_at_ms),
               NUMBER("hold_at", hold.at_ms),
               NUMBER("hold_ms", hold.length_ms),
               NUMBER("budget_spent", budget.spent),
               NUMBER("budget_max", budget.max),
               NUMBER("budget_at", budget.at_ms),
#define COUNTER(name) NUMBER(#name, counters.name),
               SCOPE_COUNTERS(COUNTER)
#undef COUNTER
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

/* JSON's numbers are doubles; beyond this they lose units. */
#define MOST 9007199254740991.0

static int64_t *at(struct scope *s, size_t i)
{
  return (int64_t *)(void *)((char *)s + numbers[i].offset);
}

static bool add_number(cJSON *to, const char *name, int64_t n)
{
  char digits[24];
  if (n == 0)
    return true;
  snprintf(digits, sizeof digits, "%" PRId64, n);
  return cJSON_AddRawToObject(to, name, digits) != NULL;
}

/* Adds ITEM, which is NULL when memory is out, to LIST. */
static bool append(cJSON *list, cJSON *item)
{
  if (item)
    cJSON_AddItemToArray(list, item);
  return item != NULL;
}

static bool append_number(cJSON *list, int64_t n)
{
  return append(list, cJSON_CreateNumber((double)n));
}

static bool add_window(cJSON *to, const struct breaker *b)
{
  bool any = false;
  for (int i = 0; i < BREAKER_WINDOW_SLOTS; i++)
    any = any || b->window[i].calls;
  if (!any)
    return true;
  cJSON *list = cJSON_AddArrayToObject(to, "window");
  bool ok = list != NULL;
  for (int i = 0; i < BREAKER_WINDOW_SLOTS && ok; i++)
    ok = append_number(list, b->window[i].calls) &&
         append_number(list, b->window[i].failures);
  return ok;
}

static bool add_marks(cJSON *to, const struct scope *s)
{
  char object[24];
  if (!s->marks[0].at_ms)
    return true;
  cJSON *list = cJSON_AddArrayToObject(to, "marks");
  bool ok = list != NULL;
  for (int i = 0; i < SCOPE_MAX_MARKS && s->marks[i].at_ms && ok; i++) {
    snprintf(object, sizeof object, "%016" PRIx64, s->marks[i].object);
    ok = append(list, cJSON_CreateString(object)) &&
         append_number(list, s->marks[i].at_ms);
  }
  return ok;
}

static bool add_recent(cJSON *to, const struct breaker *b)
{
  if (!b->recent_ms[0])
    return true;
  cJSON *list = cJSON_AddArrayToObject(to, "recent");
  bool ok = list != NULL;
  for (int i = 0; i < BREAKER_MAX_RECENT && b->recent_ms[i] && ok; i++)
    ok = append_number(list, b->recent_ms[i]);
  return ok;
}

static bool fill(cJSON *json, const char *name, const struct scope *scope)
{
  struct scope copy = *scope;
  bool ok = cJSON_AddStringToObject(json, "scope", name) != NULL;
  ok = ok && add_number(json, "open", scope->breaker.open);
  ok = ok && add_number(json, "holder", (int64_t)scope->breaker.holder);
  for (size_t i = 0; i < N_NUMBERS && ok; i++)
    ok = add_number(json, numbers[i].name, *at(&copy, i));
  ok = ok && add_window(json, &scope->breaker);
  ok = ok && add_recent(json, &scope->breaker);
  ok = ok && add_marks(json, scope);
  if (ok && scope->last_error[0])
    ok = cJSON_AddStringToObject(json, "last_error", scope->last_error);
  return ok;
}

enum err state_line_write(struct buf *out, const char *name,
                          const struct scope *scope)
{
  cJSON *json = cJSON_CreateObject();
  char *text =
      json && fill(json, name, scope) ? cJSON_PrintUnformatted(json) : NULL;
  enum err err = text ? buf_addf(out, "%s\n", text) : ERR_INTERNAL;
  cJSON_free(text);
  cJSON_Delete(json);
  return err;
}

enum err state_line_head(struct buf *out, const char *name)
{
  return buf_addf(out, "{\"scope\":\"%s\"", name);
}

/* 0 for anything that is no number of 0 or more. */
static int64_t whole(const cJSON *item)
{
  return cJSON_IsNumber(item) && item->valuedouble > 0 &&
                 item->valuedouble <= MOST
             ? (int64_t)item->valuedouble
             : 0;
}

static int64_t number_of(const cJSON *json, const char *name)
{
  return whole(cJSON_GetObjectItemCaseSensitive(json, name));
}

static void read_window(const cJSON *json, struct breaker *b)
{
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "window");
  if (cJSON_GetArraySize(list) != 2 * BREAKER_WINDOW_SLOTS)
    return;
  for (int i = 0; i < 2 * BREAKER_WINDOW_SLOTS; i++) {
    const cJSON *item = cJSON_GetArrayItem(list, i);
    int64_t n =
        cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e9
            ? (int64_t)item->valuedouble
            : 0;
    if (i % 2)
      b->window[i / 2].failures = n;
    else
      b->window[i / 2].calls = n;
  }
}

static void read_recent(const cJSON *json, struct breaker *b)
{
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "recent");
  const cJSON *item;
  int n = 0;
  cJSON_ArrayForEach(item, list) if (n < BREAKER_MAX_RECENT && whole(item))
      b->recent_ms[n++] = whole(item);
}

/* Two items a mark: which object, in hexadecimal, and when. */
static void read_marks(const cJSON *json, struct scope *s)
{
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "marks");
  int n = 0;
  for (const cJSON *item = list ? list->child : NULL;
       item && item->next && n < SCOPE_MAX_MARKS; item = item->next->next)
    if (cJSON_IsString(item) && whole(item->next) &&
        codec_hex_u64(item->valuestring, &s->marks[n].object))
      s->marks[n++].at_ms = whole(item->next);
}

/* No policy and no operator has a longer one: it is damage. */
static void sane(struct span_ms *s)
{
  const int64_t longest = INT64_C(366) * 86400 * 1000;
  if (s->length_ms > longest)
    *s = (struct span_ms){0, 0};
}

static void read_fields(const cJSON *json, struct scope *out)
{
  const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "last_error");
  for (size_t i = 0; i < N_NUMBERS; i++)
    *at(out, i) = number_of(json, numbers[i].name);
  out->breaker.open = number_of(json, "open") != 0;
  out->breaker.holder = (uint64_t)number_of(json, "holder");
  read_window(json, &out->breaker);
  read_recent(json, &out->breaker);
  read_marks(json, out);
  sane(&out->breaker.opened);
  sane(&out->breaker.lease);
  sane(&out->hold);
  if (cJSON_IsString(error))
    snprintf(out->last_error, sizeof out->last_error, "%.63s",
             error->valuestring);
}

bool state_line_read(const char *line, size_t len, struct buf *name,
                     struct scope *out)
{
  *out = (struct scope){0};
  cJSON *json = cJSON_ParseWithLength(line, len);
  const cJSON *scope = cJSON_GetObjectItemCaseSensitive(json, "scope");
  bool ok = cJSON_IsString(scope) && scope->valuestring[0];
  if (ok && name)
    ok = !buf_sets(name, scope->valuestring);
  if (ok)
    read_fields(json, out);
  cJSON_Delete(json);
  return ok;
}
