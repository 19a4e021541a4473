#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 4: what Retry-After asks for is done, or the run ends at once.

load ../lib/harness
load policy

# asks KEY STATUS NAME VALUE [FURTHER]: a rule whose first answer brings it.
asks() {
  jq -cn --arg k "$1" --argjson s "$2" --arg n "$3" --arg v "$4" \
    '{key: $k, nth: 1, status: $s, headers: {($n): $v}}'"${5:+ + $5}"
}

# waited MS [FROM]: one retry, after exactly that long; its header's name.
waited() {
  ends 0 ok
  assert_eq "$(told wait_ms)" "$1 -"
  assert_eq "$(slept)" "$1"
  assert_json result waited_ms "$1"
  [ -z "${2-}" ] || assert_json attempt retry_after_from "$2" 1
}

@test "whole seconds on 429 and 503 are waited for, by PUT, GET and HEAD (cases 13, 15)" {
  FAKE_DICE=min
  local run s
  rules "$(asks p429 429 Retry-After 4)" "$(asks p503 503 Retry-After 4)" \
    "$(asks g429 429 Retry-After 4)" "$(asks g503 503 Retry-After 4)" \
    "$(asks h429 429 Retry-After 4)" "$(asks h503 503 Retry-After 4)"
  for s in 429 503; do
    put "p$s" -s
    waited 4000 retry-after
    assert_json attempt retry_after_ms 4000 1
    assert_json attempt verdict throttled 1
    seed 10 "g$s"
    get "g$s"
    waited 4000 retry-after
    seed 10 "h$s"
    facts "h$s"
    waited 4000 retry-after
  done
}

@test "four times 4 s: each gap is at least that long (case 15)" {
  rules '{"nth": "1-4", "status": 503, "headers": {"Retry-After": "4"}}'
  FAKE_SEED=5 put k --retries 4
  ends 0 ok
  local ms
  for ms in $(sleeps); do assert_between "$ms" 4000 9000; done
  assert_eq "$(sleeps | wc -l)" 4
}

@test "the wait is never shorter than our own, and jittered on top (case 14)" {
  rules '{"status": 503, "headers": {"Retry-After": "1"}}'
  FAKE_DICE=max put k --retries 9
  assert_eq "$(sleeps | paste -sd' ')" '1200 2000 6000 6000 6000 6000 6000 6000 6000'
  FAKE_DICE=min put k --retries 2
  assert_eq "$(sleeps | paste -sd' ')" '1000 1000'
}

@test "milliseconds in the forms of the providers, and the longest counts (case 15)" {
  FAKE_DICE=min
  rules "$(asks a 503 x-ms-retry-after-ms 1500)" "$(asks b 429 retry-after-ms 2500)" \
    "$(asks c 503 x-amz-retry-after 3500)" \
    "$(asks d 503 X-AMZ-RETRY-AFTER 1 '{headers: {"X-AMZ-RETRY-AFTER": "700", "Retry-After": "2"}}')" \
    "$(asks e 429 x 1 '{headers: {"retry-after-ms": "9000", "Retry-After": "2"}}')" \
    "$(asks f 503 x 1 '{headers: {"Retry-After": ["1", "3"]}}')"
  put a; waited 1500 x-ms-retry-after-ms
  put b; waited 2500 retry-after-ms
  put c; waited 3500 x-amz-retry-after
  put d; waited 2000 retry-after
  put e; waited 9000 retry-after-ms
  put f; waited 3000 retry-after
}

@test "lower-case header names say the same" {
  FAKE_DICE=min rules '{"nth": 1, "status": 503, "lowercase_headers": true, "headers": {"Retry-After": "4"}}'
  FAKE_DICE=min put k
  waited 4000 retry-after
}

@test "the three forms of a date, each 3 s ahead (case 11)" {
  local form
  FAKE_DICE=min
  for form in date rfc850 asctime; do
    rules "$(asks k 503 Retry-After "{$form+3}")"
    put k
    waited 3000 retry-after
  done
}

@test "a date is measured on the server's clock: an hour off does no harm (case 11)" {
  local offset
  FAKE_DICE=min
  for offset in 800 -800; do
    SETTINGS="\"clock\": {\"offset\": $offset, \"fake\": true}" \
      rules "$(asks k 503 Retry-After '{date+3}')"
    put k
    waited 3000
  done
  # Here our clock is so far off that signing needed a repair first.
  SETTINGS='"clock": {"offset": 3600, "fake": true}' \
    rules '{"nth": 2, "status": 503, "headers": {"Retry-After": "{date+3}"}}'
  put k
  ends 0 ok
  assert_eq "$(slept)" 3000
}

@test "without a Date our own clock measures, corrected by what a repair learnt" {
  FAKE_DICE=min
  rules "$(asks k 503 x 1 '{headers: {"Date": null, "Retry-After": "{date+3}"}}')"
  put k
  waited 3000
  SETTINGS='"clock": {"offset": 3600, "fake": true}' \
    rules '{"nth": 2, "status": 503, "headers": {"Date": null, "Retry-After": "{date+3}"}}'
  put k
  ends 0 ok
  assert_eq "$(slept)" 3000
}

@test "a Date that is none is none" {
  FAKE_DICE=min
  rules "$(asks k 503 x 1 '{headers: {"Date": "yesterday", "Retry-After": "{date+3}"}}')"
  put k
  waited 3000
}

@test "in the past, and now, is 0: our own wait alone (case 11)" {
  local n
  FAKE_DICE=max
  rules "$(asks k0 503 Retry-After 'Sun, 06 Nov 1994 08:49:37 GMT')" \
    "$(asks k1 429 Retry-After '{date+0}')" "$(asks k2 503 Retry-After '{asctime-100}')" \
    "$(asks k3 503 Retry-After 0)" "$(asks k4 503 x-amz-retry-after 0)"
  for n in 0 1 2 3 4; do
    put "k$n"
    waited 200
    assert_json attempt retry_after_ms 0 1
    assert_eq "$(json attempt retry_after_invalid 1)" ''
  done
}

@test "junk, fractions, signs and emptiness are absent, and the report says so" {
  local n=0 all=() value
  FAKE_DICE=max
  local values=(-1 '' 1.5 +2 soon '3 s' 0x10 '1,2' '１' 'Sun, 32 Nov 1994 08:49:37 GMT'
    '2023-11-14T22:13:23Z' 'Tue, 14 Nov 2023 22:13:23 CET')
  for value in "${values[@]}"; do
    all+=("$(asks "k$n" 503 Retry-After "$value")")
    n=$((n + 1))
  done
  rules "${all[@]}"
  for ((n = 0; n < ${#values[@]}; n++)); do
    echo "# ${values[n]}" >&2
    put "k$n" || return 1
    waited 200 || return 1
    assert_json attempt retry_after_invalid true 1 || return 1
    assert_eq "$(json attempt retry_after_ms 1)" '' || return 1
    assert_json attempt verdict transient 1 || return 1
  done
}

@test "junk beside a good value: the good one counts, and the junk is told" {
  FAKE_DICE=min
  rules "$(asks k 503 x 1 '{headers: {"Retry-After": "soon", "x-amz-retry-after": "1500"}}')"
  put k
  waited 1500 x-amz-retry-after
  assert_json attempt retry_after_invalid true 1
}

@test "larger than the clock can hold is the largest, not the smallest (case 10)" {
  local n=0 value all=()
  for value in 9223372036854775807 9223372036854775808 99999999999999999999999999; do
    all+=("{\"key\": \"k$n\", \"status\": 503, \"headers\": {\"Retry-After\": \"$value\"}}")
    n=$((n + 1))
  done
  all+=("{\"key\": \"k$n\", \"status\": 429, \"headers\": {\"x-ms-retry-after-ms\": \"$value\"}}")
  rules "${all[@]}"
  for n in 0 1 2 3; do
    put "k$n" --max-retry-after 8760h
    ends 11 throttled
    assert_eq "$(slept)" 0
    assert_json result attempts 1
    [ "$(json result throttled_seconds)" -gt 1000000000000 ]
  done
}

@test "on other statuses Retry-After is not read" {
  local s
  FAKE_DICE=max
  rules "$(asks k500 500 Retry-After 9)" "$(asks k502 502 Retry-After 9)" \
    "$(asks k408 408 Retry-After 9)" "$(asks k504 504 Retry-After junk)"
  for s in 500 502 408 504; do
    put "k$s"
    waited 200
    assert_eq "$(told retry_after_ms)" '- -'
    assert_eq "$(told retry_after_invalid)" '- -'
  done
  rules '{"status": 403, "headers": {"Retry-After": "9"}}'
  put k
  ends 5 denied
}

# --- it does not fit ----------------------------------------------------------

@test "86400 s with 5 s left: nothing sleeps, throttled at once (case 10)" {
  rules '{"status": 503, "headers": {"Retry-After": "86400"}}'
  put k --deadline 5s --max-retry-after 48h
  ends 11 throttled
  assert_json result throttled_seconds 86400
  assert_json result why retry_after_does_not_fit
  assert_json result elapsed_ms 0
  assert_eq "$(sleeps)" ''
  assert_eq "$(requests)" 1
  assert_contains "$(cat "$ERR")" 86400
}

@test "over --max-retry-after, 5 minutes by default: throttled at once" {
  rules '{"key": "more", "status": 429, "headers": {"Retry-After": "301"}}' \
    "$(asks just 429 Retry-After 300)" "$(asks ten 429 Retry-After 10)"
  put more
  ends 11 throttled
  assert_json result throttled_seconds 301
  assert_json result attempts 1
  FAKE_DICE=min put just
  waited 300000
  put ten --max-retry-after 9999ms
  ends 11 throttled
  assert_json result throttled_seconds 10
  assert_eq "$(slept)" 0
}

@test "--max-retry-after 0 waits for none but a Retry-After of 0" {
  rules "$(asks zero 503 Retry-After 0)" "$(asks one 503 x-amz-retry-after 1)"
  put zero --max-retry-after 0
  ends 0 ok
  put one --max-retry-after 0
  ends 11 throttled
  assert_json result throttled_seconds 1
}

@test "as long as the time left does not fit, one ms less does" {
  FAKE_DICE=min
  rules '{"key": "a", "status": 503, "headers": {"Retry-After": "5"}}' \
    '{"key": "b", "nth": 1, "status": 503, "headers": {"Retry-After": "5"}}'
  put a --deadline 5000ms
  ends 11 throttled
  assert_eq "$(slept)" 0
  put b --deadline 5001ms
  waited 5000
}

@test "the jitter gives way, Retry-After never: half of what is left, or a second, remains" {
  rules "$(asks a 503 Retry-After 4)" "$(asks b 503 Retry-After 4)" \
    "$(asks c 503 Retry-After 4)" "$(asks d 503 Retry-After 4)" \
    '{"key": "e", "nth": "1-2", "status": 503, "headers": {"Retry-After": "4"}}'
  FAKE_DICE=max
  put a --deadline 4300ms; waited 4150     # half of the 300 ms left
  put b --deadline 5s; waited 4200         # more than half a second is left
  put c --deadline 4100ms; waited 4050
  put d --deadline 4001ms; waited 4000
  put e --deadline 9500ms                  # after 4.2 s 5.3 s are left
  ends 0 ok
  assert_eq "$(told wait_ms)" '4200 4650 -'
}

@test "throttled seconds are rounded up" {
  rules '{"key": "a", "status": 503, "headers": {"x-amz-retry-after": "1001"}}' \
    '{"key": "b", "status": 503, "headers": {"x-amz-retry-after": "1000"}}' \
    '{"key": "c", "status": 503, "headers": {"x-amz-retry-after": "1"}}' \
    '{"key": "d", "status": 503, "headers": {"Retry-After": "0"}}'
  local k
  for k in a:2 b:1 c:1 d:0; do
    put "${k%:*}" --retries 0
    ends 11 throttled
    assert_json result throttled_seconds "${k#*:}"
  done
}

@test "attempts spent and the last answer a throttle: throttled, by every method" {
  local run
  rules '{"nth": [3, 6, 9], "status": 503, "headers": {"Retry-After": "7"}}' '{"status": 503}'
  for run in put get facts; do
    "$run" k
    ends 11 throttled
    assert_json result throttled_seconds 7
    assert_json result attempts 3
    assert_json result why retries_spent
  done
}

@test "attempts spent, and only an earlier answer was a throttle: unavailable" {
  rules '{"nth": [1, 2], "status": 503, "headers": {"Retry-After": "1"}}' '{"status": 503}'
  put k
  ends 10 unavailable
  assert_eq "$(json result throttled_seconds)" ''
}

@test "503, 429 and SlowDown without a usable Retry-After end as unavailable" {
  rules '{"key": "a", "status": 503}' '{"key": "b", "status": 429}' \
    '{"key": "c", "s3_error": "SlowDown"}' \
    '{"key": "d", "s3_error": "SlowDown", "headers": {"Retry-After": "soon"}}'
  local k
  for k in a b c d; do
    put "$k"
    ends 10 unavailable
    assert_json result attempts 3
    assert_eq "$(json result throttled_seconds)" ''
  done
}

@test "SlowDown with Retry-After waits like any other" {
  FAKE_DICE=min
  rules "$(jq -cn '{nth: 1, s3_error: "SlowDown", headers: {"Retry-After": "4"}}')"
  put k
  waited 4000 retry-after
  assert_json attempt code SlowDown 1
}

@test "--no-retry-on does not make a throttle something else" {
  rules '{"status": 429, "headers": {"Retry-After": "4"}}'
  put k --no-retry-on 429
  ends 11 throttled
  assert_json result throttled_seconds 4
  assert_json result attempts 1
}
