#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/throttled.sh
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load examples

# throttled [NAME=VALUE...]
throttled() {
  run_example "$@" "$examples/throttled.sh" "$(new_file 1000)" s3://bucket/key
}

# tells LINE: it is one of the printed ones.
tells() { grep -qxF -e "$1" "$OUT" || { echo "without: $1"; cat "$OUT"; return 1; }; }

@test "it tells what was throttled, what was asked for, and how long that took" {
  start_cloud --fake '{"rules": [{"op": "put", "nth": 1, "s3_error": "SlowDown", "headers": {"Retry-After": "2"}},
    {"op": "put", "nth": 2, "s3_error": "SlowDown", "headers": {"Retry-After": "3"}}]}'
  throttled
  assert_exit 0
  tells 'attempts:  3, of them throttled: 2'
  tells 'throttled: put bucket, 503 SlowDown, 2 times'
  tells 'asked:     to wait 2 s to 3 s'
  grep -qE '^waited:    [5-9](\.[0-9])? s of [5-9](\.[0-9])? s, of that 0 s' "$OUT"
  tells 'breaker:   closed, failures in a row: 0'
  tells 'result:    ok'
}

@test "it tells when to come back" {
  start_cloud --fake '{"rules": [{"op": "put", "s3_error": "SlowDown", "headers": {"Retry-After": "900"}}]}'
  throttled
  assert_exit 11
  tells 'result:    throttled, come back in 900 s'
}

@test "it tells what the breaker does" {
  start_cloud --fake '{"rules": [{"op": "put", "s3_error": "InternalError"}]}'
  throttled ANK_BREAKER=failures=2,open=9s ANK_RETRIES=1
  assert_exit 10
  tells 'attempts:  2, of them throttled: 0'
  grep -qE '^breaker:   [-0-9T:.]+Z closed -> open for 9 s$' "$OUT"
  tells 'breaker:   open, failures in a row: 2'
  # of a report with several runs it tells the last
  throttled ANK_FAKE_SEED=2
  assert_exit 12
  tells 'attempts:  0, of them throttled: 0'
  tells 'breaker:   not asked, failures in a row: 0'
  grep -qE '^result:    breaker_open, come back in [0-9.]+ s$' "$OUT"
}

@test "the report is kept where REPORT says" {
  start_cloud --fake
  throttled REPORT="$T/kept"
  assert_exit 0
  assert_eq "$(jq -r .event "$T/kept" | paste -sd ' ')" 'attempt result'
  run_example "$examples/throttled.sh"
  assert_exit 2
}
