#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The progress line: on a terminal, never elsewhere, and gone at the end.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

setup() { harness_setup; }
teardown() { harness_teardown; }

# on_terminal [PTY-OPTION...] -- [NAME=VALUE...] PROGRAM ARG...: what it wrote to
# the terminal is in $T/screen, with the carriage returns as newlines in
# $T/lines.
on_terminal() {
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  ank_prepare "$@" || return 1
  status=0
  timeout --foreground -k 1 30 "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" \
    "${options[@]}" "${ANK_COMMAND[@]}" >"$T/screen" || status=$?
  tr '\r' '\n' <"$T/screen" | sed 's/ *$//' | grep -v '^$' >"$T/lines" || true
}

# real RULE: a cloud in real time.
real() { start_cloud "{\"rules\": [$1]}"; }

# drawn PATTERN: how many drawings match.
drawn() { grep -cE -- "$1" "$T/lines" || true; }

slow_put='{"op": "put", "read_ms": 120, "read_bytes": 200000}'
slow_get='{"op": "get", "dribble_ms": 60, "dribble_bytes": 100000}'

@test "an upload shows percent, bytes, rate and time left, and cleans up behind it" {
  local percents
  real "$slow_put"
  on_terminal -- ankput "$(new_file 2000000)" s3://bucket/dir/backup.tar
  assert_exit 0
  [ "$(drawn '^backup\.tar +[0-9]+% [0-9.]+[KM]?/1\.9M( [0-9.]+[KM]?/s [0-9]+:[0-9]{2} left)?$')" -ge 2 ]
  [ "$(drawn '/s [0-9]+:[0-9]{2} left$')" -ge 1 ]
  percents=$(sed -nE '/hashing/d; s/^backup\.tar +([0-9]+)% .*/\1/p' "$T/lines")
  assert_eq "$percents" "$(sort -n <<<"$percents")"
  # The last thing on the terminal is an empty line.
  [[ $(tail -c 200 "$T/screen") =~ $'\r'\ +$'\r'$ ]]
}

@test "an upload in parts is shown as one, all parts together" {
  local percents
  real '{"op": "part", "read_ms": 150, "read_bytes": 1000000}'
  on_terminal -- ankput --part-size 5M --multipart-threshold 0 \
    "$(new_file 12000000 "$T/backup.tar")" s3://bucket/dir/backup.tar
  assert_exit 0
  [ "$(drawn '^backup\.tar +[0-9]+% [0-9.]+[KM]?/11\.4M')" -ge 2 ]
  percents=$(sed -nE '/hashing/d; s/^backup\.tar +([0-9]+)% .*/\1/p' "$T/lines")
  assert_eq "$percents" "$(sort -n <<<"$percents")"
}

@test "a download shows the same, and a stream without a length what it has" {
  real "$slow_get"
  seed 800000
  on_terminal -- ankget s3://bucket/k "$T/got"
  assert_exit 0
  [ "$(drawn '^k +[0-9]+% [0-9.]+K/781\.2K')" -ge 2 ]
  assert_same "$T/got" "$T/object"
  real '{"op": "get", "dribble_ms": 60, "dribble_bytes": 100000, "length": "chunked"}'
  seed 800000
  on_terminal -- ankget s3://bucket/k "$T/got"
  assert_exit 0
  [ "$(drawn '^k [0-9.]+K( [0-9.]+[KM]/s)?$')" -ge 1 ]
}

@test "a wait tells how long and why, and the attempt that comes" {
  rules '{"op": "put", "nth": "1-2", "s3_error": "SlowDown", "headers": {"Retry-After": "3"}}'
  on_terminal -- ankput-fake "$(new_file 10)" s3://bucket/k
  assert_exit 0
  [ "$(drawn '^k +0% 0/10 attempt 2/3 waiting 3 s: the server answered 503 SlowDown')" -ge 1 ]
  [ "$(drawn 'attempt 2/3 waiting 1 s: ')" -ge 1 ]
  [ "$(drawn 'attempt 3/3 waiting 3 s: ')" -ge 1 ]
}

@test "waiting for an open breaker is told as such" {
  NO_STATE=
  rules '{"op": "put", "nth": "1-2", "status": 500}'
  on_terminal -- ankput-fake --breaker failures=2 "$(new_file 10)" s3://bucket/k
  assert_exit 0
  [ "$(drawn 'waiting [0-9]+ s: breaker$')" -ge 1 ]
}

@test "no line is wider than the window, also when it is made narrower" {
  real "$slow_put"
  on_terminal --columns 60 --resize 20 -- ankput "$(new_file 3000000)" \
    s3://bucket/a-rather-long-name-for-a-backup.tar
  assert_exit 0
  grep -q '<resized>' "$T/screen"
  assert_eq "$(sed '/<resized>/,$d' "$T/lines" | awk 'length > 59')" ''
  assert_eq "$(sed '0,/<resized>/d' "$T/lines" | awk 'length > 19')" ''
  [ "$(sed '0,/<resized>/d' "$T/lines" | wc -l)" -ge 2 ]
}

@test "the report's lines on the same terminal stand alone" {
  rules '{"op": "put", "nth": 1, "status": 503, "headers": {"Retry-After": "2"}}'
  on_terminal --stdout -- ankput-fake "$(new_file 10)" s3://bucket/k
  assert_exit 0
  # Each begins behind a carriage return that took the progress line away.
  assert_eq "$(tr '\r' '\n' <"$T/screen" | grep -c '^{"event":.*}$')" 3
  [ "$(drawn 'waiting')" -ge 1 ]
}

@test "never on a pipe or a file, whatever is asked for" {
  rules '{"op": "put", "nth": 1, "status": 500}'
  put k --progress
  assert_exit 0
  assert_eq "$(cat "$ERR")" ''
}

@test "-s, --no-progress and a report on standard error draw nothing; --progress does" {
  local file
  file=$(new_file 10)
  rules '{"op": "put", "status": 503, "headers": {"Retry-After": "2"}}'
  on_terminal -- ankput-fake -s "$file" s3://bucket/k
  assert_eq "$(drawn waiting)" 0
  on_terminal -- ANK_NO_PROGRESS=1 ankput-fake "$file" s3://bucket/k
  assert_eq "$(drawn waiting)" 0
  on_terminal -- ankput-fake --report 2 "$file" s3://bucket/k
  assert_eq "$(drawn waiting)" 0
  on_terminal -- ankput-fake --report 2 --progress "$file" s3://bucket/k
  [ "$(drawn waiting)" -ge 1 ]
  on_terminal -- ankput-fake --no-progress --progress "$file" s3://bucket/k
  assert_eq "$(drawn waiting)" 0
}

@test "a failure's line stands below, not behind, the progress line" {
  rules '{"op": "put", "status": 500}'
  on_terminal -- ankput-fake "$(new_file 10)" s3://bucket/k
  assert_exit 10
  assert_eq "$(tail -n 1 "$T/lines")" 'ankput: s3://bucket/k: the server answered 500'
}

@test "a key with control or wide characters cannot break the line" {
  rules '{"op": "put", "nth": 1, "status": 503, "headers": {"Retry-After": "1"}}'
  on_terminal -- ankput-fake "$(new_file 10)" $'s3://bucket/a\e[2J\u4f60\nb'
  assert_exit 0
  run ! grep -q $'\e' "$T/screen"
  [ "$(drawn '^a\?\[2J\?\?\?\?b +0%')" -ge 1 ]
}
