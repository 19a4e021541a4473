#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 2: how many attempts, how long between them, each one anew.

load ../lib/harness
load policy

@test "--retries N is N extra attempts, for PUT, GET and HEAD (case 92)" {
  local n run
  rules '{"status": 503}'
  for n in 0 1 2 7; do
    put "p$n" --retries "$n"
    ends 10 unavailable
    assert_eq "$(asked "p$n")" "$((n + 1))"
    assert_json result attempts "$((n + 1))"
    assert_json result retries "$n"
    assert_json attempt of "$((n + 1))"
    assert_eq "$(told attempt)" "$(seq -s' ' "$((n + 1))")"
    assert_eq "$(sleeps | wc -l)" "$n"
  done
  for run in get facts; do
    "$run" "$run" --retries 1
    assert_eq "$(asked "$run")" 2
  done
}

@test "the default is two retries, and ANK_RETRIES says otherwise" {
  rules '{"status": 500}'
  put k
  assert_eq "$(requests)" 3
  put ANK_RETRIES=0 k
  assert_eq "$(requests)" 4
  put ANK_RETRIES=9 k --retries 1
  assert_eq "$(requests)" 6
}

@test "a number of retries that is none is a usage error, nothing sent" {
  local n
  rules
  for n in -1 1.5 x '' 1e3 ' 1' 99999999999999999999; do
    put k "--retries=$n"
    ends 2 usage
    assert_contains "$(cat "$ERR")" '--retries'
  done
  put ANK_RETRIES=two k
  ends 2 usage
  assert_contains "$(cat "$ERR")" ANK_RETRIES
  assert_eq "$(requests)" 0
}

@test "success on the last attempt is success" {
  rules '{"nth": "1-2", "status": 503}'
  put k
  ends 0 ok
  assert_eq "$(told next)" 'retry retry done'
  assert_eq "$(told status)" '503 503 200'
  assert_json result attempts 3
  stored k
}

@test "retries spent: the last line says so" {
  rules '{"status": 503}'
  put k
  assert_eq "$(told next)" 'retry retry stop'
  assert_json attempt why retries_spent
  assert_json result why retries_spent
  assert_eq "$(told wait_ms | cut -d' ' -f3)" -
}

@test "the waits lie between 0 and 200 ms, 1 s, then 5 s for ever" {
  rules '{"status": 503}'
  FAKE_DICE=max put k --retries 5
  assert_eq "$(sleeps | paste -sd' ')" '200 1000 5000 5000 5000'
  assert_eq "$(told wait_ms)" '200 1000 5000 5000 5000 -'
  assert_json result waited_ms 16200
  assert_json result elapsed_ms 16200
  FAKE_DICE=min put k --retries 5
  assert_eq "$(slept)" 0
  assert_json result attempts 6
  assert_json result waited_ms 0
}

@test "full jitter: the waits of many runs fill the whole range" {
  local seed all=()
  rules '{"status": 503}'
  for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    FAKE_SEED=$seed put k --retries 1
    all+=("$(slept)")
  done
  printf '%s\n' "${all[@]}" | sort -n | awk '
    { n[NR] = $1 }
    END { exit !(n[1] < 50 && n[NR] > 150 && n[NR] <= 200 && n[6] > 40 && n[7] < 160) }'
}

@test "two runs of the shipped program do not wait alike" {
  rules '{"status": 503}'
  run_ank ankput --retries 1 "$(new_file 10)" s3://bucket/k
  local first second
  first=$(told wait_ms)
  run_ank ankput --retries 1 "$T/file-10" s3://bucket/k
  second=$(told wait_ms)
  # One in 201 times they agree; twice in a row is no chance.
  if [ "$first" = "$second" ]; then
    run_ank ankput --retries 1 "$T/file-10" s3://bucket/k
    [ "$first" != "$(told wait_ms)" ]
  fi
}

@test "each attempt is signed anew, with the time of its sending" {
  rules '{"nth": "1-3", "status": 503}'
  FAKE_DICE=max put k --retries 3
  ends 0 ok
  # Slept 200 ms, 1 s and 5 s from 22:13:20.000 on.
  assert_eq "$(headers x-amz-date)" \
    '20231114T221320Z 20231114T221320Z 20231114T221321Z 20231114T221326Z'
  assert_eq "$(headers Authorization | grep -o 'Signature=[0-9a-f]*' | sort -u | wc -l)" 3
  assert_eq "$(logged signature)" 'ok ok ok ok'
}

@test "a signature is never older than its attempt, however long the wait (case 65)" {
  SETTINGS='"clock": {"max_age": 5, "fake": true}' \
    rules '{"nth": 1, "status": 503, "headers": {"Retry-After": "100"}}' \
    '{"nth": 2, "status": 503}' '{"nth": 3, "status": 503}'
  FAKE_DICE=max put k --retries 3
  ends 0 ok
  assert_eq "$(logged signature)" 'ok ok ok ok'
  assert_eq "$(headers x-amz-date)" \
    '20231114T221320Z 20231114T221500Z 20231114T221501Z 20231114T221506Z'
  assert_json result repairs 0
}

# signed_at SIZE: minutes of x-amz-date since midnight, for a file of that size.
# The clock moves a minute at each look, and with a deadline each MiB that is
# hashed is followed by one.
signed_at() {
  local at
  new_file "$1" "$T/source" >/dev/null
  SETTINGS='"clock": {"max_age": 864000}' rules # sending is looked at, too
  put ANK_FAKE_STEP=60000 k --deadline 10h
  ends 0 ok
  at=$(headers x-amz-date)
  minutes=$((10#${at:9:2} * 60 + 10#${at:11:2}))
}

@test "a signature is made after the file was hashed, not before (case 65)" {
  local minutes small
  signed_at 1
  small=$minutes
  signed_at 8000000
  assert_eq $((minutes - small)) 7
}

@test "each attempt sends the whole body" {
  rules '{"nth": 1, "status": 503}' '{"nth": 2, "rst_at": "request:100000"}'
  new_file 400000 "$T/source" >/dev/null
  put k --retries 3
  ends 0 ok
  stored k
  assert_eq "$(headers Content-Length | tr ' ' '\n' | sort -u)" 400000
}

# --- a resumed download is a new request --------------------------------------

@test "a download that got 1 MiB further counts its attempts anew" {
  local at=1048576
  rules "{\"op\": \"get\", \"nth\": \"1-5\", \"close_at\": $at}"
  seed 6000000
  get k --retries 1
  ends 0 ok
  assert_same "$T/got" "$T/object"
  assert_eq "$(requests)" 6
  assert_eq "$(told offset)" '- 1048576 2097152 3145728 4194304 5242880'
  assert_eq "$(told attempt | tr ' ' '\n' | sort -u | paste -sd' ')" '1 2'
}

@test "a download that got less than 1 MiB further does not" {
  rules '{"op": "get", "close_at": 1048575}'
  seed 6000000
  get k --retries 3
  ends 10 unavailable
  assert_eq "$(requests)" 4
}

@test "a server that ignores the range gains nothing, and the download ends" {
  rules '{"op": "get", "range": "ignore", "close_at": 2097152}'
  seed 4000000
  get k
  ends 10 unavailable
  assert_eq "$(requests)" 3
}

@test "an object whose checksum is never right is fetched three times, not for ever" {
  rules '{"op": "get", "headers": {"x-amz-checksum-sha256": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}'
  seed 3000000
  get k
  ends 9 integrity
  assert_eq "$(requests)" 3
  [ ! -e "$T/got" ]
}

@test "an object that changes at each attempt is not fetched for ever" {
  rules '{"op": "get", "replace_object": {"flip": true}, "close_at": 1500000}'
  seed 3000000
  get k
  [ "$status" -ne 0 ]
  assert_eq "$(requests)" 3
}

@test "the deadline is not started anew by progress" {
  rules '{"op": "get", "nth": "1-3", "close_at": 1048576}' '{"op": "get", "hang_at": 10}'
  seed 6000000
  FAKE_DICE=max get k --deadline 9s --retries 2
  ends 13 deadline
  assert_json result elapsed_ms 9000
}

# --- stale connections --------------------------------------------------------

# A kept connection breaks under the request that reuses it.
@test "a stale connection is no retry: sent again at once, one time" {
  local how
  for how in stale-close stale-rst; do
    rules "{\"nth\": 1, \"status\": 503, \"then\": \"$how\"}"
    put k --retries 1
    ends 0 ok
    assert_eq "$(told verdict)" 'transient resend ok'
    assert_eq "$(told next)" 'retry repair done'
    assert_eq "$(told why)" '- stale_connection -'
    assert_eq "$(told reused)" 'false true false'
    assert_eq "$(told request_id | cut -d' ' -f2)" -
    assert_eq "$(told attempt)" '1 2 2'
    assert_json result attempts 3
    assert_json result retries 1
    assert_json result repairs 1
    assert_eq "$(sleeps | wc -l)" 1
    assert_eq "$(logged ending)" 'stale-'"${how#stale-}"' stale keep'
    stored k
  done
}

@test "a stale connection is mended with --retries 0 too, GET and HEAD as well" {
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' rules \
    '{"nth": [1, 3, 5], "s3_error": "PermanentRedirect", "then": "stale-rst",
      "headers": {"x-amz-bucket-region": "eu-west-1"}}'
  seed
  for run in put get facts; do
    "$run" k --retries 0
    ends 0 ok
    assert_eq "$(told verdict)" 'redirect resend ok'
    assert_json result retries 0
    assert_json result repairs 2
    assert_eq "$(sleeps)" ''
  done
}

@test "a large body on a stale connection is sent again in full, plain and TLS" {
  make_certificates
  CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
  rules '{"nth": [1, 3], "status": 503, "then": "stale-rst"}'
  new_file 9000000 "$T/source" >/dev/null
  put k --retries 1
  ends 0 ok
  assert_eq "$(told verdict)" 'transient resend ok'
  stored k
  put k2 --retries 1 --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem"
  ends 0 ok
  assert_eq "$(told verdict)" 'transient resend ok'
  assert_eq "$(headers Expect | tr ' ' '\n' | sort -u)" -
  stored k2
}

@test "stale twice in one request: the second time counts" {
  rules '{"op": "put", "status": 503, "then": "stale-rst"}'
  FAKE_DICE=max put k --retries 3
  ends 10 unavailable
  # 503, wait, stale, 503 on a new one, wait, stale, wait, 503.
  assert_eq "$(op_told put verdict)" 'transient resend transient transient transient'
  assert_json result retries 3
  assert_eq "$(sleeps | paste -sd' ')" '200 1000 5000'
}

@test "stale twice in one request is a failure of the transport, for a list too" {
  rules '{"op": "put", "status": 503, "then": "stale-rst"}'
  FAKE_DICE=max put k --retries 3 --no-retry-on transport
  ends 10 unavailable
  assert_eq "$(op_told put verdict)" 'transient resend transient transient'
  assert_eq "$(op_told put next | cut -d" " -f4)" stop
  assert_json result retries 2
}

@test "a lost new connection is no stale one" {
  rules '{"nth": 1, "rst_at": "status"}'
  put k --retries 0
  ends 10 unavailable
  assert_eq "$(op_told put verdict)" transient
  assert_eq "$(requests put)" 1
}
