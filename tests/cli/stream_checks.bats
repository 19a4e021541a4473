#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# What was promised of the bytes is looked at before anything is published.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

wrong=$(printf '%064d' 0)

# promised EXIT OUTCOME WHY: nothing is stored, and nothing left behind.
promised() {
  assert_exit "$1"
  assert_json result outcome "$2"
  assert_json result why "$3"
  nothing_left
  assert_eq "$(jq -s 'map(select(.op == "complete")) | length' "$REPORT")" 0
}

# bats test_tags=valgrind
@test "--expected-size of a stream: right, too few, too many; few bytes or parts" {
  local size
  FAKE=1 cloud
  for size in 1000 $((6 * MIB)); do
    new_file "$size" "$T/source" >/dev/null
    from "$T/source" --part-size 5M --expected-size "$size"
    came "$T/source"
    rm "$(stored_object bucket k)"
    from "$T/source" --part-size 5M --expected-size $((size + 1))
    promised 3 local unexpected_size || return 1
    assert_contains "$(json result message)" "$size bytes instead of $((size + 1))"
    from "$T/source" --part-size 5M --expected-size $((size - 1))
    promised 3 local unexpected_size || return 1
    assert_contains "$(json result message)" "instead of $((size - 1))"
  done
  from "$T/source" --part-size 5M --expected-size $((6 * MIB + 1))
  assert_json result aborted true
}

@test "a stream that is too long ends as soon as that is known" {
  FAKE=1 cloud
  feed ankput-fake --expected-size 100 --part-size 5M - s3://bucket/k
  status=0
  timeout 20 cat /dev/zero >&8 2>"$T/cat" || status=$?
  exec 8>&-
  assert_exit 141
  wait_ank
  promised 3 local unexpected_size
  assert_eq "$(requests)" 0
  feed ankput-fake --expected-size 11M --part-size 5M - s3://bucket/k
  status=0
  timeout 20 cat /dev/zero >&8 2>"$T/cat" || status=$?
  exec 8>&-
  assert_exit 141
  wait_ank
  promised 3 local unexpected_size
}

@test "--expected-size 0 is a promise, too" {
  FAKE=1 cloud
  printf x >"$T/source"
  from "$T/source" --expected-size 0
  promised 3 local unexpected_size
  from /dev/null --expected-size 0
  came /dev/null
}

@test "--expected-size of a file and of a file as standard input" {
  FAKE=1 cloud
  new_file 1000 "$T/source" >/dev/null
  run_ank ankput-fake --expected-size 999 "$T/source" s3://bucket/k
  promised 3 local unexpected_size
  run_ank ankput-fake --expected-size 999 - s3://bucket/k <"$T/source"
  promised 3 local unexpected_size
  assert_eq "$(requests)" 0
  run_ank ankput-fake --expected-size 1000 "$T/source" s3://bucket/k
  came "$T/source"
}

# bats test_tags=valgrind
@test "--expect-sha256 of a stream, in one request and in parts" {
  local size right
  FAKE=1 cloud
  for size in 1000 $((6 * MIB)); do
    new_file "$size" "$T/source" >/dev/null
    from "$T/source" --part-size 5M --expect-sha256 "$wrong"
    promised 9 integrity checksum_mismatch
  done
  assert_json result aborted true
  assert_eq "$(requests put)" 0
  for size in 1000 $((6 * MIB)); do
    new_file "$size" "$T/source" >/dev/null
    right=$(digest "$T/source")
    right=${right#*:}
    from "$T/source" --part-size 5M --expect-sha256 "${right^^}"
    came "$T/source"
  done
}

# bats test_tags=valgrind
@test "--expect-sha256 of a file is looked at before a request, also in parts" {
  local size right
  FAKE=1 cloud
  for size in 1000 $((6 * MIB)); do
    new_file "$size" "$T/source" >/dev/null
    run_ank ankput-fake --multipart-threshold 5M --part-size 5M \
      --expect-sha256 "$wrong" "$T/source" s3://bucket/k
    promised 9 integrity checksum_mismatch
    assert_json result checksum "$(digest "$T/source")"
    run_ank ankput-fake --multipart-threshold 5M --part-size 5M \
      --expect-sha256 "$wrong" - s3://bucket/k <"$T/source"
    promised 9 integrity checksum_mismatch
  done
  assert_eq "$(requests)" 0
  for size in 1000 $((6 * MIB)); do
    new_file "$size" "$T/source" >/dev/null
    right=$(digest "$T/source")
    run_ank ankput-fake --multipart-threshold 5M --part-size 5M \
      --expect-sha256 "${right#*:}" "$T/source" s3://bucket/k
    came "$T/source"
  done
}

@test "--expect-sha256 of what a command prints" {
  FAKE=1 cloud
  run_ank ankput-fake --expect-sha256 "$wrong" s3://bucket/k -- printf x
  promised 9 integrity checksum_mismatch
  assert_json result producer_exit 0
  run_ank ankput-fake --expect-sha256 "$(printf x | sha256sum | cut -d' ' -f1)" \
    s3://bucket/k -- printf x
  assert_exit 0
}

@test "a command's own failure is told rather than that its bytes are too few" {
  FAKE=1 cloud
  run_ank ankput-fake --expected-size 10 --expect-sha256 "$wrong" s3://bucket/k -- \
    sh -c 'echo x; exit 2'
  promised 3 local producer_failed
  assert_json result producer_exit 2
}

@test "a digest that is none is a usage error" {
  local bad
  FAKE=1 cloud
  for bad in x "${wrong}0" "${wrong%0}g" ''; do
    run_ank ankput-fake --expect-sha256 "$bad" - s3://bucket/k </dev/null
    assert_usage --expect-sha256
  done
}
