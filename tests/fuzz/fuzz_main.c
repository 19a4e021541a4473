/* SPDX-License-Identifier: MIT
 *
 * fuzz_main - libFuzzer's door to one property of tests/tool/fuzz.c; built by
 * tests/fuzz/run with FUZZ_PROPERTY set to its name.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tool/fuzz.h"

#ifndef FUZZ_PROPERTY
#define FUZZ_PROPERTY fuzz_codec
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
  char *s = malloc(len + 1);
  if (s == NULL)
    return 0;
  if (len > 0)
    memcpy(s, data, len);
  s[len] = '\0';
  FUZZ_PROPERTY(s, len);
  free(s);
  return 0;
}
