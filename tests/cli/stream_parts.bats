#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# A stream in parts: sizes, retries from memory, memory within its limit.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

@test "8 MiB and one byte less are one request, one byte more is two parts" {
  local part=$((8 * MIB))
  FAKE=1 cloud
  from "$(new_file $((part - 1)) "$T/source")"
  came "$T/source"
  assert_eq "$(ops)" put
  from "$(new_file "$part" "$T/source")"
  came "$T/source"
  assert_eq "$(ops)" 'put put'
  from "$(new_file $((part + 1)) "$T/source")"
  came "$T/source"
  assert_eq "$(sizes)" "$part 1"
}

@test "exactly k parts: none of them is empty" {
  local part=$((5 * MIB))
  FAKE=1 cloud
  from "$(new_file $((3 * part)) "$T/source")" --part-size 5M
  came "$T/source"
  assert_eq "$(sizes)" "$part $part $part"
  assert_eq "$(requests create)" 1
  assert_eq "$(requests complete)" 1
  assert_json result attempts 5
}

# bats test_tags=valgrind
@test "a part is sent again from memory (cases 1, 37)" {
  FAKE=1 cloud '{"op": "part", "part": 2, "nth": 1, "s3_error": "SlowDown"}' \
    '{"op": "part", "part": 2, "nth": 2, "rst_at": "request:100000"}' \
    '{"op": "part", "part": 3, "nth": 1, "status": 500}' \
    '{"op": "complete", "nth": 1, "s3_error": "InternalError"}' \
    '{"op": "create", "nth": 1, "status": 503}'
  from "$(new_file $((11 * MIB)) "$T/source")" --part-size 5M
  came "$T/source"
  assert_eq "$(part_requests 2)" 3
  assert_eq "$(part_requests 3)" 2
  assert_eq "$(uploads)" ''
}

@test "the first part is a part like the others when it is retried" {
  FAKE=1 cloud '{"op": "part", "part": 1, "nth": "1-2", "status": 503}'
  from "$(new_file $((6 * MIB)) "$T/source")" --part-size 5M --parallel 1
  came "$T/source"
  assert_eq "$(part_requests 1)" 3
}

@test "a permanent answer to a part ends it, aborts and lets the producer go (case 26)" {
  FAKE=1 cloud '{"op": "part", "part": 2, "s3_error": "AccessDenied"}'
  feed ankput-fake --part-size 5M - s3://bucket/k
  status=0
  timeout 20 cat /dev/zero >&8 2>"$T/cat" || status=$?
  exec 8>&-
  assert_exit 141
  wait_ank
  assert_exit 5
  assert_json result aborted true
  nothing_left
}

@test "a lost upload cannot be begun again: the stream is gone (case 46)" {
  FAKE=1 cloud '{"op": "part", "part": 2, "nth": 1, "abort_upload": true}'
  from "$(new_file $((11 * MIB)) "$T/source")" --part-size 5M
  refute [ "$status" = 0 ]
  assert_eq "$(requests create)" 1
  refute_stored k
}

@test "parts grow so that a long stream fits (case 29)" {
  FAKE=1 cloud
  run_ank ankput-fake --part-size 5M --expected-size 100G --buffer-limit 20M \
    - s3://bucket/k </dev/null
  assert_exit 2
  assert_contains "$(json result message)" '--expected-size'
  assert_contains "$(json result message)" '--buffer-limit'
  assert_eq "$(requests)" 0
}

@test "an odd part size and a buffer limit for one part alone" {
  FAKE=1 cloud
  from "$(new_file $((17 * MIB)) "$T/source")" --part-size 6M --buffer-limit 6M
  came "$T/source"
  assert_eq "$(sizes)" "$((6 * MIB)) $((6 * MIB)) $((5 * MIB))"
  run_ank ankput-fake --part-size 6M --buffer-limit 5M - s3://bucket/k </dev/null
  assert_usage_only --buffer-limit
  run_ank ankput-fake --part-size 1M - s3://bucket/k </dev/null
  assert_usage_only --part-size
}

# assert_usage_only TEXT: refused, with requests before it in the log.
assert_usage_only() {
  assert_exit 2
  assert_contains "$(json result message)" "$1"
  assert_json result attempts 0
}

@test "a small buffer limit alone makes the parts smaller" {
  start_cloud
  from "$(new_file $((13 * MIB)) src)" --buffer-limit 12M
  came src
  assert_eq "$(sizes)" "$((6 * MIB)) $((6 * MIB)) $MIB"
}
