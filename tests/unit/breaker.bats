#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# policy/breaker: one step, whoever asks or tells.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a breaker opens, lets one probe through, and closes or opens for longer" {
  table breaker
}

@test "--breaker sets any part of the policy, and nonsense sets none" {
  table breaker-spec
}
