#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# The completion of an upload in parts: what is success, what is asked again,
# what needs a new upload; and uploads that the store has lost.

load ../lib/harness
load policy
load parts

# two: a source of two parts.
two() { source_of $((5 * MIB + 100)); }

@test "a 200 that holds an error is retried like its code (case 39)" {
  local code
  two
  for code in InternalError SlowDown ServiceUnavailable; do
    rules "{\"op\": \"complete\", \"nth\": 1, \"early_200\": true, \"error_in_200\": \"$code\"}"
    up k
    ends 0 ok
    assert_eq "$(op_told complete verdict | cut -d' ' -f2)" ok
    assert_eq "$(op_told complete code)" "$code -"
    assert_eq "$(requests complete)" 2
    assert_eq "$(part_requests)" 2
    assert_json result retries 1
    stored k
    stop_clouds
  done
}

@test "a 200 that always holds an error never succeeds (case 39)" {
  rules '{"op": "complete", "early_200": true, "error_in_200": "InternalError"}'
  two
  up k
  ends 10 unavailable
  assert_eq "$(requests complete)" 3
  nothing_left k
}

@test "an error inside a 200 that no table knows is no success either" {
  rules '{"op": "complete", "error_in_200": "Whatever"}'
  two
  up k
  ends 10 unavailable
  nothing_left k
}

@test "an error inside a 200 is retried only if its code is one to be retried" {
  rules '{"op": "complete", "error_in_200": "AccessDenied"}'
  two
  up k
  ends 5 denied
  assert_eq "$(requests complete)" 1
  nothing_left k
}

@test "a 200 that is empty, cut or something else is no success (case 39)" {
  local what
  two
  for what in '"empty_200": true' '"truncated_200": true' \
    '"status": 200, "body": "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"' \
    '"status": 200, "body": "<html><body>login</body></html>"' \
    '"status": 200, "body": "<CompleteMultipartUploadResult><ETag>\"x\"</ETag>"' \
    '"status": 204'; do
    rules "{\"op\": \"complete\", \"store\": false, $what}"
    up k --retries 1
    ends 10 unavailable
    assert_eq "$(requests complete)" 2
    assert_contains "$(cat "$ERR")" 'but not what was asked for'
    nothing_left k
    stop_clouds
  done
}

@test "a 200 that is cut short on the wire is asked again, and is the same object" {
  two
  rules '{"op": "complete", "nth": 1, "early_200": true, "close_at": 30}'
  up k
  ends 0 ok
  assert_eq "$(requests complete)" 2
  stored k
}

@test "white space before the answer is progress: no stall, one attempt" {
  rules '{"op": "complete", "early_200": true, "spaces": 20, "space_ms": 40, "space_first": 2}'
  two
  : >"$CLOUD_DIR/hang"
  up k --stall-timeout 10s
  ends 0 ok
  assert_eq "$(requests complete)" 1
  stored k
}

# In real time: the virtual clock does not run between bytes that come.
@test "white space that comes slower than the stall timeout is a stall" {
  start_cloud '{"rules": [{"op": "complete", "nth": 1, "early_200": true, "hang_at": 40}]}'
  two
  run_ank ankput --no-state --part-size 5M --multipart-threshold 0 \
    --stall-timeout 500ms "$T/source" s3://bucket/k
  assert_exit 0
  assert_eq "$(op_told complete error)" 'stall -'
  stored k
}

@test "a completion has ten minutes of its own" {
  rules '{"op": "complete", "hang_at": "status"}' '{"op": "head", "status": 404}'
  two
  up k --retries 0
  ends 10 unavailable
  assert_eq "$(op_told complete timeout_ms) $(op_told complete error)" '600000 timeout'
  assert_between "$(json result elapsed_ms)" 600000 601000
  assert_eq "$(requests head)" 1
}

@test "--upload-timeout-ms holds for a completion, too" {
  rules '{"op": "complete", "hang_at": "status"}' '{"op": "head", "status": 404}'
  two
  up k --retries 0 --upload-timeout-ms 20000
  ends 10 unavailable
  assert_eq "$(op_told complete timeout_ms)" 20000
}

@test "a conflict at the completion costs a new upload and all parts, once" {
  two
  rules '{"op": "complete", "nth": 1, "s3_error": "ConditionalRequestConflict"}'
  up k
  ends 0 ok
  assert_eq "$(requests create) $(part_requests) $(requests complete) $(requests abort)" \
    '2 4 2 1'
  assert_eq "$(json result upload_id)$(json result aborted)" ''
  assert_eq "$(uploads)" ''
  stored k
  stop_clouds
  rules '{"op": "complete", "s3_error": "ConditionalRequestConflict"}'
  up k
  ends 10 unavailable
  assert_eq "$(requests create) $(requests complete) $(requests abort)" '2 2 2'
  nothing_left k
}

@test "409 OperationAborted at the completion is asked again" {
  two
  rules '{"op": "complete", "nth": 1, "s3_error": "OperationAborted"}'
  up k
  ends 0 ok
  stored k
  assert_eq "$(requests complete)" 2
}

@test "NoSuchUpload for a part: one fresh start (case 46)" {
  source_of $((10 * MIB + 5))
  rules '{"op": "part", "part": 2, "nth": 1, "abort_upload": true}'
  up k --parallel 1
  ends 0 ok
  assert_eq "$(requests create) $(part_requests)" '2 5'
  assert_json result retries 0
  assert_eq "$(json result upload_id)$(json result aborted)" ''
  stored k
  stop_clouds
  rules '{"op": "part", "part": 2, "abort_upload": true}'
  up k
  ends 10 unavailable
  assert_eq "$(requests create)" 2
  assert_json result aborted true
  assert_eq "$(json result upload_id)$(uploads)" ''
  refute_stored k
}

@test "NoSuchUpload at the first completion: one fresh start" {
  rules '{"op": "complete", "nth": 1, "abort_upload": true}'
  two
  up k
  ends 0 ok
  assert_eq "$(requests create) $(requests complete)" '2 2'
  stored k
}

@test "a bucket that is gone is not taken for an upload that is" {
  rules '{"op": "part", "s3_error": "NoSuchBucket"}'
  two
  up k
  ends 6 not_found
  assert_eq "$(requests create)" 1
}

@test "InvalidPart, EntityTooSmall and other refusals of a completion are the end" {
  local code
  two
  for code in InvalidPart InvalidPartOrder EntityTooSmall MalformedXML; do
    rules "{\"op\": \"complete\", \"s3_error\": \"$code\"}"
    up k
    ends 8 rejected
    assert_eq "$(requests complete)" 1
    nothing_left k
    stop_clouds
  done
}

@test "upload IDs that need encoding, ETags that need escaping" {
  SETTINGS='"awkward_ids": true' rules
  two
  up 'a b/c+d&e%20ü.bin'
  ends 0 ok
  stored 'a b/c+d&e%20ü.bin'
  assert_careful
  assert_eq "$(uploads)" ''
}

# altered COMMAND...: the source is altered so once part 1 is stored.
altered() {
  rules '{"op": "part", "nth": "2-", "delay_ms": 400}'
  source_of $((15 * MIB + 5))
  start_ank ankput-fake --part-size 5M --multipart-threshold 0 --parallel 1 \
    "$T/source" s3://bucket/k
  await_requests 2
  "$@"
  wait_ank
  ends 3 local
  assert_contains "$(json result message)" "$T/source: "
  assert_eq "$(requests complete)" 0
  assert_eq "$(requests create)" 1
  nothing_left k
  stop_clouds
}

@test "the source changes between the parts: nothing is published, local" {
  altered touch -d '2001-01-01' "$T/source"
  altered truncate -s $((5 * MIB)) "$T/source"
  altered truncate -s $((20 * MIB)) "$T/source"
}

@test "the source changes while parts are sent or prepared: the result says so" {
  local at
  for at in 1 2; do
    rules "{\"op\": \"part\", \"part\": $at, \"nth\": 1, \"delay_ms\": 400, \"status\": 500}"
    source_of $((10 * MIB + 5))
    start_ank ankput-fake --part-size 5M --multipart-threshold 0 --parallel 1 \
      "$T/source" s3://bucket/k
    await_requests $((at + 1))
    touch -d 2001-01-01 "$T/source"
    wait_ank
    ends 3 local
    assert_json result why source_changed
    assert_eq "$(part_requests)" "$at"
    stop_clouds
  done
}

@test "the source changes after the last part: nothing is published, local" {
  rules '{"op": "part", "part": 2, "delay_ms": 600}'
  two
  start_ank ankput-fake --part-size 5M --multipart-threshold 0 \
    "$T/source" s3://bucket/k
  await_requests 2
  touch -d 2001-01-01 "$T/source"
  wait_ank
  ends 3 local
  assert_eq "$(requests complete)" 0
  nothing_left k
}
