#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: somebody sets the clock, ahead or back, between two runs or while
# one waits. Whatever is remembered lasts no longer than its length, and the
# counters lose nothing.

load ../lib/harness
load breaker

HOUR=3600000
AGED='"clock": {"max_age": 100000000000}'

# here RULE...: a cloud that takes a request of any date.
here() { SETTINGS=$AGED rules "$@"; }

# jumps COMMAND...: with BY for an hour ahead, then for an hour back.
jumps() {
  for BY in $HOUR -$HOUR; do
    echo "# by $BY ms: $*" >&2
    "$@" || return 1
  done
}

# --- between two runs -----------------------------------------------------------

row_between() {
  knows '{failures: 4, failed_at: $now}'
  later "$BY"
  put bad --retries 0
  assert_eq "$(known failures open)" '1 0' || return 1
  later "$((-BY))"
  put bad --retries 0
  assert_eq "$(known failures open)" '1 0'
}

@test "between two runs: failures on both sides are not in a row" {
  here '{"key": "bad", "status": 500}'
  jumps row_between
}

lease_between() {
  probed 1000
  later "$BY"
  put k
  ends 0 ok || return 1
  assert_eq "$(of breaker to)" 'half_open closed'
}

@test "between two runs: a lease is over, the next one probes" {
  here
  jumps lease_between
}

late_probe() {
  nothing_known
  was_opened 5000
  begin slow --retries 0
  later "$BY"
  aside put k
  ends 0 ok || return 1
  go_on
  # What the first one has to say is that of any run: one failure.
  assert_eq "$(known open failures attempts)" '0 1 2' || return 1
  later "$((-BY))"
}

@test "between two runs: a probe that was overtaken so has lost its say" {
  here '{"key": "slow", "status": 500, "delay_ms": 400}'
  jumps late_probe
}

tokens_between() {
  knows '{budget_spent: 9000, budget_max: 10000, budget_at: $now}'
  later "$BY"
  put bad --retry-budget 10 --retries 1 --no-breaker
  assert_eq "$(told budget)" '9 8' || return 1
  assert_json result why retries_spent
}

@test "between two runs: the tokens of a retry budget are full again" {
  here '{"key": "bad", "status": 500}'
  jumps tokens_between
}

counted_between() {
  nothing_known
  put k --report none
  later "$BY"
  put bad --retries 1 --report none
  later "$((-2 * BY))"
  put k --report none
  later "$BY"
  put k --report none
  assert_eq "$(known requests attempts retries_transient bytes_sent)" \
    '4 5 1 5000'
}

@test "between runs, there and back again: the counters lose nothing" {
  here '{"key": "bad", "status": 500}'
  jumps counted_between
}

mark_between() {
  nothing_known
  get bad --policy restic --retries 0
  ends 10 unavailable || return 1
  later "$BY"
  # Forgotten, and made anew by the clock of now.
  get bad --policy restic --retries 0
  ends 10 unavailable || return 1
  later 3599999
  get bad --policy restic
  assert_exit 12 || return 1
  later 1
  get bad --policy restic --retries 0
  ends 10 unavailable || return 1
  later "$((-BY - 3600000))"
}

@test "between two runs: the mark of a read is over, and lasts an hour again" {
  here '{"key": "bad", "status": 500}'
  jumps mark_between
}

window_between() {
  knows '{window_at: ($now - $now % 1000 - 9000),
    window: [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,30,15]}'
  later "$BY"
  put bad --retries 0
  assert_eq "$(known open) $(known window | jq -c '[.[range(0; 20; 2)]] | add')" '0 1'
}

@test "between two runs: calls of another time are not in the window" {
  here '{"key": "bad", "status": 500}'
  jumps window_between
}

# --- while a run waits ----------------------------------------------------------

row_within() {
  nothing_known
  FAKE_DICE=max put ANK_FAKE_JUMP="$BY" bad --retries 3
  assert_eq "$(told failures)" '1 1 2 3' || return 1
  assert_eq "$(sleeps | paste -sd' ')" '200 1000 5000' || return 1
  assert_eq "$(known failures open attempts retries_transient)" '3 0 4 3'
}

@test "while a run waits for its retry: it waits as long, and its row begins anew" {
  here '{"key": "bad", "status": 500}'
  jumps row_within
}

told_to_wait() {
  nothing_known
  FAKE_DICE=min put ANK_FAKE_JUMP="$BY" "$1"
  ends 0 ok || return 1
  assert_eq "$(sleeps)" 20000 || return 1
  assert_json result waited_ms 20000 || return 1
  assert_eq "$(known hold_ms throttled attempts)" '0 1 2'
}

@test "while a run keeps a Retry-After: that long and no longer, and it is dropped" {
  here '{"key": "k", "nth": [1, 3], "status": 503, "headers": {"Retry-After": "20"}}'
  jumps told_to_wait k
}

held_within() {
  knows '{hold_at: ($now - 5000), hold_ms: 20000}'
  FAKE_DICE=min put ANK_FAKE_JUMP="$BY" k
  ends 0 ok || return 1
  assert_eq "$(sleeps)" 15000 || return 1
  assert_eq "$(known hold_ms)" 0
}

@test "while a run keeps the hold-off of others: that long and no longer" {
  here
  jumps held_within
}

turn_within() {
  was_opened 0 60000
  put ANK_FAKE_JUMP="$BY" k --breaker-wait 1m
  ends 0 ok || return 1
  assert_eq "$(sleeps)" 60000 || return 1
  assert_eq "$(known open)" 0
}

@test "while a run waits for the probe's turn: its length and no longer" {
  here
  jumps turn_within
}

opened_within() {
  nothing_known
  FAKE_DICE=min put ANK_FAKE_JUMP="$BY" bad --breaker failures=1 --retries 1
  ends 10 unavailable || return 1
  # It opened, waited 5 s while the clock was set, and failed as the probe.
  assert_eq "$(sleeps)" 5000 || return 1
  assert_eq "$(of breaker open_ms)" '5000 - 10000' || return 1
  later $((5000 + BY + 9999))
  put k --breaker failures=1
  refused
  later 1
  put k --breaker failures=1
  ends 0 ok || return 1
  later $((-15000 - BY))
}

@test "while the breaker is open: the failed probe opens it by the new clock" {
  here '{"key": "bad", "status": 500}'
  jumps opened_within
}

tokens_within() {
  nothing_known
  FAKE_DICE=max put ANK_FAKE_JUMP="$BY" bad --retry-budget 10 --retries 3 --no-breaker
  assert_eq "$(told budget)" '9 9 8 7' || return 1
  assert_eq "$(known retries_transient suppressed)" '3 0'
}

@test "while a run waits: the tokens are full again, and then cost as ever" {
  here '{"key": "bad", "status": 500}'
  jumps tokens_within
}
