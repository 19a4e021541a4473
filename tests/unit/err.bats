#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/err and base/buf: how a run ends, and what it is said in.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "each outcome has its exit status" {
  table exit
}

@test "a message is cut between characters and can be put behind a prefix" {
  table message
}

@test "a buffer that would pass its maximum stays as it was" {
  table buf
}
