#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# policy/budget: the tokens that retries cost.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a budget's tokens are gRPC's" {
  table budget
}

@test "a budget is read, or is none" {
  table budget-spec
}
