#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: the retry budget that all runs to a bucket share.

load ../lib/harness
load breaker

# failing: a cloud that answers keys by their names.
failing() { answers 503 500 429 404; }

@test "a failed attempt costs a token, and with half of them there is no retry" {
  failing
  FAKE_DICE=min put s503 --retry-budget 10 --retries 9 --no-breaker
  ends 10 unavailable
  assert_eq "$(requests)" 5
  assert_eq "$(told budget)" '9 8 7 6 5'
  assert_eq "$(told next)" 'retry retry retry retry stop'
  assert_json attempt why budget
  assert_json result why budget
  assert_json result attempts 5
  assert_eq "$(known budget_spent budget_max budget_at suppressed retries_transient)" \
    "5000 10000 $FAKE_NOW 1 4"
}

@test "the next run has what the one before left, and its first attempt in any case" {
  failing
  FAKE_DICE=min put s503 --retry-budget 10 --retries 2 --no-breaker
  assert_eq "$(told budget)" '9 8 7'
  assert_json result why retries_spent
  later 1000
  FAKE_DICE=min put s503 --retry-budget 10 --retries 2 --no-breaker
  assert_eq "$(told budget)" '6 5'
  assert_json result why budget
  assert_eq "$(slept)" 0
  put s503 --retry-budget 10 --no-breaker
  assert_eq "$(told budget)" 4
  assert_json result why budget
  assert_eq "$(requests)" 6
}

@test "a success earns a tenth, or the ratio that is said" {
  failing
  knows '{budget_spent: 5000, budget_max: 10000, budget_at: $now}'
  put k --retry-budget 10
  ends 0 ok
  assert_eq "$(told budget)" 5.1
  assert_eq "$(known budget_spent)" 4900
  put k --retry-budget 10,1.5
  assert_eq "$(told budget)" 6.6
  put s404 --retry-budget 10,1.5
  assert_eq "$(told budget)" 8.1
  put k --retry-budget 10,2
  assert_eq "$(told budget)" 10
}

@test "half and a bit more lets a retry be made, half does not" {
  failing
  knows '{budget_spent: 3900, budget_max: 10000, budget_at: $now}'
  put s503 --retries 5 --retry-budget 10 --no-breaker
  assert_eq "$(told budget)" '5.1 4.1'
  assert_json result why budget
}

@test "a throttle costs a token, and the run then says when to come back" {
  RULES=('{"key": "t", "status": 429, "headers": {"Retry-After": "3"}}')
  answers
  knows '{budget_spent: 4000, budget_max: 10000, budget_at: $now}'
  put t --retry-budget 10
  ends 11 throttled
  assert_json result why budget
  assert_json result throttled_seconds 3
  assert_eq "$(slept)" 0
  assert_eq "$(known suppressed throttled)" '1 1'
}

@test "this machine's trouble and repairs cost nothing" {
  RULES=('{"key": "r", "nth": 1, "s3_error": "RequestTimeTooSkewed"}')
  answers
  put r --retry-budget 10
  ends 0 ok
  assert_eq "$(told budget)" '10 10'
  assert_eq "$(known budget_spent)" 0
}

@test "untouched for 60 s it is full again" {
  failing
  knows '{budget_spent: 9000, budget_max: 10000, budget_at: ($now - 59999)}'
  put s503 --retry-budget 10 --retries 1 --no-breaker
  assert_eq "$(told budget)" 0
  knows '{budget_spent: 9000, budget_max: 10000, budget_at: ($now - 60000)}'
  put s503 --retry-budget 10 --retries 1 --no-breaker
  assert_eq "$(told budget)" '9 8'
}

@test "without the option nothing is asked, told or kept" {
  failing
  knows '{budget_spent: 9000, budget_max: 10000, budget_at: $now}'
  put s503 --no-breaker
  assert_eq "$(told budget)" '- - -'
  assert_eq "$(told next)" 'retry retry stop'
  assert_eq "$(known budget_spent suppressed)" '9000 0'
}

@test "without a file, or with one that takes nothing, a run has its own tokens" {
  failing
  FAKE_DICE=min put s503 --retry-budget 4 --retries 9 --no-state
  assert_eq "$(told budget)" '3 2'
  assert_json result why budget
  mkdir -p "$T/plain"
  echo '{"ank_state":9}' >"$T/plain/state"
  FAKE_DICE=min put s503 --retry-budget 4 --retries 9 --state-file "$T/plain/state"
  assert_eq "$(told budget)" '3 2'
  assert_json result why budget
}

@test "parts spend from one budget" {
  RULES=('{"op": "part", "status": 503}')
  answers
  new_file 20000000 "$T/source" >/dev/null
  FAKE_DICE=min put k --retry-budget 6 --retries 9 --parallel 3 --no-breaker
  ends 10 unavailable
  # Each suppressed retry ends its part; the tokens were gone after three.
  assert_eq "$(op_told part next | tr ' ' '\n' | grep -c retry)" 2
}

@test "many processes share the tokens: they make the first attempts, and few more" {
  local i pids=() ANK_BASE
  failing
  new_file 1000 "$T/source" >/dev/null
  ank_environment ankput-fake
  for i in 1 2 3 4 5 6 7 8; do
    env -i "${ANK_BASE[@]}" ANK_FAKE_NOW="$FAKE_NOW" ANK_FAKE_DICE=min \
      "$ANK_BUILD/ankput-fake" --retry-budget 10 --no-breaker \
      "$T/source" s3://bucket/s503 >"$T/report$i" 2>/dev/null &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || assert_eq "$?" 10; done
  # 8 first attempts and less than 5 retries.
  assert_between "$(requests)" 8 12
  assert_between "$(known budget_spent)" 8000 12000
}

@test "ankbreaker shows the tokens and what was suppressed, and reset fills them" {
  failing
  FAKE_DICE=min put s503 --retry-budget 10,0.25 --retries 9 --no-breaker
  put k --retry-budget 10,0.25
  run_ank ankbreaker-fake --json --endpoint "$CLOUD_URL" show s3://bucket
  assert_exit 0
  assert_eq "$(jq -c '[.tokens, .suppressed]' "$OUT")" '[5.25,1]'
  run_ank ankbreaker-fake --endpoint "$CLOUD_URL" reset s3://bucket
  run_ank ankbreaker-fake --json --endpoint "$CLOUD_URL" show s3://bucket
  assert_eq "$(jq -c '[.tokens, .suppressed]' "$OUT")" '[10,1]'
  nothing_known
  put k
  run_ank ankbreaker-fake --json --endpoint "$CLOUD_URL" show s3://bucket
  assert_eq "$(jq -c .tokens "$OUT")" null
}

@test "a budget that is none is one line that names its source" {
  failing
  put k --retry-budget 1001
  ends 2 usage
  assert_eq "$(json result message)" \
    "--retry-budget: '1001' is not 1 to 1000 tokens, and what a success earns of them, like 10 or 10,0.1, or 0 for none"
  put ANK_RETRY_BUDGET=10,20 k
  ends 2 usage
  assert_contains "$(json result message)" "ANK_RETRY_BUDGET: '10,20'"
  assert_eq "$(requests)" 0
}
