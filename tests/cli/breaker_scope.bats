#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: whose breaker it is, who leaves it alone, clocks that jump, and
# many runs at once.

load ../lib/harness
load breaker

# --- its name ---------------------------------------------------------------------------

# names: the scopes of the state file, in its order.
names() { jq -r '.scope // empty' "$T/$STATE_PLACE" | paste -sd' '; }

@test "a scope is the endpoint, in lower case and with its port, and the bucket" {
  rules
  was_opened 0
  put k --endpoint "HTTP://127.0.0.1:$CLOUD_PORT"
  refused
  put k --endpoint "http://127.0.0.1:$CLOUD_PORT/"
  refused
  nothing_known
  put k --endpoint HTTP://LocalHost:1 --retries 0 --resolve "localhost:1:127.0.0.1"
  assert_eq "$(names)" http://localhost:1/bucket
  nothing_known
  put k --endpoint http://127.0.0.1 --retries 0
  put k --endpoint https://127.0.0.1 --retries 0
  assert_eq "$(names)" 'http://127.0.0.1:80/bucket https://127.0.0.1:443/bucket'
}

@test "the bucket's label in the host is not part of the endpoint" {
  SETTINGS='"domains": ["s3.localhost"]' rules
  put k --endpoint "http://s3.localhost:$CLOUD_PORT" --addressing virtual \
    --resolve "bucket.s3.localhost:$CLOUD_PORT:127.0.0.1" --retries 0
  assert_eq "$(names)" "http://s3.localhost:$CLOUD_PORT/bucket"
  nothing_known
  put k --endpoint "http://[::1]:1" --retries 0
  assert_eq "$(names)" 'http://[::1]:1/bucket'
}

@test "two buckets of an endpoint, and two endpoints, do not share one" {
  SETTINGS='"buckets": ["bucket", "other"]' rules
  was_opened 0
  put k
  refused
  run_ank ankput-fake "$T/source" s3://other/k
  ends 0 ok
  put k --endpoint "http://127.0.0.1:$CLOUD_PORT2"
  ends 0 ok
  put k
  refused
  assert_eq "$(names | wc -w)" 3
  assert_eq "$(BUCKET=other known requests) $(known open)" '1 1'
}

# --- who leaves it alone ------------------------------------------------------------------

@test "--no-breaker neither asks nor records" {
  answers 500
  was_opened 1000
  put k --no-breaker
  ends 0 ok
  assert_eq "$(told breaker) $(told failures)" '- -'
  assert_eq "$(known open failures)" '1 5'
  assert_eq "$(known opened_at)" $((FAKE_NOW - 1000))
  put ANK_NO_BREAKER=1 s500 --retries 1
  assert_eq "$(known open open_ms window)" '1 5000 0'
  assert_eq "$(known attempts retries_transient)" '3 1'
  knows '{failures: 4, failed_at: $now}'
  put s500 --no-breaker --retries 2
  ends 10 unavailable
  assert_eq "$(known failures open)" '4 0'
  put k --no-breaker
  assert_eq "$(known failures)" 4
}

@test "--no-state reads nothing and writes nothing" {
  answers 500
  was_opened 1000
  cp "$T/$STATE_PLACE" "$T/before"
  put k --no-state
  ends 0 ok
  put s500 --no-state --retries 9
  ends 10 unavailable
  assert_json result attempts 10
  assert_eq "$(lines breaker) $(told breaker | tr -d ' -')" '0 '
  assert_same "$T/$STATE_PLACE" "$T/before"
  nothing_known
  put s500 --no-state --retries 0
  [ ! -e "$T/home/.local" ]
}

@test "--dry-run neither asks nor writes" {
  rules
  put k --dry-run
  ends 0 ok
  get k --dry-run
  [ ! -e "$T/home/.local" ]
  was_opened 1000
  cp "$T/$STATE_PLACE" "$T/before"
  put k --dry-run
  ends 0 ok
  assert_same "$T/$STATE_PLACE" "$T/before"
}

@test "what a server says of a failure goes there as a word, and never a secret" {
  rules '{"key": "word", "s3_error": "InternalError"}' \
    '{"key": "echo", "status": 500, "body": "<Error><Code>token-of-some-length-99</Code></Error>"}' \
    '{"key": "junk", "status": 500, "body": "<Error><Code>a &lt;b&gt; \u00e4</Code></Error>"}'
  put word --retries 0 --report none
  assert_eq "$(known last_error)" '500 InternalError'
  put AWS_SESSION_TOKEN=token-of-some-length-99 echo --retries 0
  assert_eq "$(requests)" 2
  if grep token-of "$T/$STATE_PLACE" "$REPORT"; then return 1; fi
  put junk --retries 0 --report none
  assert_eq "$(known last_error)" 500
}

@test "counters: requests, attempts, retries by reason, bytes" {
  RULES=('{"key": "digest", "nth": 1, "s3_error": "BadDigest"}'
    '{"key": "slow", "nth": 1, "s3_error": "SlowDown"}')
  answers 500
  put digest --report none
  put slow --report none
  put s500 --retries 1 --report none
  get k --interface nosuchif0 --retries 1 --report none
  assert_eq "$(known requests attempts throttled)" '4 8 1'
  assert_eq "$(known retries_integrity retries_throttled retries_transient \
    retries_local)" '1 1 1 1'
  nothing_known
  put k --report none
  seed 5000
  get k --report none
  assert_eq "$(known requests attempts bytes_sent bytes_received)" '2 2 1000 5000'
}

# --- clocks ---------------------------------------------------------------------------------

AGED='"clock": {"max_age": 100000000000}'

@test "a clock that jumps an hour makes no breaker last longer" {
  SETTINGS=$AGED answers 500
  put s500 --breaker failures=1 --retries 0
  put k
  refused
  later -3600000
  put k
  ends 0 ok
  later 3600000
  put s500 --breaker failures=1 --retries 0
  later 3600000
  put k
  ends 0 ok
}

@test "stamps from 2106 count as ended: openings, leases, rows, windows" {
  answers 500
  local then=4300000000000
  knows "{open: 1, failures: 5, opened_at: $then, open_ms: 60000}"
  put k
  ends 0 ok
  knows "{open: 1, failures: 5, opened_at: (\$now - 9000), open_ms: 5000,
    lease_at: $then, lease_ms: 45000, holder: 7}"
  put k
  ends 0 ok
  knows "{failures: 4, failed_at: $then, window_at: $then, success_at: $then,
    window: [20,20,20,20,20,20,20,20,20,20,20,20,20,20,20,20,20,20,20,20]}"
  put s500 --retries 0
  assert_eq "$(known failures open)" '1 0'
  put k
  assert_eq "$(known failures success_at)" "0 $FAKE_NOW"
}

@test "a length that nobody can have meant is damage, and holds nobody up" {
  answers
  was_opened 0 9000000000000000
  put k
  ends 0 ok
  knows '{hold_at: $now, hold_ms: 9000000000000000}'
  put k
  ends 0 ok
  assert_eq "$(sleeps)" ''
}

@test "a clock set ahead while a run waits for its turn changes nothing" {
  SETTINGS=$AGED rules
  was_opened 0 60000
  put ANK_FAKE_JUMP=3600000 k --breaker-wait 1m
  ends 0 ok
  assert_eq "$(sleeps)" 60000
  knows '{hold_at: $now, hold_ms: 20000}'
  FAKE_DICE=min put ANK_FAKE_JUMP=3600000 k
  ends 0 ok
  assert_eq "$(sleeps)" 20000
}

# --- the lock ---------------------------------------------------------------------------------

@test "waiting for the state's lock is inside the deadline" {
  answers 500
  put k
  exec 8>>"$T/$STATE_PLACE.lock"
  flock 8
  put s500 --deadline 300ms --retries 9
  exec 8>&-
  assert_between "$(json result elapsed_ms)" 0 500
  assert_json warning why state_not_updated
}

# --- many at once -------------------------------------------------------------------------------

# Real time and the real programs: what is counted here is who comes first.

one() {
  local status=0
  "${ANK_COMMAND[@]}" || status=$?
  echo "$status"
}

# crowd N OPTION...: so many puts at once; their statuses go to $T/ends.
crowd() {
  local n=$1 i
  shift
  ank_prepare ankput --report none -s --retries 0 "$@" "$(new_file 10)" s3://bucket/k
  for ((i = 0; i < n; i++)); do
    one 2>/dev/null 3>&- &
  done >"$T/ends"
}

# ended N: until so many of them have.
ended() {
  local i
  for ((i = 0; i < 1500; i++)); do
    [ "$(wc -l <"$T/ends")" -lt "$1" ] || return 0
    sleep 0.01
  done
  echo "fewer than $1 have ended" >&2
  return 1
}

# statuses: how many ended how.
statuses() { sort "$T/ends" | uniq -c | awk '{ print $1 "x" $2 }' | paste -sd' '; }

@test "sixty runs at once on a breaker whose time is over send one probe" {
  start_cloud '{"rules": [{"delay_ms": 60000}]}'
  FAKE_NOW=$(date +%s%3N)
  was_opened 5000
  crowd 60
  ended 59
  assert_eq "$(statuses)" 59x12
  assert_eq "$(requests)" 1
  assert_eq "$(known open rejected lease_ms opened)" '1 59 45000 0'
  stop_clouds
  ended 60
  assert_eq "$(statuses)" '59x12 1x14'
  assert_eq "$(known open_ms lease_ms requests)" '20000 0 2'
}

@test "sixty failures at once are sixty failures" {
  start_cloud '{"rules": [{"status": 500}]}'
  crowd 60 --breaker failures=1000,calls=1000
  ended 60
  assert_eq "$(statuses)" 60x10
  assert_eq "$(known failures attempts open)" '60 60 0'
  assert_eq "$(known window | jq '[.[range(1; 20; 2)]] | add')" 60
}
