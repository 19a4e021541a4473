#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: what runs do that meet an open breaker, before and after their
# first request; and whose breaker it is.

load ../lib/harness
load breaker

# --- before anything was sent -------------------------------------------------------

@test "a run that meets it open ends at once, without a request or a retry" {
  local run
  rules
  seed
  for run in put get facts; do
    was_opened 1500
    ANK_WRAP=$TRACED "$run" k
    refused
    has result wait_ms=3500 elapsed_ms=0 repairs=0
    assert_eq "$(order)" result
    assert_eq "$(known rejected requests attempts)" '1 0 0'
    assert_eq "$(writes)" 1
    assert_contains "$(cat "$ERR")" 'in 4 s'
  done
  get k --retries 9
  refused
  assert_eq "$(known rejected)" 2
  assert_eq "$(requests)" 0
  [ ! -e "$T/got" ]
}

@test "it is asked again after the body was hashed, which may take long" {
  rules
  new_file 3000000 "$T/source" >/dev/null
  # At first still to come, which counts as ended; then in the middle of it.
  was_opened -45000 600000
  put ANK_FAKE_STEP=10000 k --breaker-wait 5s
  refused
  assert_eq "$(requests) $(known lease_ms)" '0 0'
  knows '{hold_at: ($now + 45000), hold_ms: 600000}'
  put ANK_FAKE_STEP=10000 k --max-retry-after 5s
  ends 11 throttled
  assert_json result attempts 0
}

# bats test_tags=valgrind
@test "--breaker-wait lets it wait for the probe's turn, and says so first" {
  rules
  was_opened 1500
  put k --breaker-wait 3500ms
  ends 0 ok
  assert_eq "$(order)" 'wait breaker attempt breaker result'
  has wait wait_ms=3500 why=breaker time=2023-11-14T22:13:20.000Z
  assert_json attempt time 2023-11-14T22:13:23.500Z
  assert_eq "$(sleeps)" 3500
  has result waited_ms=3500 retries=0
  assert_eq "$(told attempt)" 1
  was_opened 1500
  put ANK_BREAKER_WAIT=1m k
  ends 0 ok
}

@test "--breaker-wait that is too short waits for nothing" {
  rules
  was_opened 1500
  put k --breaker-wait 3499ms
  refused
  assert_json result wait_ms 3500
  assert_eq "$(sleeps)" ''
}

@test "--breaker-wait does not go beyond the deadline" {
  rules
  was_opened 1500
  put k --breaker-wait 1m --deadline 3500ms
  refused
  assert_eq "$(sleeps)" ''
  put k --breaker-wait 1m --deadline 3501ms
  assert_eq "$(sleeps)" 3500
  assert_json attempt timeout_ms 1
}

@test "--breaker-wait looks again and again while another's probe is under way" {
  rules
  probed 0
  FAKE_DICE=max put k --breaker-wait 12s
  refused
  assert_eq "$(sleeps | paste -sd' ')" '5000 5000 2000'
  has result wait_ms=33000 waited_ms=12000
  assert_eq "$(of wait why)" 'breaker breaker breaker'
  probed 0
  FAKE_DICE=min put k --breaker-wait 2500ms
  refused
  assert_eq "$(sleeps | paste -sd' ')" '1000 1000 500'
  # A lease that runs out is waited for.
  probed 44000
  FAKE_DICE=max put k --breaker-wait 5s
  ends 0 ok
  assert_eq "$(sleeps)" 1000
}

# --- when something was sent already -------------------------------------------------

@test "a run that has sent waits for its turn without spending a retry" {
  rules '{"nth": "1-3", "status": 503}'
  FAKE_DICE=min put k --breaker failures=2 --retries 3
  ends 0 ok
  # Opened by its second attempt for 5 s, by its third for 10 s.
  assert_eq "$(sleeps | paste -sd' ')" '5000 10000'
  assert_eq "$(told attempt)" '1 2 3 4'
  assert_eq "$(told of)" '4 4 4 4'
  assert_eq "$(told wait_ms)" '0 0 0 -'
  assert_eq "$(of wait wait_ms)" '5000 10000'
  has result retries=3 waited_ms=15000
  assert_eq "$(of breaker open_ms)" '5000 - 10000 - -'
  assert_eq "$(of breaker to)" 'open half_open open half_open closed'
  assert_eq "$(lines warning)" 1
  assert_eq "$(known opened rejected)" '2 0'
}

@test "the time until its turn counts from when it may ask, not from the retry" {
  rules '{"nth": "1-2", "status": 503}'
  FAKE_DICE=max put k --breaker failures=2
  ends 0 ok
  assert_eq "$(sleeps | paste -sd' ')" '200 1000 4000'
}

@test "it waits sixty seconds in all and no more, then gives its last answer" {
  rules '{"status": 503}'
  FAKE_DICE=min put k --breaker failures=1 --retries 9
  ends 10 unavailable
  assert_json result why breaker
  assert_contains "$(json result message)" 'the server answered 503'
  # 5, 10 and 20 s; the next 40 s would be too many.
  assert_eq "$(sleeps | paste -sd' ')" '5000 10000 20000'
  has result retries=3 attempts=4
  assert_eq "$(known rejected)" 1
  nothing_known
  FAKE_DICE=min put k --breaker failures=1,open=60s --retries 9
  assert_eq "$(sleeps)" 60000
  nothing_known
  FAKE_DICE=min put k --breaker failures=1,open=60001ms,max=2m --retries 9
  assert_eq "$(sleeps)" ''
  assert_json result why breaker
}

@test "--breaker-wait is part of the sixty seconds" {
  rules '{"status": 503}'
  was_opened 0 40000
  FAKE_DICE=min put k --breaker-wait 50s --breaker open=20s,max=20s
  ends 10 unavailable
  assert_eq "$(sleeps | paste -sd' ')" '40000 20000'
  assert_json result why breaker
}

@test "it does not wait beyond the deadline; its own exit code stands" {
  RULES=('{"key": "digest", "s3_error": "BadDigest"}')
  answers 503
  FAKE_DICE=min put s503 --breaker failures=1 --deadline 5s
  ends 10 unavailable
  assert_json result why breaker
  assert_eq "$(sleeps)" ''
  assert_json result attempts 1
  FAKE_DICE=min put s503 --breaker failures=1 --deadline 5001ms --no-state
  nothing_known
  FAKE_DICE=min put s503 --breaker failures=1 --deadline 5001ms
  assert_eq "$(sleeps)" 5000
}

# meanwhile FILTER KEY OPTION...: another run opens the breaker, or what FILTER
# says, while this one is being answered (slowly: delay_ms).
meanwhile() {
  local filter=$1
  shift
  FAKE_DICE=min begin "$@"
  knows "$filter"
  go_on
}

OPEN='{open: 1, failures: 5, opened_at: $now, open_ms: 5000}'
TRIPPED='{open: 1, failures: 5, opened_at: $now, open_ms: 90000}'

@test "opened by others: the last answer keeps its own exit code" {
  rules '{"key": "digest", "s3_error": "BadDigest", "delay_ms": 200}' \
    '{"key": "busy", "status": 429, "headers": {"Retry-After": "2"}, "delay_ms": 200}'
  meanwhile "$TRIPPED" digest
  ends 9 integrity
  has result why=breaker attempts=1
  assert_contains "$(json result message)" BadDigest
  nothing_known
  # The answer was a throttle, and says when to come back.
  meanwhile "$TRIPPED" busy
  ends 11 throttled
  has result why=breaker throttled_seconds=2
}

@test "after a repair, too: it waits, or the refused answer stands" {
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' \
    rules '{"nth": 1, "delay_ms": 200}' '{"nth": 3, "delay_ms": 200}'
  meanwhile "$OPEN" k
  ends 0 ok
  assert_eq "$(told verdict)" 'redirect ok'
  assert_eq "$(sleeps)" 5000
  assert_json result retries 0
  meanwhile "$TRIPPED" k
  ends 8 rejected
  assert_json result why breaker
  assert_eq "$(told verdict)" redirect
  assert_contains "$(json result message)" AuthorizationHeaderMalformed
}

@test "after expired credentials were replaced, too" {
  mkdir -p "$T/home/.aws"
  token() {
    printf '[default]\naws_access_key_id = AKID%s\naws_secret_access_key = %s\naws_session_token = %s\n' \
      "$1" "$1-secret-of-some-length" "$1-token-of-some-length" >"$T/home/.aws/credentials"
  }
  SETTINGS='"keys": {"AKIDOLD": {"secret": "OLD-secret-of-some-length",
      "token": "OLD-token-of-some-length", "expired": true},
    "AKIDNEW": {"secret": "NEW-secret-of-some-length",
      "token": "NEW-token-of-some-length"}}' rules '{"nth": [1, 3], "delay_ms": 300}'
  local state
  for state in "$OPEN" "$TRIPPED"; do
    token OLD
    ANK_ENV=(AWS_ACCESS_KEY_ID= AWS_SECRET_ACCESS_KEY=)
    begin k
    token NEW
    knows "$state"
    go_on
    [ "$state" != "$OPEN" ] || ends 0 ok
  done
  ends 4 credentials
  assert_json result why breaker
  assert_eq "$(requests)" 3
}

# bats test_tags=valgrind
@test "asking for the bucket's region waits, or leaves the answer as it is" {
  # 1 and 4 are the HEADs of the object, 2 of the bucket.
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' \
    rules '{"nth": [1, 4], "delay_ms": 200}'
  seed
  head_meanwhile() {
    begin_key ankget-fake k -I
    knows "$1"
    go_on
  }
  head_meanwhile "$OPEN"
  ends 0 ok
  assert_eq "$(told op)" 'head region head'
  assert_eq "$(sleeps)" 5000
  head_meanwhile "$TRIPPED"
  ends 8 rejected
  has result why=breaker attempts=1
  assert_eq "$(requests)" 4
}

@test "a signal ends the wait for the breaker, nothing more is sent" {
  rules
  FAKE_NOW=$(date +%s%3N)
  was_opened 0 3600000
  new_file 10 "$T/source" >/dev/null
  start_ank ankput --report "$T/lines" --breaker-wait 2h "$T/source" s3://bucket/k
  local i
  for ((i = 0; i < 300; i++)); do
    ! grep -q wait_ms "$T/lines" 2>/dev/null || break
    sleep 0.01
  done
  kill -TERM "$ANK_PID"
  wait_ank
  cp "$T/lines" "$REPORT"
  assert_exit 143
  assert_eq "$(requests)" 0
}
