#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: an open breaker lets one probe through; who may be it, for how
# long, and what its end does.

load ../lib/harness
load breaker

# --- success and failure --------------------------------------------------------------

# bats test_tags=valgrind
@test "open for 5 s, then the next run is the probe; success closes it" {
  answers 500
  was_opened 4999
  put k
  refused
  assert_json result wait_ms 1
  was_opened 5000
  ANK_WRAP=$TRACED put k
  ends 0 ok
  assert_eq "$(order)" 'breaker attempt breaker result'
  assert_eq "$(of breaker from) $(of breaker to)" 'open half_open half_open closed'
  assert_eq "$(of breaker open_ms)" '- -'
  has attempt breaker=closed failures=0
  assert_eq "$(writes)" 2
  assert_eq "$(known open failures) $(known lease_ms holder)" '0 0 0 0'
  # The next opening lasts 5 s again, and needs five failures again.
  put s500 --retries 3
  later 10000
  assert_eq "$(known open)" 0
  put s500 --retries 0
  assert_eq "$(known open_ms)" 5000
}

@test "each failed probe opens it for twice as long: 5, 10, 20, 40, 60, 60 s" {
  local ms last=5000
  answers 500
  was_opened 5000
  for ms in 10000 20000 40000 60000 60000; do
    put s500 --retries 0
    ends 10 unavailable
    assert_eq "$(of breaker to)" 'half_open open'
    has breaker from=half_open open_ms="$ms"
    assert_eq "$(lines warning)" 1
    assert_eq "$(known open_ms lease_ms holder)" "$ms 0 0"
    later $((ms - 1))
    put k
    refused
    assert_json result wait_ms 1
    later 1
  done
  get s500 --retries 0 --report none
  assert_eq "$(known opened open_ms)" '6 60000'
}

@test "a probe that is told to come later closes it: busy is not down" {
  local key
  RULES=('{"key": "slow", "s3_error": "SlowDown"}'
    '{"key": "later", "status": 503, "headers": {"Retry-After": "7"}}')
  answers 429
  for key in s429 slow later; do
    was_opened 5000
    put "$key" --retries 0
    assert_eq "$(of breaker to)" 'half_open closed'
    assert_eq "$(known open failures)" '0 0'
  done
  assert_eq "$(known hold_ms)" 7000
}

@test "a probe that is refused closes it: 403, 404, 412, 304" {
  local s
  answers 304 403 404 412
  for s in 304 403 404 412; do
    was_opened 5000
    get "s$s"
    assert_eq "$(of breaker to)" 'half_open closed'
    assert_eq "$(known open)" 0
  done
}

# --- ends that say nothing -----------------------------------------------------------

# freed: the last run was the probe, let go of it, and did not move it.
freed() {
  assert_eq "$(of breaker to)" 'half_open open'
  assert_eq "$(of breaker open_ms)" '- -'
  assert_eq "$(lines warning)" 0
  assert_eq "$(known open open_ms opened)" '1 5000 0'
  assert_eq "$(known lease_ms holder)" '0 0'
}

@test "the probe is freed by an end that says nothing: 501, digest, disk" {
  RULES=('{"key": "digest", "s3_error": "BadDigest"}')
  answers 501
  seed
  was_opened 5000
  get s501
  freed
  put digest --retries 0
  freed
  run_ank ankget-fake s3://bucket/k /dev/full
  ends 3 local
  freed
  put k
  ends 0 ok
  assert_eq "$(known open)" 0
}

@test "the probe is freed when its source changes under it" {
  RULES=('{"key": "slow", "read_ms": 40, "read_bytes": 100000}')
  answers
  was_opened 5000
  new_file 3000000 "$T/source" >/dev/null
  start_ank ankput-fake "$T/source" s3://bucket/slow
  local i
  for ((i = 0; i < 300; i++)); do
    ! grep -q lease_ms "$STATE_PLACE" || break
    sleep 0.01
  done
  echo more >>"$T/source"
  wait_ank
  ends 3 local
  freed
}

@test "the probe is freed by a signal and by the deadline" {
  RULES=('{"key": "slow", "delay_ms": 20000}' '{"key": "mute", "hang_at": "status"}')
  answers
  was_opened 5000
  terminated slow
  ends 143 interrupted
  freed
  put mute --deadline 3s
  ends 13 deadline
  freed
}

@test "the probe is freed when nothing could be sent after all" {
  rules
  was_opened 5000
  put k --interface nosuchif0 --retries 0
  assert_eq "$(known open lease_ms holder)" '1 0 0'
  assert_eq "$(of breaker to)" 'half_open open'
}

@test "a repair frees the probe, and the mended request is it again" {
  SETTINGS='"bucket_regions": {"bucket": "eu-west-1"}' rules
  was_opened 5000
  put k
  ends 0 ok
  assert_eq "$(told verdict)" 'redirect ok'
  assert_eq "$(of breaker to)" 'half_open open half_open closed'
  assert_eq "$(sleeps)" ''
}

@test "an answer that could be mended and is not is an answer: it closes it" {
  SETTINGS='"keys": {"AKIDOLD": {"secret": "old-secret-value", "expired": true}}' rules
  was_opened 5000
  put AWS_ACCESS_KEY_ID=AKIDOLD AWS_SECRET_ACCESS_KEY=old-secret-value k
  ends 4 credentials
  assert_eq "$(of breaker to)" 'half_open closed'
  assert_eq "$(known open)" 0
}

@test "a probe on a connection that was lost stays one: sent again at once" {
  rules '{"nth": 1, "status": 503, "then": "stale-rst"}'
  FAKE_DICE=min put k --breaker failures=1 --retries 1
  ends 0 ok
  assert_eq "$(told verdict)" 'transient resend ok'
  assert_eq "$(of breaker to)" 'open half_open open half_open closed'
  assert_eq "$(sleeps)" 5000
}

# --- the lease -------------------------------------------------------------------------

@test "a held lease refuses the others, and says for how long" {
  rules '{"key": "slow", "delay_ms": 300}'
  was_opened 5000
  begin slow
  assert_eq "$(known lease_ms)" 45000
  later 20000
  aside put k
  refused
  assert_json result wait_ms 25000
  aside get k
  refused
  go_on
  ends 0 ok
  assert_eq "$(requests)" 1
  assert_eq "$(known open rejected)" '0 2'
}

@test "the lease of a probe that was killed runs out after 45 s" {
  RULES=('{"key": "slow", "delay_ms": 20000}')
  answers
  was_opened 5000
  begin slow
  kill -KILL "$ANK_PID"
  wait_ank
  later 44999
  put k
  refused
  assert_json result wait_ms 1
  later 1
  put k
  ends 0 ok
  assert_eq "$(of breaker to)" 'half_open closed'
}

@test "it is renewed while its bytes move" {
  rules '{"key": "k", "dribble_ms": 20, "dribble_bytes": 1000}'
  seed 100000
  was_opened 5000
  # A look at the clock takes 50 ms, so the second lease is due soon.
  start_ank ANK_FAKE_STEP=50 ankget-fake --breaker lease=2s s3://bucket/k "$T/got"
  local i first now=0
  for ((i = 0; i < 500; i++)); do
    now=$(known lease_at)
    [ "$now" = 0 ] || [ "$now" -lt $((FAKE_NOW + 2500)) ] || break
    sleep 0.01
  done
  [ "$now" -ge $((FAKE_NOW + 2500)) ]
  assert_eq "$(known lease_ms)" 2000
  wait_ank
  ends 0 ok
  assert_between "$(json result elapsed_ms)" 3000 1000000
  assert_eq "$(known open)" 0
  assert_eq "$(of breaker to)" 'half_open closed'
}

@test "it is not renewed while nothing moves" {
  rules '{"delay_ms": 200}'
  was_opened 5000
  # Each look at the clock takes half of a lease.
  ANK_WRAP=$TRACED put ANK_FAKE_STEP=50 k --breaker lease=100ms
  ends 0 ok
  # When it was taken, once after the request had gone, and at its end.
  assert_eq "$(writes)" 3
  assert_eq "$(of breaker to)" 'half_open closed'
}

@test "a probe is made when it is sent, not while its body is being hashed" {
  SETTINGS='"clock": {"max_age": 864000}' rules # each look is 30 s
  new_file 3000000 "$T/source" >/dev/null
  was_opened 5000
  put ANK_FAKE_STEP=30000 k
  ends 0 ok
  # A clock that steps 30 s at each look has passed many times 45 s before; the
  # probe's own lease runs out at every second look, and is renewed.
  assert_eq "$(of breaker to)" 'half_open closed'
  assert_between "$(json result elapsed_ms)" 100000 100000000
}

@test "who comes too late for the lock sees that another is the probe" {
  rules
  was_opened 5000
  exec 8>>"$T/$STATE_PLACE.lock"
  flock 8
  ANK_WRAP='env ASAN_OPTIONS=detect_leaks=0 strace -qq -e trace=flock -o trace' \
    start_ank ankput-fake \
    "$(new_file 10)" s3://bucket/k
  local i
  for ((i = 0; i < 500; i++)); do
    ! grep -q flock trace 2>/dev/null || break
    sleep 0.01
  done
  probed 0
  wait_ank
  exec 8>&-
  refused
  assert_eq "$(requests)" 0
}

@test "a lock that is never let go stops nobody" {
  rules
  was_opened 5000
  exec 8>>"$T/$STATE_PLACE.lock"
  flock 8
  put k
  exec 8>&-
  ends 0 ok
  assert_json warning why state_not_updated
  assert_eq "$(lines breaker)" 0
  assert_eq "$(known open lease_ms)" '1 0'
}

# --- late results ------------------------------------------------------------------------

@test "results of others than the probe move nothing, but are counted" {
  local key
  rules '{"key": "ok", "delay_ms": 200}' '{"key": "bad", "status": 500, "delay_ms": 200}' \
    '{"key": "busy", "status": 429, "delay_ms": 200}'
  for key in ok bad busy; do
    nothing_known
    begin "$key" --retries 0
    was_opened 1000
    go_on
    assert_json attempt breaker open
    assert_eq "$(lines breaker)" 0
    assert_eq "$(known open opened_at)" "1 $((FAKE_NOW - 1000))"
    assert_eq "$(known requests attempts)" '1 1'
    assert_eq "$(known failures)" 5
  done
}

@test "nor do they take part while another's probe is under way" {
  rules '{"key": "bad", "status": 500, "delay_ms": 200}' '{"key": "ok", "delay_ms": 200}'
  for key in ok bad; do
    nothing_known
    begin "$key" --retries 0
    probed 1000
    go_on
    assert_json attempt breaker half_open
    assert_eq "$(known holder lease_ms open)" '4711 45000 1'
  done
}

@test "a probe whose lease was taken by another has lost its say" {
  rules '{"key": "bad", "status": 500, "delay_ms": 200}'
  was_opened 5000
  begin bad --retries 0
  probed 1000
  go_on
  assert_eq "$(known holder open_ms lease_ms)" '4711 5000 45000'
  assert_eq "$(of breaker to)" half_open
}

@test "a breaker that an operator has tripped is closed by no late success" {
  rules '{"key": "ok", "delay_ms": 200}'
  begin ok
  knows '{open: 1, opened_at: $now, open_ms: 900000}'
  go_on
  ends 0 ok
  assert_json attempt breaker open
  put k
  refused
  assert_json result wait_ms 900000
}
