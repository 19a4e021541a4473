#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Uploads in parts under the retry policy: each request has attempts of its own,
# and all of them one deadline, one breaker, one pause, one set of repairs.

load ../lib/harness
load policy
load parts

# three: a source of three parts.
three() { source_of $((10 * MIB + 100)); }

@test "each part has attempts of its own (cases 1, 37, 81)" {
  rules '{"op": "part", "part": 2, "nth": "1-2", "status": 503}' \
    '{"op": "part", "part": 3, "nth": 1, "rst_at": "request:50"}'
  three
  up k
  ends 0 ok
  assert_eq "$(parts_told part)" '1 2 2 2 3 3'
  assert_eq "$(parts_told attempt)" '1 1 2 3 1 2'
  assert_eq "$(parts_told next)" 'done retry retry done retry done'
  assert_eq "$(requests)" 8
  assert_json result attempts 8
  assert_json result retries 3
  stored k
}

@test "one failure of every request in turn costs one retry, the same bytes (cases 1, 81)" {
  local op
  three
  for op in create part complete; do
    rules "{\"op\": \"$op\", \"nth\": 1, \"status\": 500}"
    up k --parallel 1
    ends 0 ok
    assert_eq "$(requests "$op")" "$([ "$op" = part ] && echo 4 || echo 2)"
    assert_json result retries 1
    stored k
    stop_clouds
  done
}

@test "--retries is of each request: spent for one part, all ends (case 92)" {
  rules '{"op": "part", "part": 2, "status": 503}'
  three
  up k --retries 1
  ends 10 unavailable
  assert_eq "$(part_requests 2)" 2
  assert_json result why retries_spent
  nothing_left k
}

@test "a permanent answer to one part stops the others at once, all is aborted" {
  rules '{"op": "part", "part": 2, "s3_error": "AccessDenied"}' \
    '{"op": "part", "hang_at": "request:2000000"}'
  three
  up k
  ends 5 denied
  assert_eq "$(op_told part part | tr ' ' '\n' | sort -n | paste -sd' ')" '1 2 3'
  assert_eq "$(requests complete)$(requests abort)" 01
  assert_between "$(json result elapsed_ms)" 0 500
  nothing_left k
}

@test "with one part at a time the refused one is the last that is sent" {
  rules '{"op": "part", "part": 2, "s3_error": "AccessDenied"}'
  three
  up k --parallel 1
  ends 5 denied
  assert_eq "$(ops)" 'create part part abort'
  nothing_left k
}

@test "a refused creation is the end: nothing to abort" {
  rules '{"op": "create", "s3_error": "AccessDenied"}'
  three
  up k
  ends 5 denied
  assert_eq "$(ops)" create
  assert_eq "$(json result aborted)$(json result upload_id)" ''
}

@test "a creation without an UploadId is no success" {
  local body
  three
  for body in '' '<html>login</html>' \
    '<InitiateMultipartUploadResult><Bucket>b</Bucket></InitiateMultipartUploadResult>' \
    '<InitiateMultipartUploadResult><UploadId></UploadId></InitiateMultipartUploadResult>' \
    '<InitiateMultipartUploadResult><UploadId>x'; do
    rules "{\"op\": \"create\", \"status\": 200, \"body\": \"$body\"}"
    up k --retries 1
    ends 10 unavailable
    assert_eq "$(ops)" 'create create'
    stop_clouds
  done
}

@test "a creation whose answer was lost is made again, and may have left one" {
  rules '{"op": "create", "nth": 1, "store": true, "close_at": "status"}'
  three
  up k
  ends 0 ok
  assert_json result leftover possible
  assert_eq "$(uploads | wc -l)" 1
  stored k
}

@test "a create whose answer broke off leaves an upload, perhaps, too" {
  rules '{"op": "create", "nth": 1, "close_at": "headers"}'
  source_of $((6 * MIB))
  up k
  ends 0 ok
  assert_json result retries 1
  assert_json result leftover possible
  assert_eq "$(uploads | wc -l)" 1
}

@test "a creation on a connection that broke under it may have left one, too" {
  rules '{"op": "head", "nth": 1, "status": 404, "then": "stale-rst"}'
  source_of $((6 * MIB))
  up k --no-clobber --retries 0
  ends 0 ok
  assert_eq "$(op_told create verdict)" 'resend ok'
  assert_json result retries 0
  assert_json result leftover possible
  stored k
}

@test "a part answered without ETag is no success" {
  rules '{"op": "part", "part": 1, "nth": 1, "headers": {"ETag": null}}'
  three
  up k
  ends 0 ok
  assert_eq "$(part_requests 1)" 2
  stored k
  stop_clouds
  rules '{"op": "part", "part": 1, "headers": {"ETag": null}}'
  up k
  ends 10 unavailable
  nothing_left k
}

@test "BadDigest for a part is sent again, then it is integrity (case 9)" {
  rules '{"op": "part", "part": 2, "nth": 1, "s3_error": "BadDigest"}'
  three
  up k
  ends 0 ok
  assert_eq "$(part_requests 2)" 2
  stored k
  stop_clouds
  rules '{"op": "part", "part": 2, "s3_error": "BadDigest"}'
  up k
  ends 9 integrity
  nothing_left k
}

@test "a throttle of one part: no other starts an attempt before its time is up" {
  local what
  three
  source_of $((26 * MIB))
  for what in --no-state --state-file="$T/state"; do
    rules '{"op": "part", "part": 1, "nth": 1, "status": 503, "headers": {"Retry-After": "20"}}' \
      '{"op": "part", "part": 2, "delay_ms": 300}'
    NO_STATE='' FAKE_DICE=min up "k" --parallel 2 "$what"
    ends 0 ok
    assert_eq "$(op_told part next | tr ' ' '\n' | grep -c retry)" 1
    assert_between "$(slept)" 20000 21000
    # Part 2 was under way; those behind it came after the pause.
    assert_eq "$(jq -rs 'map(select(.event == "attempt" and .op == "part" and .part > 2)
      | .time[17:19] | tonumber >= 40) | all' "$REPORT")" true
    stored k
    stop_clouds
  done
}

@test "a throttle that is too long for one part ends all, with the seconds" {
  rules '{"op": "part", "part": 2, "status": 503, "headers": {"Retry-After": "900"}}'
  three
  up k
  ends 11 throttled
  assert_json result throttled_seconds 900
  assert_eq "$(part_requests 2)" 1
  nothing_left k
}

@test "one deadline for all parts, and one abort behind it" {
  rules '{"op": "part", "part": 2, "hang_at": "status"}'
  three
  up k --deadline 10s --stall-timeout 0
  ends 13 deadline
  assert_between "$(json result elapsed_ms)" 10000 10500
  assert_eq "$(requests abort)" 1
  nothing_left k
}

@test "the deadline passes while a part waits for its retry" {
  rules '{"op": "part", "part": 2, "status": 500}'
  three
  FAKE_DICE=max up k --deadline 3s --retries 9
  ends 10 unavailable
  nothing_left k
}

@test "one breaker: parts that fail open it, and it is asked before each attempt" {
  rules '{"op": "part", "status": 500}'
  three
  NO_STATE='' up k --state-file "$T/state" --retries 9 --parallel 1
  ends 10 unavailable
  assert_eq "$(op_told part breaker | cut -d' ' -f1-6)" \
    'closed closed closed closed open open'
  assert_json breaker to open 1
  # A moment later, as the clock of the first run had it.
  NO_STATE='' up ANK_FAKE_NOW="$(date -d "$(json result time)" +%s%3N)" k2 \
    --state-file "$T/state"
  ends 12 breaker_open
  assert_eq "$(asked k2)" 0
}

@test "parts that have not begun when the breaker opens: unavailable, not breaker_open" {
  local n
  source_of $((40 * MIB))
  for n in 1 2 3; do
    rules '{"op": "part", "status": 500}'
    NO_STATE='' FAKE_SEED=$n up k --state-file "$T/state$n" --retries 99 --parallel $((n + 1))
    ends 10 unavailable
    assert_json result why breaker
    nothing_left k
    stop_clouds
  done
}

@test "a part that is the first to ask the open breaker in vain: unavailable, too" {
  rules '{"op": "part", "part": 2, "delay_ms": 300}'
  source_of $((15 * MIB))
  start_ank ANK_NO_STATE= ankput-fake --state-file "$T/state" --part-size 5M \
    --multipart-threshold 0 --parallel 1 "$T/source" s3://bucket/k
  await_requests 2
  env -i HOME="$T/home" ANK_FAKE_NOW="$FAKE_NOW" ANK_ENDPOINT="$CLOUD_URL" \
    "$ANK_BUILD/ankbreaker-fake" trip --state-file "$T/state" s3://bucket 10m
  wait_ank
  ends 10 unavailable
  assert_json result why breaker
  nothing_left k
}

# unused: the attempts that followed a broken one, each by a new connection.
unused() {
  jq -rs 'map(select(.event == "attempt")) | group_by([.op, .part])
    | map(sort_by(.time) | [.[:-1], .[1:]] | transpose[]
      | select(.[0].error) | .[1].reused | tostring) | join(" ")' "$REPORT"
}

@test "all kept connections are stale: what breaks on one goes out on a new one" {
  rules '{"op": "part", "then": "stale-rst"}'
  source_of $((15 * MIB))
  up k --parallel 3 --retries 0
  ends 0 ok
  assert_eq "$(unused)" false
  assert_json result retries 0
  assert_json result repairs 1
  stored k
}

@test "a part whose connection was reset leaves the kept ones alone" {
  rules '{"op": "part", "part": 3, "nth": 1, "delay_ms": 300, "close_at": "status",
    "store": false}' '{"op": "part", "part": [1, 2], "then": "stale-rst"}'
  source_of $((15 * MIB))
  up k --parallel 3 --retries 1
  ends 0 ok
  assert_json result retries 1
  assert_eq "$(jq -rs 'map(select(.op == "part" and .part == 3)) | map(.reused) | join(" ")' \
    "$REPORT")" 'false false'
  stored k
}

@test "connections that went stale between the parts cost no retry" {
  rules '{"op": "part", "nth": 1, "then": "stale-rst"}' \
    '{"op": "part", "nth": 2, "then": "stale-close"}'
  source_of $((21 * MIB))
  up k --parallel 1 --retries 0
  ends 0 ok
  assert_json result retries 0
  stored k
}

@test "a clock that is wrong costs one repair, not one a part" {
  SETTINGS='"clock": {"offset": 7200}' rules
  three
  up k
  ends 0 ok
  assert_json result repairs 1
  assert_json result retries 0
  stored k
}

@test "a wrong region costs one repair, not one a part" {
  SETTINGS='"region": "eu-west-1"' rules
  three
  up k
  ends 0 ok
  assert_json result repairs 1
  stored k
}

# skewed PART: the first request for it is refused for its clock.
skewed() {
  printf '{"op": "part", "part": %s, "nth": 1, "s3_error": "RequestTimeTooSkewed",
    "date_offset": 7200}' "$1"
}

@test "a clock that turns out wrong in the middle costs no retry" {
  SETTINGS='"clock": {"max_age": 100000}' \
    rules "$(skewed 1)" "$(skewed 2)" "$(skewed 3)"
  three
  up k
  ends 0 ok
  assert_json result retries 0
  assert_json result repairs 3
  assert_eq "$(part_requests)" 6
  stored k
}

@test "a token that ends in the middle is replaced once, the upload goes on (case 67)" {
  mkdir -p "$T/home/.aws"
  local file=$T/home/.aws/credentials
  SETTINGS="\"keys\": {\"OLD\": {\"secret\": \"old\", \"token\": \"t1\"},
    \"NEW\": {\"secret\": \"new\", \"token\": \"t2\"}}" \
    rules '{"op": "part", "nth": "1-2", "s3_error": "ExpiredToken", "delay_ms": 200}'
  three
  cat >"$file" <<END
[default]
aws_access_key_id = OLD
aws_secret_access_key = old
aws_session_token = t1
END
  ank_prepare -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput-fake --part-size 5M \
    --multipart-threshold 0 --parallel 2 "$T/source" s3://bucket/k
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  await_requests 1
  sed -i 's/OLD/NEW/; s/= old/= new/; s/t1/t2/' "$file"
  wait_ank
  ends 0 ok
  assert_json result retries 0
  assert_eq "$(requests create)" 1
  stored k
}
