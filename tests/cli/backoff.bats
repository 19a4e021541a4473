#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 7: --backoff, each strategy as a run waits by it.

load ../lib/harness
load policy

# waits SPEC LOWEST HIGHEST: what a put that is answered 503 five times waits
# before its four retries, with the lowest and with the highest dice.
waits() {
  FAKE_DICE=min put k --retries 4 --backoff "$1"
  ends 10 unavailable
  assert_json result attempts 5
  assert_eq "$(sleeps | paste -sd' ')" "$2"
  FAKE_DICE=max put k --retries 4 --backoff "$1"
  assert_eq "$(told wait_ms)" "$3 -"
  assert_eq "$(sleeps | paste -sd' ')" "$3"
}

@test "each strategy waits as it says" {
  rules '{"status": 503}'
  waits full:100ms,2s '' '100 2000 2000 2000'
  waits equal:100ms,2s '50 1000 1000 1000' '100 2000 2000 2000'
  waits none:100ms,2s '100 2000 2000 2000' '100 2000 2000 2000'
  waits around:100ms,2s '50 1000 1000 1000' '150 3000 3000 3000'
  waits nonzero:100ms,2s '1 1 1 1' '100 2000 2000 2000'
  waits exp:100ms,x2,max=300ms '' '100 200 300 300'
  waits exp:100ms,x2,max=300ms,jitter=equal '50 100 150 150' '100 200 300 300'
  waits exp:100ms,x1.5,jitter=none '100 150 225 337' '100 150 225 337'
  waits linear:100ms,max=350ms,jitter=none '100 200 300 350' '100 200 300 350'
  waits const:1s '' '1000 1000 1000 1000'
  waits decorrelated:100ms,max=1s '100 100 100 100' '300 900 1000 1000'
  assert_eq "$(requests)" 110
}

@test "decorrelated remembers what was thrown, not what Retry-After made of it" {
  rules '{"nth": 1, "status": 503, "headers": {"Retry-After": "7"}}' \
    '{"nth": 2, "status": 503}'
  FAKE_DICE=max put k --backoff decorrelated:100ms
  ends 0 ok
  assert_eq "$(sleeps | paste -sd' ')" '7300 900'
}

@test "a resumed read starts its waits anew" {
  rules '{"op": "get", "nth": "1-2", "close_at": 1100000}'
  seed 3145728
  FAKE_DICE=max get k --retries 1 --backoff exp:100ms
  ends 0 ok
  assert_same "$T/got" "$T/object"
  assert_eq "$(sleeps | paste -sd' ')" '100 100'
}

@test "a wait that does not fit is not begun, whatever the strategy" {
  rules '{"status": 503}'
  put k --backoff const:10s,jitter=none --deadline 10s
  ends 10 unavailable
  assert_json result why wait_does_not_fit
  assert_eq "$(slept)" 0
  assert_eq "$(requests)" 1
}

@test "a back-off that is none is one line that names its source" {
  rules
  put k --backoff exp:1s,y2
  ends 2 usage
  assert_eq "$(json result message)" \
    "--backoff: 'exp:1s,y2': behind the first wait of exp: come xN, max=DUR and jitter=NAME, each once"
  assert_eq "$(wc -l <"$ERR")" 1
  put ANK_BACKOFF=exp:1s,max=1ms k
  ends 2 usage
  assert_eq "$(json result message)" \
    "ANK_BACKOFF: 'exp:1s,max=1ms': max= is less than the first wait"
  echo 'backoff = sometimes' >"$T/config"
  put k --config "$T/config"
  ends 2 usage
  assert_contains "$(json result message)" "$T/config:1: backoff: 'sometimes': it begins with full:"
  assert_eq "$(requests)" 0
}

@test "the variable and the file say it too, and the flag has the last word" {
  rules '{"status": 503}'
  echo 'backoff = none:30ms' >"$T/config"
  put k --config "$T/config"
  assert_eq "$(sleeps | paste -sd' ')" '30 30'
  put ANK_BACKOFF=none:20ms k --config "$T/config"
  assert_eq "$(sleeps | paste -sd' ')" '20 20'
  put ANK_BACKOFF=none:20ms k --config "$T/config" --backoff none:10ms
  assert_eq "$(sleeps | paste -sd' ')" '10 10'
}

@test "--explain shows the back-off that is in force" {
  rules
  put k --backoff exp:100ms,jitter=equal,max=2s,x2 --explain --dry-run
  assert_contains "$(cat "$ERR")" 'back-off exp:100ms,x2,max=2s,jitter=equal,'
}
