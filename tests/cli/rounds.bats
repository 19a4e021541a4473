#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Random transfers to four services through random trouble, in virtual time; some
# with --no-clobber, some ended and continued.
#   ROUNDS=100 SEED=7 bats tests/cli/rounds.bats
# Always the same ones, unless told; tests/long tries others.

load ../lib/harness

@test "whatever happens: the same bytes, or a failure and nothing partial" {
  mkdir rounds
  "$PYTHON" "$HARNESS_TOP/tests/lib/rounds.py" --build "$ANK_BUILD" \
    --dir "$T/rounds" --seed "${SEED:-1}" --rounds "${ROUNDS:-25}" \
    --seconds "${SECONDS_MOST:-20}"
}
