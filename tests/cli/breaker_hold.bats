#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: a Retry-After that one run met is kept by the next ones.

load ../lib/harness
load breaker

# busy SECONDS: a cloud that tells the key busy to come back then.
busy() {
  rules "{\"key\": \"busy\", \"status\": 429, \"headers\": {\"Retry-After\": \"$1\"}}" \
    "{\"key\": \"down\", \"status\": 503, \"headers\": {\"Retry-After\": \"$1\"}}" \
    '{"key": "bad", "status": 500}' \
    '{"key": "slow", "delay_ms": 200}' \
    '{"key": "slow-busy", "status": 429, "headers": {"Retry-After": "3"}, "delay_ms": 200}'
}

# held AGO LENGTH [FILTER]: a hold-off that began so many ms before the next run.
held() { knows "{hold_at: (\$now - $1), hold_ms: $2} + (${3:-{\}})"; }

# bats test_tags=valgrind
@test "the next run waits what is left and a little more, and says so first" {
  local run key
  busy 20
  seed
  for key in busy down; do
    nothing_known
    put "$key" --retries 0
    ends 11 throttled
    assert_eq "$(known hold_ms hold_at)" "20000 $FAKE_NOW"
  done
  later 5000
  for run in put get facts; do
    held 5000 20000
    FAKE_DICE=min "$run" k
    ends 0 ok
    assert_eq "$(order)" 'wait attempt result'
    has wait why=hold_off wait_ms=15000
    assert_eq "$(sleeps)" 15000
    has result waited_ms=15000 retries=0
    assert_eq "$(told attempt)" 1
  done
  held 5000 20000
  FAKE_DICE=max put k
  assert_eq "$(sleeps)" 16000
  assert_eq "$(requests)" 6
}

@test "where it does not fit the deadline the run ends as throttled, unsent" {
  busy 20
  held 5000 20000
  put k --deadline 15s
  ends 11 throttled
  has result throttled_seconds=15 why=hold_off attempts=0
  assert_eq "$(sleeps)" ''
  assert_eq "$(requests)" 0
  # Rounded up; and half of what is then left remains for the attempt.
  held 4999 20000
  put k --deadline 15s
  assert_json result throttled_seconds 16
  held 5000 20000
  FAKE_DICE=max put k --deadline 15500ms
  ends 0 ok
  assert_eq "$(sleeps)" 15250
}

@test "nor is it waited for when it is over --max-retry-after" {
  busy 20
  held 5000 20000
  put k --max-retry-after 14s
  ends 11 throttled
  assert_json result throttled_seconds 15
  assert_eq "$(requests)" 0
  held 5000 20000
  put k --max-retry-after 15s --retries 0
  ends 0 ok
}

@test "it is kept for at most --max-retry-after of the run that met it" {
  busy 20
  put busy --max-retry-after 8s
  ends 11 throttled
  assert_json result throttled_seconds 20
  assert_eq "$(known hold_ms)" 8000
  nothing_known
  busy 9999999
  put busy
  assert_eq "$(known hold_ms)" 300000
  FAKE_DICE=min put k
  assert_eq "$(sleeps)" 300000
}

@test "a run's own retry does not wait twice" {
  rules '{"nth": 1, "status": 429, "headers": {"Retry-After": "3"}}'
  FAKE_DICE=min ANK_WRAP=$TRACED put k
  ends 0 ok
  assert_eq "$(sleeps)" 3000
  assert_eq "$(order)" 'attempt attempt result'
  assert_eq "$(known hold_ms hold_at)" '0 0'
  assert_eq "$(known throttled retries_throttled)" '1 1'
  assert_eq "$(writes)" 2
}

@test "the first success that was sent after it ends it" {
  busy 20
  held 5000 20000
  FAKE_DICE=min put k
  assert_eq "$(known hold_ms success_at)" "0 $((FAKE_NOW + 15000))"
  # It was sent before: the pause stands.
  begin slow
  later 1
  held 0 20000
  go_on
  ends 0 ok
  assert_eq "$(known hold_ms)" 20000
  # Another stored it while this one was about to be sent.
  nothing_known
  begin slow
  held 1 20000
  go_on
  ends 0 ok
  assert_eq "$(known hold_ms)" 0
  held 0 20000
  # Sent after it, in spite of it: not by those that do not take part.
  later 1000
  put k --no-share-throttle
  ends 0 ok
  assert_eq "$(sleeps)" ''
  assert_eq "$(known hold_ms)" 20000
}

@test "a failure does not end it, nor does an answer of the same kind" {
  busy 20
  held 19999 20000
  FAKE_DICE=min put bad --retries 0
  assert_eq "$(sleeps)" 1
  assert_eq "$(known failures)" 1
  held 19000 20000
  FAKE_DICE=min put busy --retries 0
  assert_eq "$(sleeps)" 1000
  assert_eq "$(known hold_at hold_ms)" "$((FAKE_NOW + 1000)) 20000"
}

@test "a longer one stays, a shorter one is taken" {
  busy 20
  begin slow-busy --retries 0
  held 0 20000
  go_on
  assert_eq "$(known hold_ms)" 20000
  nothing_known
  begin slow-busy --retries 0
  held 18000 20000
  go_on
  assert_eq "$(known hold_ms hold_at)" "3000 $FAKE_NOW"
}

@test "a retry waits for the longer one that others met meanwhile" {
  busy 20
  FAKE_DICE=min begin slow-busy --retries 1
  held 0 20000
  go_on
  ends 11 throttled
  # Its own three seconds, then the rest.
  assert_eq "$(sleeps | paste -sd' ')" '3000 17000'
  assert_eq "$(of wait wait_ms)" 17000
  assert_json result retries 1
}

@test "--no-share-throttle neither keeps it nor tells of it" {
  busy 20
  held 0 20000
  put k --no-share-throttle
  ends 0 ok
  assert_eq "$(sleeps)" ''
  nothing_known
  put ANK_NO_SHARE_THROTTLE=1 busy --retries 0
  ends 11 throttled
  assert_eq "$(known hold_ms throttled)" '0 1'
  put k
  assert_eq "$(sleeps)" ''
}

@test "--no-breaker and --retries 0 keep it all the same" {
  busy 20
  held 0 20000
  FAKE_DICE=min put k --no-breaker --retries 0
  ends 0 ok
  assert_eq "$(sleeps)" 20000
  assert_eq "$(known hold_ms)" 0
}

@test "it comes after an open breaker, which is told of first" {
  busy 20
  held 0 20000 '{open: 1, failures: 5, opened_at: $now, open_ms: 5000}'
  put k
  refused
  FAKE_DICE=min put k --breaker-wait 5s
  ends 0 ok
  assert_eq "$(sleeps | paste -sd' ')" '5000 15000'
  assert_eq "$(of wait why)" 'breaker hold_off'
  assert_eq "$(known open hold_ms)" '0 0'
  # A probe is not taken by a run that has to wait.
  held 0 20000 '{open: 1, failures: 5, opened_at: ($now - 5000), open_ms: 5000}'
  put k --deadline 10s
  ends 11 throttled
  assert_eq "$(known lease_ms open)" '0 1'
}

@test "one that has ended never comes back when the clock goes back" {
  busy 20
  held 20000 20000
  put bad --retries 0
  later -10000
  put k
  ends 0 ok
  assert_eq "$(sleeps)" ''
}

@test "a stamp from the future counts as ended: an hour ahead, 2106" {
  local ahead
  busy 20
  for ahead in 1001 3600000 2592000000000; do
    held "-$ahead" 20000
    put k --report none
    assert_exit 0
    assert_eq "$(sleeps)" ''
    assert_eq "$(known hold_ms)" 0
    held "-$ahead" 20000
    put busy --retries 0 --report none
    assert_eq "$(known hold_at hold_ms)" "$FAKE_NOW 20000"
  done
  # The clocks of two processes differ by less.
  held -1000 20000
  FAKE_DICE=min put k
  assert_eq "$(sleeps)" 20000
}

@test "a clock that goes an hour ahead ends it" {
  SETTINGS='"clock": {"max_age": 100000}' busy 20
  put busy --retries 0
  later 3600000
  put k
  ends 0 ok
  assert_eq "$(sleeps)" ''
}

@test "each bucket and each endpoint has its own" {
  busy 20
  put busy --retries 0
  put k --endpoint "http://127.0.0.1:$CLOUD_PORT2"
  assert_eq "$(sleeps)" ''
  run_ank ankput-fake "$T/source" s3://other/k
  assert_eq "$(sleeps)" ''
  assert_eq "$(wc -l <"$T/$STATE_PLACE")" 4
}

@test "a request for the bucket's region keeps it, too" {
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' rules '{"nth": 1, "delay_ms": 200}'
  seed
  FAKE_DICE=min begin_key ankget-fake k -I
  held 0 20000
  go_on
  ends 0 ok
  assert_eq "$(told op)" 'head region head'
  assert_eq "$(sleeps)" 20000
  assert_eq "$(known hold_ms)" 0
}
