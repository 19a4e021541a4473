#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# --continue, killed at random moments: what is there is old or new, never a
# part, and the next run brings it to its end. Takes minutes.
#   KILLS=20 SEED=7 bats tests/long/continue.bats

load ../lib/harness
load ../cli/bytes
load ../cli/continue

bats_require_minimum_version 1.5.0

KILLS=${KILLS:-200}

# killed_after MS PROGRAM ARG...: the program, killed when that time is over;
# KILLED counts those that were not done before. SPAN, the time that moments are
# drawn from, follows: about every second run is killed, however busy the
# machine.
killed_after() {
  local ms=$1
  shift
  ank_prepare "$@"
  status=0
  timeout -s KILL "$(printf '0.%03d' "$ms")" "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" ||
    status=$?
  [ "$status" = 0 ] || [ "$status" = 137 ]
  if [ "$status" = 0 ]; then
    SPAN=$((SPAN * 9 / 10 + 8))
  else
    KILLED=$((KILLED + 1))
    SPAN=$((SPAN * 10 / 9))
  fi
}

# moment: a random one within SPAN.
moment() { echo $((1 + RANDOM % (SPAN > 998 ? 998 : SPAN))); }

# one_of PATH FILE...: PATH has the bytes of one of the files.
one_of() {
  local file
  for file in "${@:2}"; do
    ! cmp -s "$1" "$file" || return 0
  done
  echo "$1 is none of ${*:2}" >&2
  return 1
}

@test "an upload killed at random moments: old or new, and then continued" {
  local i name SPAN KILLED=0 kept=0 left
  RANDOM=${SEED:-1}
  new_file $((11 << 20)) a 1 >/dev/null
  new_file $((11 << 20)) b 2 >/dev/null
  cloud
  run_ank ankput "${PARTED[@]}" -P 2 b s3://bucket/k
  assert_exit 0
  SPAN=$(json result elapsed_ms)
  for ((i = 0; KILLED < KILLS && i < KILLS * 8; i++)); do
    name=a
    [ $((i % 2)) = 0 ] || name=b
    killed_after "$(moment)" ankput "${PARTED[@]}" -P 2 "$name" s3://bucket/k
    one_of "$(stored_object bucket k)" a b
    run_ank ankput "${PARTED[@]}" -P 2 "$name" s3://bucket/k
    assert_exit 0
    assert_stored k "$name"
    no_journal
    [ "$(json result resumed_from)" = '' ] || kept=$((kept + 1))
  done
  # nobody knows of an upload whose begin was answered when its run was killed
  left=$(uploads | wc -l)
  echo "# $KILLED killed, $kept of them continued, $left uploads left" >&3
  [ "$KILLED" = "$KILLS" ]
  [ "$kept" -gt $((KILLS / 10)) ]
  [ "$left" -le $((KILLS / 5)) ]
}

@test "a download killed at random moments: old or new, and then continued" {
  local i name SPAN KILLED=0 kept=0
  RANDOM=${SEED:-1}
  cloud
  new_file $((24 << 20)) a 1 >/dev/null
  new_file $((24 << 20)) b 2 >/dev/null
  seed_object bucket a a
  seed_object bucket b b
  run_ank ankget -C s3://bucket/b out
  assert_exit 0
  SPAN=$(json result elapsed_ms)
  for ((i = 0; KILLED < KILLS && i < KILLS * 8; i++)); do
    name=a
    [ $((i % 2)) = 0 ] || name=b
    killed_after "$(moment)" ankget -C "s3://bucket/$name" out
    one_of out a b
    run_ank ankget -C "s3://bucket/$name" out
    assert_exit 0
    assert_same out "$name"
    assert_no_leftovers
    [ "$(json result resumed_from)" = '' ] || kept=$((kept + 1))
  done
  echo "# $KILLED killed, $kept of them continued" >&3
  [ "$KILLED" = "$KILLS" ]
  [ "$kept" -gt $((KILLS / 10)) ]
}
