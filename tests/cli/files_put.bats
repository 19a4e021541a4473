#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Several files below one URL.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

setup() {
  harness_setup
  new_file 10 "$T/a" 1 >/dev/null
  new_file 20 "$T/b" 2 >/dev/null
  new_file 30 "$T/c" 3 >/dev/null
}
teardown() { harness_teardown; }

# there KEY FILE: the cloud has FILE's bytes as KEY.
there() { assert_same "$(stored_object bucket "$1")" "$T/$2"; }

# results FIELD: that field of each result line, "-" where absent.
results() {
  jq -rs --arg f "$1" 'map(select(.event == "result") | .[$f]
    | if . == null then "-" else tostring end) | join(" ")' "$REPORT"
}

@test "each goes below the URL by its base name, with a result each and one for all" {
  rules
  run_ank ankput-fake a ./b "$T/c" s3://bucket/dir/
  assert_exit 0
  there dir/a a
  there dir/b b
  there dir/c c
  assert_eq "$(results file)" "a ./b $T/c -"
  assert_eq "$(results key)" 'dir/a dir/b dir/c -'
  assert_eq "$(results bytes)" '10 20 30 60'
  assert_eq "$(results attempts)" '1 1 1 3'
  assert_eq "$(results outcome)" 'ok ok ok ok'
  assert_eq "$(jq -rs 'last | .event' "$REPORT")" result
  run_ank ankput-fake a b s3://bucket
  assert_exit 0
  there a a
  there b b
}

@test "they share one connection" {
  rules
  run_ank ankput-fake a b c s3://bucket/
  assert_eq "$(logged conn)" '1 1 1'
}

@test "one that fails does not keep the others, and decides the status" {
  rules '{"key": "b", "status": 403}'
  run_ank ankput-fake a b c s3://bucket/
  assert_exit 5
  there a a
  there c c
  assert_eq "$(results outcome)" 'ok denied ok denied'
  assert_eq "$(results exit)" '0 5 0 5'
  assert_eq "$(wc -l <"$ERR")" 1
  [[ $(cat "$ERR") == 'ankput: s3://bucket/b: the server answered 403'* ]]
  run_ank ankput-fake a nothing c s3://bucket/
  assert_exit 3
  assert_eq "$(results outcome)" 'ok local ok local'
}

@test "of several failures the one that matters most decides" {
  local one other want
  while read -r one other want; do
    rules '{"key": "a", "status": '"$one"'}' '{"key": "b", "status": '"$other"'}'
    run_ank ankput-fake --retries 0 a b c s3://bucket/
    assert_exit "$want"
  done <<'EOF'
403 404 5
404 403 5
503 404 6
404 400 8
412 404 7
503 412 7
EOF
}

@test "retries are of each file, the deadline is of all" {
  rules '{"key": "a", "status": 500}' '{"key": "b", "nth": "1-2", "status": 500}'
  run_ank ankput-fake a b c s3://bucket/
  assert_exit 10
  assert_eq "$(results retries)" '2 2 0 4'
  rules '{"status": 503, "headers": {"Retry-After": "20"}}'
  run_ank ankput-fake --deadline 30 a b c s3://bucket/
  assert_exit 11
  assert_eq "$(results outcome | cut -d' ' -f1)" throttled
}

@test "an open breaker stops the rest: they are not sent" {
  NO_STATE=
  rules '{"status": 500}'
  run_ank ankput-fake --breaker failures=2 --retries 1 --deadline 3 a b c s3://bucket/
  assert_eq "$(requests)" 2
  assert_eq "$(results outcome)" 'unavailable breaker_open breaker_open breaker_open'
  assert_exit 12
}

@test "a signal ends the run with the file that it met" {
  rules '{"key": "b", "hang_at": "status"}'
  start_ank ankput-fake a b c s3://bucket/
  await_requests 1
  await_file "$CLOUD_DIR/hang" "$ANK_PID"
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_eq "$(results outcome)" 'ok interrupted interrupted'
  refute_stored c
}

@test "what cannot be meant is refused before anything is sent" {
  local words
  rules
  mkdir -p d
  cp a d/a
  while IFS='|' read -r words told; do
    # shellcheck disable=SC2086 # words
    run_ank ankput-fake $words || return 1
    assert_exit 2
    assert_contains "$(json result message)" "$told"
    assert_eq "$(cat "$ERR")" "ankput: $(json result message)"
  done <<'EOF'
a b s3://bucket/k|with several files the URL ends in /
a d/a s3://bucket/|a and d/a would be the same object
a - s3://bucket/|-: does not go with other files
s3://bucket/ a b|s3://bucket/: the URL is the last operand
a b c|c: not an object URL
--expected-size 10 a b s3://bucket/|--expected-size: is of one file only
a b s3://bucket/ s3://bucket/|s3://bucket/: the URL is the last operand
EOF
  assert_eq "$(requests)" 0
}

@test "what ends the run before the first file is told as of a single one" {
  local before
  rules
  for before in -AWS_SECRET_ACCESS_KEY AWS_ENDPOINT_URL=x; do
    run_ank -ANK_ENDPOINT $before ankput-fake --report none a b s3://bucket/
    [ "$status" = 2 ] || assert_exit 4
    assert_eq "$(wc -l <"$ERR")" 1
  done
  assert_eq "$(requests)" 0
}

@test "a dry run tells where each would go" {
  rules
  run_ank ankput-fake --dry-run a b s3://bucket/d/
  assert_exit 0
  assert_eq "$(requests)" 0
  assert_eq "$(results url)" "$CLOUD_URL/bucket/d/a $CLOUD_URL/bucket/d/b -"
}
