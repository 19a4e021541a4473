#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/kv: headers and parameters.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a list keeps its order, finds names in any case and lets no line break in" {
  table kv
}
