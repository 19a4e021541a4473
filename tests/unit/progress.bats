#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# flow/progress: the words of the progress line, and its rate.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "the line has percent, bytes, rate, time left, attempt and wait, and fits" {
  table progress
}

@test "the rate is smoothed over some seconds" {
  table progress-rate
}

@test "the line outlives a failed allocation" {
  memory progress <<<'80 k 1 2 3 2 3 1000 why'
}
