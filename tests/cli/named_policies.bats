#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 7: each cell of the table of named policies, as a run behaves.

load ../lib/harness
load breaker

# retried POLICY STATUS...: these are tried again, in one retry.
# returned POLICY STATUS...: these are not.
retried() { tried 2 "$@"; }
returned() { tried 1 "$@"; }

tried() {
  local times=$1 policy=$2 status n
  shift 2
  for status; do
    n=$(requests)
    FAKE_DICE=min put "s$status" --policy "$policy" --retries 1 --no-state --retry-budget 1000
    assert_eq "$status: $(($(requests) - n))" "$status: $times"
  done
}

waits() { paste -sd' ' <(sleeps); }

# --- ank --------------------------------------------------------------------

@test "ank is the default: 2 retries, full jitter of 0.2, 1, 5 s, no budget" {
  answers 503
  NO_STATE=1
  FAKE_DICE=max put s503 --policy ank --retries 4
  assert_eq "$(waits)" '200 1000 5000 5000'
  assert_eq "$(told budget)" '- - - - -'
  FAKE_DICE=max put s503 --policy ank
  assert_eq "$(waits)" '200 1000'
  FAKE_DICE=max put s503
  assert_eq "$(waits)" '200 1000'
}

# --- anole --------------------------------------------------------------------

@test "anole: 3 attempts, full jitter of 100 ms doubled up to 2 s" {
  answers 503
  NO_STATE=1
  FAKE_DICE=max put s503 --policy anole
  ends 10 unavailable
  assert_json result attempts 3
  assert_json attempt of 3
  assert_eq "$(waits)" '100 200'
  FAKE_DICE=max put s503 --policy anole --retries 7 --retry-budget 100
  assert_eq "$(waits)" '100 200 400 800 1600 2000 2000'
  FAKE_DICE=min put s503 --policy anole
  assert_eq "$(slept)" 0
  # equal and none are a choice
  FAKE_DICE=min put s503 --policy anole --backoff exp:100ms,max=2s,jitter=equal
  assert_eq "$(waits)" '50 100'
  FAKE_DICE=min put s503 --policy anole --backoff exp:100ms,max=2s,jitter=none
  assert_eq "$(waits)" '100 200'
}

@test "anole: 1 to 10 attempts, more is a usage error that names its source" {
  answers 503
  NO_STATE=1
  FAKE_DICE=min put s503 --policy anole --retries 0
  assert_json result attempts 1
  FAKE_DICE=min put s503 --policy anole --retries 9 --retry-budget 1000
  assert_json result attempts 10
  put s503 --policy anole --retries 10
  ends 2 usage
  assert_eq "$(json result message)" \
    "--retries: '10' is more than the policy anole has, which is 9"
  put ANK_RETRIES=10 ANK_POLICY=anole s503
  ends 2 usage
  assert_contains "$(json result message)" 'ANK_RETRIES: '
}

@test "anole: a 500 is returned, and counted as a failure" {
  answers 408 429 500 501 502 503 504 404
  retried anole 408 429 502 503 504
  returned anole 500 501 404
  put s500 --policy anole
  ends 10 unavailable
  assert_json result attempts 1
  has attempt verdict=transient next=stop failures=1 budget=9
  assert_eq "$(known failures)" 1
}

@test "anole: all transport errors, and Retry-After on 429 and 503" {
  RULES=('{"key": "cut", "nth": 1, "close_at": "status"}'
    '{"key": "t", "nth": 1, "status": 429, "headers": {"Retry-After": "3"}}'
    '{"key": "u", "nth": 1, "status": 503, "headers": {"Retry-After": "4"}}'
    '{"key": "v", "nth": 1, "status": 503, "headers": {"Retry-After": "301"}}')
  answers
  NO_STATE=1
  FAKE_DICE=min
  put cut --policy anole
  assert_eq "$(told next)" 'retry done'
  put t --policy anole
  assert_eq "$(waits)" 3000
  put u --policy anole
  assert_eq "$(waits)" 4000
  put v --policy anole
  ends 11 throttled
  assert_eq "$(slept)" 0
}

@test "anole: a budget of 10 tokens, 0.1 a success" {
  answers 503
  FAKE_DICE=min
  put s503 --policy anole --no-breaker
  assert_eq "$(told budget)" '9 8 7'
  put s503 --policy anole --no-breaker
  assert_eq "$(told budget)" '6 5'
  assert_json result why budget
  put k --policy anole --no-breaker
  assert_eq "$(told budget)" 5.1
  # off by an option, as every knob
  put s503 --policy anole --no-breaker --retry-budget 0
  assert_eq "$(told budget)" '- - -'
}

@test "anole: the breaker opens after 5 failures, for 5 s, then twice as long" {
  answers 503
  FAKE_DICE=min put s503 --policy anole --retry-budget 1000 --retries 4
  assert_eq "$(of breaker open_ms)" 5000
  later 5000
  put s503 --policy anole --retries 0
  assert_eq "$(of breaker open_ms)" '- 10000'
}

# --- restic -------------------------------------------------------------------

@test "restic: no cap on attempts, 1 s doubled up to 60 s, 15 minutes in all" {
  answers 503
  # without chance: 1 2 4 8 16 32, then 60 s each: 63 + 13 * 60 = 843 s
  put s503 --policy restic --backoff exp:1s,x2,max=60s,jitter=none
  ends 10 unavailable
  assert_json result why time_spent
  assert_eq "$(waits)" "1000 2000 4000 8000 16000 32000$(printf ' 60000%.0s' {1..13})"
  assert_json result attempts 20
  assert_eq "$(told of | tr ' ' '\n' | sort -u)" -
}

@test "restic: half to one and a half of each wait" {
  answers 503
  FAKE_DICE=min put s503 --policy restic --retries 7
  assert_eq "$(waits)" '500 1000 2000 4000 8000 16000 30000'
  FAKE_DICE=max put s503 --policy restic --retries 7
  assert_eq "$(waits)" '1500 3000 6000 12000 24000 48000 90000'
}

@test "restic: when the first attempt took longer than 15 minutes, there is one retry" {
  # each look at the clock moves it by 1000 s
  SETTINGS='"clock": {"max_age": 100000000}' answers 503
  seed 1000 h
  facts ANK_FAKE_STEP=1000000 h --policy restic --no-state
  ends 10 unavailable
  assert_json result attempts 2
  assert_json result why time_spent
}

@test "restic: every status but 401, 403, 404, 416 and 507" {
  answers 400 401 403 404 405 408 409 410 416 418 429 500 501 502 503 504 505 507 599
  retried restic 400 405 408 409 410 418 429 500 501 502 503 504 505 599
  returned restic 403 404 416 507
  put s401 --policy restic --retries 1
  ends 5 denied
  assert_json result retries 0
}

@test "restic: Retry-After is ignored" {
  RULES=('{"key": "t", "nth": 1, "status": 429, "headers": {"Retry-After": "100"}}'
    '{"key": "u", "status": 503, "headers": {"Retry-After": "9999"}}')
  answers
  FAKE_DICE=min put t --policy restic
  ends 0 ok
  assert_eq "$(waits)" 500
  FAKE_DICE=min put u --policy restic --retries 2
  ends 10 unavailable
  assert_eq "$(waits)" '500 1000'
  assert_eq "$(told verdict)" 'transient transient transient'
}

@test "restic: no breaker, no hold-off" {
  answers 503
  was_opened 1000
  put k --policy restic
  ends 0 ok
  knows '{hold_at: $now, hold_ms: 60000}'
  put k --policy restic
  ends 0 ok
  assert_eq "$(slept)" 0
  nothing_known
  FAKE_DICE=min put s503 --policy restic --retries 9
  assert_eq "$(lines breaker)" 0
  assert_eq "$(known failures open)" '0 0'
}

@test "restic: who names a breaker has one" {
  answers 503
  FAKE_DICE=min put s503 --policy restic --retries 1 --breaker failures=2
  assert_eq "$(lines breaker)" 1
  put ANK_NO_BREAKER=0 k --policy restic
  refused
}

@test "restic: a read that spent its retries fails at once for an hour" {
  RULES=('{"op": "get", "key": "k", "status": 503}')
  answers
  seed 1000
  seed 1000 other
  FAKE_DICE=min get k --policy restic --retries 2
  ends 10 unavailable
  assert_eq "$(requests)" 3
  later 800000
  get k --policy restic
  assert_exit 12
  has result outcome=breaker_open attempts=0 why=read_marked
  assert_eq "$(requests)" 3
  has result wait_ms=2801500
  # only this object, only reads of it, and only by this policy
  get other --policy restic
  ends 0 ok
  facts k --policy restic
  ends 0 ok
  FAKE_DICE=min get k --retries 0
  ends 10 unavailable
  put k --policy restic
  ends 0 ok
  local object
  object=$(jq -rs '.[1].marks[0]' "$T/$STATE_PLACE")
  knows "{marks: [\"$object\", \$now - 3599999]}"
  get k --policy restic
  assert_exit 12
  has result wait_ms=1
  knows "{marks: [\"$object\", \$now - 3600000]}"
  FAKE_DICE=min get k --policy restic --retries 0
  assert_eq "$(told attempt)" 1
}

@test "restic: a read that spent its quarter of an hour is marked, too" {
  RULES=('{"op": "get", "key": "k", "status": 503}')
  answers
  get k --policy restic --backoff const:10m,jitter=none
  assert_json result why time_spent
  later 600000
  get k --policy restic
  assert_exit 12
}

@test "restic: what is not there, read again, or reset, is not marked" {
  RULES=('{"op": "get", "key": "k", "nth": 1, "status": 503}')
  answers
  seed 1000
  get k --policy restic --retries 0
  ends 10 unavailable
  get k --policy restic
  assert_exit 12
  run_ank ankbreaker-fake --endpoint "$CLOUD_URL" reset s3://bucket
  get k --policy restic
  ends 0 ok
  assert_eq "$(known marks)" 0
  get nothing --policy restic
  ends 6 not_found
  get nothing --policy restic
  ends 6 not_found
}

@test "restic: at most 64 marks, the oldest goes" {
  RULES=('{"op": "get", "status": 503}')
  answers
  seed 1000
  knows '{marks: [range(64) | ("\(1000 + .)", $now - 64 + .)]}'
  get k --policy restic --retries 0
  assert_eq "$(jq -s '.[1].marks | length' "$T/$STATE_PLACE")" 128
  assert_eq "$(jq -sr '.[1].marks[0]' "$T/$STATE_PLACE")" 0000000000001001
  get k --policy restic
  assert_exit 12
  get k --policy restic --no-breaker --retries 0
  assert_exit 10
}

# --- prismatic ------------------------------------------------------------------

@test "prismatic: 3 attempts, 200 ms doubled up to 10 s, from 1 ms on" {
  answers 503
  NO_STATE=1
  FAKE_DICE=max put s503 --policy prismatic
  assert_json result attempts 3
  assert_eq "$(waits)" '200 400'
  FAKE_DICE=max put s503 --policy prismatic --retries 8
  assert_eq "$(waits)" '200 400 800 1600 3200 6400 10000 10000'
  FAKE_DICE=min put s503 --policy prismatic
  assert_eq "$(waits)" '1 1'
}

@test "prismatic: 429, 500, 502, 503 and 504" {
  answers 400 404 408 429 500 501 502 503 504
  retried prismatic 429 500 502 503 504
  returned prismatic 400 404 408 501
}

@test "prismatic: timeouts, refused and closed, but no other transport error" {
  RULES=('{"key": "closed", "nth": 1, "close_at": "status"}'
    '{"key": "reset", "nth": 1, "rst_at": "status"}'
    '{"key": "slow", "nth": 1, "hang_at": "status"}'
    '{"key": "garbled", "raw": "no HTTP at all\r\n\r\n"}')
  answers
  NO_STATE=1
  FAKE_DICE=min
  local key
  for key in closed reset slow; do
    put "$key" --policy prismatic --upload-timeout-ms 1000
    assert_eq "$key: $(told next)" "$key: retry done"
  done
  get garbled --policy prismatic
  assert_eq "$(told error)" garbled
  assert_json result retries 0
  get garbled --policy prismatic --retry-on transport --retries 1
  assert_json result retries 1
  put k --policy prismatic --endpoint http://127.0.0.1:1
  assert_eq "$(told error)" 'connect connect connect'
  put k --policy prismatic --endpoint http://nowhere.invalid
  assert_json result retries 0
  put k --policy prismatic --proxy http://127.0.0.1:1
  assert_eq "$(told error)" proxy
}

@test "prismatic: Retry-After of a 429 stands in the place of the back-off, of a 503 it is not read" {
  RULES=('{"key": "t", "nth": 1, "status": 429, "headers": {"Retry-After": "7"}}'
    '{"key": "z", "nth": 1, "status": 429, "headers": {"Retry-After": "0"}}'
    '{"key": "l", "status": 429, "headers": {"Retry-After": "301"}}'
    '{"key": "u", "nth": 1, "status": 503, "headers": {"Retry-After": "7"}}')
  answers
  NO_STATE=1
  FAKE_DICE=max
  put t --policy prismatic
  assert_eq "$(told wait_ms)" '7000 -'
  put z --policy prismatic
  assert_eq "$(told wait_ms)" '0 -'
  put u --policy prismatic
  assert_eq "$(told wait_ms)" '200 -'
  put l --policy prismatic
  ends 11 throttled
  assert_json result throttled_seconds 301
  assert_eq "$(slept)" 0
}

@test "prismatic: 5 failures within 60 s open for 30 s, and never for longer" {
  local i
  answers 503
  FAKE_DICE=min
  # one each 16 s: five of them take 64 s
  for i in 1 2 3 4 5 6; do
    put s503 --policy prismatic --retries 0
    assert_eq "$(lines breaker)" 0
    later 16000
  done
  assert_eq "$(known failures)" 4
  later -10000
  put s503 --policy prismatic --retries 0
  assert_eq "$(of breaker open_ms)" 30000
  later 29999
  put s503 --policy prismatic --retries 0
  refused
  later 1
  put s503 --policy prismatic --retries 0
  assert_eq "$(of breaker to)" 'half_open open'
  assert_eq "$(of breaker open_ms)" '- 30000'
  later 30000
  put k --policy prismatic
  assert_eq "$(of breaker to)" 'half_open closed'
  assert_eq "$(known recent)" 0
}

@test "prismatic: a success ends the row, and no ratio opens it" {
  answers 503
  FAKE_DICE=min
  put s503 --policy prismatic --retries 3
  put k --policy prismatic
  put s503 --policy prismatic --retries 3
  assert_eq "$(lines breaker)" 0
  knows '{window: [20,19,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], window_at: ($now - 9000)}'
  put s503 --policy prismatic --retries 0
  assert_eq "$(lines breaker)" 0
}

# --- sources --------------------------------------------------------------------

@test "flag before variable before file before policy before default" {
  answers 503
  NO_STATE=1
  FAKE_DICE=max
  echo 'policy = prismatic' >"$T/config"
  put s503 --config "$T/config"
  assert_eq "$(waits)" '200 400'
  put ANK_POLICY=anole s503 --config "$T/config"
  assert_eq "$(waits)" '100 200'
  put ANK_POLICY=anole s503 --config "$T/config" --policy ank
  assert_eq "$(waits)" '200 1000'
  printf 'policy = prismatic\nbackoff = none:7ms\nretries = 3\n' >"$T/config"
  put s503 --config "$T/config"
  assert_eq "$(waits)" '7 7 7'
  put ANK_RETRIES=1 s503 --config "$T/config" --policy anole
  assert_eq "$(waits)" 7
  put s408 --policy prismatic --retry-on 408 --no-retry-on 503 --dry-run
  assert_exit 0
}

@test "lists move single statuses of a policy" {
  answers 408 500 503
  NO_STATE=1
  FAKE_DICE=min
  put s408 --policy prismatic --retry-on 408
  assert_json result retries 2
  put s503 --policy prismatic --retry-on 408 --no-retry-on 503
  assert_json result retries 0
  put s500 --policy anole --retry-on 5xx
  assert_json result retries 2
}

@test "a policy that is none, or a breaker that does not fit, is one line" {
  answers 503
  put k --policy resticc
  ends 2 usage
  assert_eq "$(json result message)" \
    "--policy: 'resticc' is not ank, anole, restic or prismatic"
  put ANK_POLICY= k
  ends 0 ok
  put k --policy prismatic --breaker open=40s
  ends 2 usage
  assert_eq "$(json result message)" \
    "--breaker: 'open=40s' does not fit the policy prismatic (failures=5,within=60s,calls=0,open=30s,max=30s)"
}

@test "--show-config tells what a policy says, and that it says so" {
  run_ank ANK_POLICY=prismatic ankput --retries 5 --show-config
  assert_exit 0
  local said
  said=$(cat "$OUT")
  assert_contains "$said" $'# ANK_POLICY\npolicy = prismatic\n'
  assert_contains "$said" $'# --retries\nretries = 5\n'
  assert_contains "$said" $'# policy prismatic\nbackoff = exp:200ms,x2,max=10s,jitter=nonzero\n'
  assert_contains "$said" $'# policy prismatic\nno-retry-on = 408\n'
  assert_contains "$said" $'# policy prismatic\nbreaker = failures=5,within=60s,calls=0,open=30s,max=30s\n'
  run_ank ankget --policy restic --show-config
  said=$(cat "$OUT")
  assert_contains "$said" $'# no limit\n# retries =\n'
  assert_contains "$said" $'# policy restic\nno-breaker = 1\n'
  assert_contains "$said" $'# policy restic\nno-share-throttle = 1\n'
  assert_contains "$said" $'# policy restic\nno-retry-on = 401,403,404,416,507\n'
  # what is shown is a file that means the same
  cp "$OUT" "$T/config"
  run_ank ankget --config "$T/config" --show-config
  assert_exit 0
  run_ank ankput --show-config
  assert_contains "$(cat "$OUT")" $'# default\nbackoff = full:200ms,1s,5s\n'
}

@test "--explain names the policy" {
  answers
  put k --policy restic --explain --dry-run
  assert_contains "$(cat "$ERR")" \
    'policy: restic, retries for 900 s, back-off exp:1s,x2,max=60s,jitter=around, Retry-After ignored'
  put k --policy prismatic --explain --dry-run
  assert_contains "$(cat "$ERR")" 'policy: prismatic, 2 retries, '
}
