#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 2: answers that come before the body was read, and Expect, which is
# sent only after a broken send.

load ../lib/harness
load policy

# tls: the cloud speaks it on CLOUD_TLS_URL too.
tls() {
  make_certificates
  CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
}

# each_end RULE-WORDS: a cloud for each way in which an early answer ends, and
# a large body on its way. Calls check, with "plain" or "tls".
each_end() {
  local ending
  new_file 12000000 "$T/source" >/dev/null
  for ending in read close finish rst; do
    echo "# then $ending" >&2
    rules "{\"op\": \"put\", \"when\": \"headers\", \"then\": \"$ending\", $1}"
    check plain "$ending" || return 1
    if [ "${#CLOUD_OPTIONS[@]}" -gt 0 ]; then
      check tls "$ending" --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem" || return 1
    fi
    stop_clouds
  done
}

@test "an upload sends no Expect and no Transfer-Encoding at first" {
  rules
  new_file 3000000 "$T/source" >/dev/null
  put k
  ends 0 ok
  assert_eq "$(headers Expect)" -
  assert_eq "$(headers Transfer-Encoding)" -
  assert_eq "$(headers Content-Length)" 3000000
}

# --- early answers (case 52) ----------------------------------------------------

@test "404 before the body was read is final, whatever the server does then (case 52)" {
  tls
  check() {
    put k "${@:3}" || return 1
    ends 6 not_found || return 1
    # Where the status was lost with the connection, the second attempt asks
    # first and gets it.
    assert_between "$(json result attempts)" 1 2 || return 1
    [ "$2" != read ] || assert_json result attempts 1 || return 1
    refute_stored k
  }
  each_end '"s3_error": "NoSuchBucket"'
}

@test "403 in the middle of the body is final too (case 52)" {
  check() {
    put k || return 1
    ends 5 denied || return 1
    assert_between "$(json result attempts)" 1 2
  }
  each_end '"status": 403, "when": 2000000'
}

@test "413 before the body was read stops the sending (case 52)" {
  rules '{"op": "put", "when": "headers", "status": 413, "then": "finish"}'
  new_file 60000000 "$T/source" >/dev/null
  put k --multipart-threshold 100M
  ends 8 rejected
  [ "$(json attempt bytes_sent)" -lt 30000000 ]
}

@test "503 before the body was read is tried again, with its Retry-After (case 52)" {
  tls
  check() {
    FAKE_DICE=max put k "${@:3}" --retries 2 || return 1
    ends 11 throttled || return 1
    assert_json result throttled_seconds 3 || return 1
    assert_json attempt status 503 || return 1
    assert_json attempt retry_after_ms 3000
  }
  each_end '"status": 503, "headers": {"Retry-After": "3"}'
}

@test "307 before the body was read is followed, with the full body (cases 52, 55)" {
  local ending
  new_file 12000000 "$T/source" >/dev/null
  for ending in read close finish; do
    rules "{\"op\": \"put\", \"nth\": 1, \"when\": \"headers\", \"then\": \"$ending\", \"status\": 307,
      \"headers\": {\"Location\": \"http://127.0.0.1:{port2}{path}\"}}"
    put k
    ends 0 ok
    assert_eq "$(jq -rs 'last | .listener, .body_len' "$CLOUD_DIR/log.ndjson" | paste -sd' ')" \
      'port2 12000000'
    stored k
  done
}

@test "an early 200 before the body was read is no stored object" {
  rules '{"op": "put", "nth": 1, "when": "headers", "status": 200, "then": "rst"}'
  new_file 12000000 "$T/source" >/dev/null
  put k
  ends 0 ok
  # The first answer may be lost or seen cut: never a success.
  assert_eq "$(json attempt verdict 1)" transient
  stored k
}

# --- Expect (case 53) -----------------------------------------------------------

# broken RULE...: the first send breaks in its middle, the rules are for what
# comes then; a large file.
broken() {
  rules '{"op": "put", "nth": 1, "rst_at": "request:500000"}' "$@"
  new_file 6000000 "$T/source" >/dev/null
}

@test "after a broken send the next attempt asks first (case 53)" {
  broken
  put k
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue'
  assert_eq "$(told verdict)" 'transient ok'
  stored k
}

@test "only that request asks first: not an empty body, not GET, not the next run" {
  rules '{"nth": 1, "rst_at": "status"}'
  : >"$T/source"
  put k
  ends 0 ok
  assert_eq "$(headers Expect)" '- -'
  put k
  assert_eq "$(headers Expect)" '- - -'
}

@test "Expect that is ignored: the body goes after a second (case 53)" {
  broken '{"op": "put", "nth": 2, "expect": "ignore"}'
  local begun
  begun=$(now_ms)
  put k
  ends 0 ok
  assert_between $(($(now_ms) - begun)) 900 4000
  assert_json result attempts 2
  stored k
}

@test "Expect that is answered late (case 53)" {
  broken '{"op": "put", "nth": 2, "expect": {"delay_ms": 1300}}'
  put k
  ends 0 ok
  assert_json result attempts 2
  stored k
}

@test "417: again without Expect, at once, no retry (case 53)" {
  broken '{"op": "put", "nth": 2, "expect": 417}'
  put k --retries 1
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue -'
  assert_eq "$(told verdict)" 'transient drop_expect ok'
  assert_eq "$(told status)" '- 417 200'
  assert_eq "$(told why | cut -d' ' -f2)" drop_expect
  assert_json result retries 1
  assert_json result repairs 1
  assert_eq "$(sleeps | wc -l)" 1
  stored k
}

@test "417 to a request without Expect is final" {
  rules '{"status": 417}'
  put k
  ends 8 rejected
  assert_json result attempts 1
  assert_eq "$(told verdict)" permanent
}

@test "after a 417 no later attempt of the request asks again (case 53)" {
  broken '{"op": "put", "nth": 2, "expect": 417}' '{"op": "put", "nth": 3, "rst_at": "request:500000"}'
  put k
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue - -'
  stored k
}

@test "100, then 503: tried again, still asking first (case 53)" {
  broken '{"op": "put", "nth": 2, "status": 503}'
  put k
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue 100-continue'
  assert_eq "$(told status)" '- 503 200'
  stored k
}

@test "a refusal in place of 100 is read before a byte of the body was sent (case 52)" {
  broken '{"op": "put", "nth": 2, "when": "headers", "status": 403, "then": "rst"}'
  put k
  ends 5 denied
  assert_json result attempts 2
  assert_json attempt bytes_sent 0
  assert_eq "$(request 2 .body_len)" 0
}

@test "a throttle in place of 100 brings its Retry-After (case 52)" {
  broken '{"op": "put", "nth": 2, "when": "headers", "status": 503, "then": "rst", "headers": {"Retry-After": "9"}}'
  FAKE_DICE=min put k
  ends 0 ok
  assert_eq "$(told wait_ms)" '0 9000 -'
  stored k
}

@test "several 1xx are passed over, by every method (case 53)" {
  local run
  rules '{"interim": [103, {"status": 103, "headers": {"Link": "<x>"}}, {"status": 102}, 100]}'
  for run in put get facts; do
    "$run" k
    ends 0 ok
    assert_json result attempts 1
    assert_json attempt status 200
  done
  assert_same "$T/got" "$T/source"
}

@test "1xx and then a refusal are the refusal" {
  rules '{"interim": [100, 103], "status": 404}'
  put k
  ends 6 not_found
  assert_eq "$(told status)" 404
}

@test "Expect goes with 1xx, too (case 53)" {
  broken '{"op": "put", "nth": 2, "interim": [103, 102]}'
  put k
  ends 0 ok
  assert_json result attempts 2
  stored k
}

@test "a broken send on TLS asks first as well" {
  tls
  broken
  put k --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem"
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue'
  stored k
}

# largest: the most bytes that were handed to one send on each connection.
largest() {
  awk '/ connect\(.*AF_INET/ { if (most) print most; most = 0 }
    / sendto\(.* = [0-9]+$/ && $NF > most { most = $NF }
    END { print most }' "$T/trace" | paste -sd' '
}

@test "64 KiB are sent at once, and 16 KiB where it asks first" {
  strace -o /dev/null true 2>/dev/null || skip 'nothing can be traced here'
  broken
  ANK_WRAP='env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -s 0 -o trace -e trace=sendto,connect' \
    put k
  ends 0 ok
  assert_eq "$(headers Expect)" '- 100-continue'
  assert_eq "$(largest)" '65536 16384'
}

# --- answers that are cut or odd ------------------------------------------------

@test "a cut error document leaves its status" {
  rules '{"key": "short", "status": 404, "body_size": 5000, "close_at": 100}' \
    '{"key": "rst", "status": 403, "body_size": 5000, "rst_at": 100}' \
    '{"key": "busy", "status": 503, "body_size": 5000, "close_at": 100, "headers": {"Retry-After": "400"}}'
  get short
  ends 6 not_found
  get rst
  ends 5 denied
  put busy
  ends 11 throttled
}

@test "a success whose body is cut is none" {
  rules '{"op": "put", "nth": 1, "status": 200, "body_size": 100, "close_at": 10}'
  put k
  ends 0 ok
  assert_eq "$(told verdict)" 'transient ok'
}

@test "the answer to a PUT is lost after the work was done: sent again" {
  rules '{"op": "put", "nth": 1, "store": true, "close_at": "status"}'
  put k
  ends 0 ok
  assert_json result attempts 2
  assert_eq "$(logged body_len)" '1000 1000'
  stored k
}
