#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Random transfers to four services through random trouble, hundreds of them, and
# larger ones.
# Takes minutes.
#   ROUNDS=1000 SEED=7 bats tests/long/rounds.bats

load ../lib/harness

@test "whatever happens: the same bytes, or a failure and nothing partial" {
  mkdir rounds
  "$PYTHON" "$HARNESS_TOP/tests/lib/rounds.py" --build "$ANK_BUILD" \
    --dir "$T/rounds" --seed "${SEED:-$(date +%s)}" --rounds "${ROUNDS:-400}" \
    --most $((64 << 20))
}
