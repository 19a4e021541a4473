#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/restore.sh
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load examples

# restore [NAME=VALUE...]: an object onto a file that was there before.
restore() {
  echo old >"$T/file"
  run_example "$@" "$examples/restore.sh" s3://bucket/backup "$T/file"
}

# kept: FILE is as it was.
kept() { assert_eq "$(cat "$T/file")" old; }

@test "a restored file is the object, and the script says so" {
  start_cloud --fake '{"rules": [{"op": "get", "nth": 1, "s3_error": "SlowDown"}]}'
  seed_object bucket backup "$(new_file 5000)"
  restore
  assert_exit 0
  assert_same "$T/file" "$T/file-5000"
  assert_contains "$(tail -n 1 "$OUT")" 'restored'
  assert_contains "$(tail -n 1 "$OUT")" '5000 bytes'
}

@test "what may work later is 75, and the file stays as it was" {
  start_cloud --fake '{"rules": [{"op": "get", "key": "backup", "s3_error": "InternalError"}]}'
  restore
  assert_exit 75
  assert_contains "$(cat "$ERR")" 'try later: the service is not available'
  kept
  restore ANK_DEADLINE= DEADLINE=0
  assert_exit 75
  assert_contains "$(cat "$ERR")" 'longer deadline than 0'
  kept
}

@test "throttled is 75, with the seconds that the service named" {
  start_cloud --fake '{"rules": [{"op": "get", "s3_error": "SlowDown", "headers": {"Retry-After": "900"}}]}'
  restore
  assert_exit 75
  assert_contains "$(cat "$ERR")" 'try later: in 900 s'
  kept
}

@test "an open breaker is 75, with the seconds until it may be tried" {
  start_cloud --fake '{"rules": [{"op": "get", "s3_error": "InternalError"}]}'
  restore ANK_BREAKER=failures=1,open=40s ANK_RETRIES=0
  restore
  assert_exit 75
  assert_contains "$(cat "$ERR")" 'try later: in 40 s'
  kept
}

@test "what will not change by waiting keeps its status" {
  start_cloud --fake
  restore
  assert_exit 6
  [[ $(cat "$ERR") != *'try later'* ]]
  kept
  run_example "$examples/restore.sh"
  assert_exit 2
}

@test "no report is left behind" {
  start_cloud --fake
  mkdir "$T/tmp"
  restore TMPDIR="$T/tmp"
  assert_eq "$(ls "$T/tmp")" ''
}
