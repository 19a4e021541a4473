#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The matrix is complete, and sees what it should see.

load plays

@test "docs/providers.md says what the scenarios show, each is played by all" {
  "${PYTHON:-/usr/bin/python3}" "$MATRIX/table.py"
}

@test "each fault that is planted is found" {
  local told
  ! plays s3 planted.json >"$BATS_TEST_TMPDIR/told" || return 1
  told=$(tail -n 1 "$BATS_TEST_TMPDIR/told")
  [ "$told" = '17 played, 17 failed' ] || { cat "$BATS_TEST_TMPDIR/told"; return 1; }
}
