#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 5: when the file that runs share is read, locked and written.

load ../lib/harness
load breaker
load parts

# calls NAME...: how often the last run, made with $WATCHED, made these.
WATCHED='env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o trace'
calls() {
  local IFS='|'
  grep -cE "^[0-9]+ +($*)\(" "$T/trace" || true
}

setup() {
  harness_setup
  strace -o /dev/null true 2>/dev/null || skip 'nothing can be traced here'
}

@test "successes that change nothing are added up and written at the end" {
  rules
  source_of $((30 * MIB))
  ANK_WRAP=$TRACED up k
  ends 0 ok
  assert_eq "$(requests)" 8
  assert_eq "$(writes)" 1
  assert_eq "$(known requests attempts bytes_sent)" \
    "8 8 $(($(told bytes_sent | tr ' -' '+0')))"
}

@test "in a run that lasts they are written once a second" {
  local seconds
  rules
  source_of $((60 * MIB))
  # Each look at the clock takes 10 ms.
  ANK_WRAP=$TRACED up ANK_FAKE_STEP=10 k --parallel 1
  ends 0 ok
  seconds=$(($(json result elapsed_ms) / 1000))
  [ "$seconds" -ge 2 ]
  assert_between "$(writes)" $((seconds / 2)) $((seconds + 1))
}

@test "failures, transitions, leases and hold-offs are written at once" {
  RULES=('{"key": "busy", "status": 429, "headers": {"Retry-After": "400"}}')
  answers 500
  # Four failures; the fifth is the opening; then its rejection.
  FAKE_DICE=min ANK_WRAP=$TRACED put s500 --retries 4 --deadline 4s
  assert_eq "$(writes)" 5
  assert_eq "$(known failures open)" '5 1'
  # Its lease, and its end.
  later 6000
  ANK_WRAP=$TRACED put k
  assert_eq "$(writes)" 2
  ANK_WRAP=$TRACED put busy
  assert_eq "$(writes)" 1
  assert_eq "$(known hold_ms)" 300000
}

@test "asking takes no lock and writes nothing" {
  local lock request
  rules
  knows '{requests: 7}'
  ANK_WRAP="$WATCHED -e trace=flock,rename,renameat,renameat2,connect" put k
  ends 0 ok
  # One lock and one write, at the end, behind the request.
  lock=$(grep -n 'flock(.*LOCK_EX' "$T/trace" | cut -d: -f1)
  request=$(grep -n 'connect(' "$T/trace" | tail -n 1 | cut -d: -f1)
  [ "$request" -lt "$lock" ]
  assert_eq "$(calls rename renameat renameat2)" 1
  assert_eq "$(known requests)" 8
}

@test "nothing waits for the disk: a new file takes the place of the old one" {
  answers 500
  ANK_WRAP="$WATCHED -e trace=fsync,fdatasync,sync,syncfs,sync_file_range,rename,renameat,renameat2" \
    put s500 --retries 1
  assert_eq "$(calls rename renameat renameat2)" 2
  assert_eq "$(calls fsync fdatasync sync syncfs sync_file_range)" 0
}
