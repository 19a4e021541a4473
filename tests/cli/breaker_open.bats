#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: when the breaker opens, and what runs do that meet it open.

load ../lib/harness
load breaker

# --- five in a row --------------------------------------------------------------

@test "an opening is told a person only if the run then fails; the report has it at once" {
  rules '{"key": "k", "nth": "1-2", "status": 503}' '{"key": "l", "status": 503}'
  FAKE_DICE=min put k --breaker failures=2 --report none
  assert_exit 0
  assert_eq "$(cat "$OUT" "$ERR")" ''
  nothing_known
  FAKE_DICE=min put l --breaker failures=2 --retries 1 --report none
  assert_exit 10
  assert_eq "$(cat "$ERR")" "ankput: warning: $(scope): the breaker has opened for 5000 ms
ankput: s3://bucket/l: the server answered 503"
  nothing_known
  FAKE_DICE=min put l --breaker failures=2 --retries 1 --report none --silent
  assert_eq "$(wc -l <"$ERR")" 1
}

# bats test_tags=valgrind
@test "five failures in a row, of five runs, open it; four do not" {
  local n
  answers 500
  for n in 1 2 3 4; do
    put s500 --retries 0
    ends 10 unavailable
    has attempt breaker=closed failures="$n"
    assert_eq "$(order)" 'attempt result'
    assert_eq "$(known failures open)" "$n 0"
    later 1000
  done
  put s500 --retries 0
  ends 10 unavailable
  has attempt breaker=open failures=5
  assert_eq "$(order)" 'attempt breaker warning result'
  has breaker scope="$(scope)" from=closed to=open open_ms=5000
  assert_json warning why breaker_opened
  assert_contains "$(cat "$ERR")" 'the breaker has opened'
  assert_eq "$(known open opened open_ms)" '1 1 5000'
  assert_eq "$(known opened_at)" "$FAKE_NOW"
  assert_eq "$(known last_error)" 500
  put k
  refused
  assert_eq "$(requests)" 5
}

@test "a success in between begins the row anew, and is written at once" {
  answers 500
  knows '{failures: 4, failed_at: $now}'
  ANK_WRAP=$TRACED put k
  has attempt breaker=closed failures=0
  assert_eq "$(writes)" 1
  assert_eq "$(known failures failed_at)" '0 0'
  put s500 --retries 3
  assert_eq "$(known failures open)" '4 0'
}

@test "failures more than 60 s apart are not in a row, 60 s apart they are" {
  answers 500
  knows '{failures: 4, failed_at: ($now - 60001)}'
  put s500 --retries 0
  assert_eq "$(known failures open)" '1 0'
  knows '{failures: 4, failed_at: ($now - 60000)}'
  put s500 --retries 0
  assert_eq "$(known failures open)" '5 1'
}

@test "the attempts of one run count, and its next one waits for the probe" {
  rules '{"nth": "1-5", "status": 503}'
  FAKE_DICE=min put k --retries 5
  ends 0 ok
  assert_eq "$(told breaker)" 'closed closed closed closed open closed'
  assert_eq "$(told failures)" '1 2 3 4 5 0'
  assert_eq "$(told attempt)" '1 2 3 4 5 6'
  assert_eq "$(sleeps)" 5000
  assert_eq "$(of breaker to)" 'open half_open closed'
  assert_eq "$(lines warning)" 1
}

# --- half of twenty in ten seconds ------------------------------------------------

# The last of the ten seconds is the present.
window() {
  knows "{window_at: (\$now - \$now % 1000 - 9000),
    window: [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,$1,$2]}"
}

@test "half of twenty calls in ten seconds open it, however they are mixed" {
  answers 503
  window 19 9
  put s503 --retries 0
  assert_eq "$(known failures open)" '1 1'
  assert_json breaker open_ms 5000
  window 18 9
  put s503 --retries 0
  assert_eq "$(known failures open)" '1 0'
  window 20 9
  put s503 --retries 0
  assert_eq "$(known open)" 0
  window 19 9
  later 10000
  put s503 --retries 0
  assert_eq "$(known open)" 0
  assert_eq "$(known window | jq -c .)" '[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1]'
}

@test "successes that were added up count in the window" {
  answers 503
  window 18 9
  ANK_WRAP=$TRACED put k
  assert_eq "$(writes)" 1
  put s503 --retries 0
  assert_eq "$(known open)" 1
  # A success opens nothing, whatever the share.
  window 30 30
  put k
  assert_eq "$(known open)" 0
}

# --- its numbers --------------------------------------------------------------------

@test "--breaker: failures, gap and open have an effect" {
  answers 500
  put s500 --retries 0 --breaker failures=2
  put s500 --retries 0 --breaker failures=2,open=7s
  assert_json breaker open_ms 7000
  put k
  refused
  assert_json result wait_ms 7000
  nothing_known
  put s500 --retries 0 --breaker failures=2,gap=1s
  later 1001
  put s500 --retries 0 --breaker failures=2,gap=1s
  assert_eq "$(known open)" 0
  later 1000
  put ANK_BREAKER=failures=2,gap=1s s500 --retries 0
  assert_eq "$(known open)" 1
}

@test "--breaker: window, calls and ratio have an effect" {
  answers 500
  window 3 0
  put s500 --retries 0 --breaker calls=4
  assert_eq "$(known open)" 0
  window 3 0
  put s500 --retries 0 --breaker calls=4,ratio=0.25
  assert_eq "$(known open)" 1
  window 3 3
  put s500 --retries 0 --breaker calls=4
  assert_eq "$(known open)" 1
  window 3 3
  later 1000
  put s500 --retries 0 --breaker calls=4,window=1s
  assert_eq "$(known open)" 0
}

@test "--breaker: max and lease have an effect" {
  RULES=('{"key": "slow", "delay_ms": 300}')
  answers 500
  was_opened 6000
  put s500 --retries 0 --breaker max=8s
  assert_json breaker open_ms 8000
  was_opened 6000
  begin slow --breaker lease=3s
  assert_eq "$(known lease_ms)" 3000
  go_on
  ends 0 ok
}

# --- what counts as what --------------------------------------------------------------

# counts_as failure|success|nothing: what the last run did to a row of four.
counts_as() {
  case $1 in
    failure) assert_eq "$(known failures open)" '5 1' ;;
    success) assert_eq "$(known failures open)" '0 0' ;;
    nothing) assert_eq "$(known failures open)" '4 0' ;;
  esac || { echo "not a $1: $status" >&2; return 1; }
}

@test "408, 500, 502, 503 and 504 are failures; a server in trouble of another kind is none" {
  local s
  answers 408 500 502 503 504 501 505 507
  for s in 408 500 502 503 504; do
    knows '{failures: 4, failed_at: $now}'
    get "s$s" --retries 0 --report none
    assert_exit 10
    counts_as failure
  done
  for s in 501 505 507; do
    knows '{failures: 4, failed_at: $now}'
    get "s$s" --retries 0 --report none
    assert_exit 8
    counts_as nothing
  done
}

@test "403, 404, 412 and 304 are successes, whatever the run makes of them" {
  local s
  answers 304 400 403 404 412
  for s in 304 400 403 404 412; do
    knows '{failures: 4, failed_at: $now}'
    get "s$s" --report none
    counts_as success
    assert_eq "$(known success_at)" "$FAKE_NOW"
  done
}

@test "a throttle is neither: 429, SlowDown, 503 with Retry-After" {
  local key
  RULES=('{"key": "slow", "s3_error": "SlowDown"}'
    '{"key": "later", "status": 503, "headers": {"Retry-After": "7"}}')
  answers 429
  for key in s429 slow later; do
    knows '{failures: 4, failed_at: $now}'
    put "$key" --retries 0 --report none
    counts_as nothing
    assert_eq "$(known throttled)" 1
  done
  assert_eq "$(known last_error)" '503'
}

@test "connections refused, reset, silent, cut or garbled are failures" {
  local key
  RULES=('{"key": "reset", "rst_at": "status"}'
    '{"key": "empty", "close_at": "status"}'
    '{"key": "short", "op": "get", "close_at": 500}'
    '{"key": "stall", "op": "get", "hang_at": 500}'
    '{"key": "mute", "hang_at": "status"}'
    '{"key": "junk", "raw": "hello\r\n\r\n"}')
  answers
  seed 1000 short
  seed 1000 stall
  for key in reset empty short stall mute junk; do
    knows '{failures: 4, failed_at: $now}'
    get "$key" --retries 0 --breaker gap=10m --report none
    assert_exit 10
    counts_as failure
  done
  knows '{failures: 4, failed_at: $now}'
  put mute --retries 0 --upload-timeout-ms 3000
  assert_json attempt error timeout
  counts_as failure
  ENDPOINT=http://127.0.0.1:$(closed_port)
  knows '{failures: 4, failed_at: $now}'
  put k --retries 0 --endpoint "$ENDPOINT"
  assert_json attempt error connect
  counts_as failure
  assert_eq "$(known last_error)" connect
}

@test "what is wrong here, or with the bytes, is nothing: disk, digest, proxy" {
  RULES=('{"key": "digest", "s3_error": "BadDigest"}'
    '{"key": "race", "s3_error": "OperationAborted"}'
    '{"op": "connect", "status": 502}')
  answers
  seed
  knows '{failures: 4, failed_at: $now}'
  put digest --retries 0
  ends 9 integrity
  counts_as nothing
  put race --retries 0
  counts_as nothing
  run_ank ankget-fake s3://bucket/k /dev/full
  ends 3 local
  counts_as nothing
  ENDPOINT=https://localhost:1
  knows '{failures: 4, failed_at: $now}'
  put k --retries 0 --proxy "$CLOUD_URL" --endpoint "$ENDPOINT"
  assert_json attempt error proxy
  counts_as nothing
}

@test "a repair is nothing, and the answer it leads to counts" {
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' answers 503
  knows '{failures: 4, failed_at: $now}'
  put k
  assert_eq "$(told verdict)" 'redirect ok'
  assert_eq "$(told failures)" '4 0'
  counts_as success
  knows '{failures: 4, failed_at: $now}'
  put k --region eu-west-1
  counts_as success
}

@test "a stale connection is not recorded" {
  rules '{"nth": 1, "status": 503, "then": "stale-rst"}'
  put k --retries 1
  assert_eq "$(told verdict)" 'transient resend ok'
  assert_eq "$(told failures)" '1 1 0'
  assert_eq "$(known failures attempts requests)" '0 3 1'
  assert_eq "$(known retries_transient)" 1
}

@test "runs that were interrupted, or out of time, never open it (case 79)" {
  local n
  RULES=('{"key": "slow", "delay_ms": 20000}' '{"key": "mute", "hang_at": "status"}')
  answers
  for n in 1 2 3; do
    terminated slow --breaker failures=1
    ends 143 interrupted
    assert_eq "$(told breaker) $(told failures)" 'closed 0'
  done
  for ((n = 4; n <= 20; n++)); do
    put mute --breaker failures=1 --deadline 2s --report none
  done
  put mute --breaker failures=1 --deadline 2s
  ends 13 deadline
  assert_eq "$(known failures open attempts)" '0 0 21'
  put k
  ends 0 ok
}
