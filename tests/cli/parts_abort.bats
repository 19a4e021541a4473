#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Uploads in parts that come to nothing leave nothing, or say what is left
# (case 45); and ankput --abort-upload.

load ../lib/harness
load policy
load parts

three() { source_of $((10 * MIB + 100)); }

# real RULE...: a cloud in real time.
real() {
  local IFS=,
  start_cloud "{\"rules\": [$*]}"
}

in_parts=(--no-state --part-size 5M --multipart-threshold 0)

# raised SIGNAL...: an upload in parts that gets these once the cloud is silent;
# the second 300 ms behind the first. Prints how it ended and after how many ms.
raised() {
  three
  rm -f r
  ank_prepare ankput "${in_parts[@]}" --report "$T/r" "$T/source" s3://bucket/k
  "$PYTHON" -c '
import os, subprocess, sys, time
marker, signals, command = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
p = subprocess.Popen(command, stdout=open("out-lines", "w"), stderr=open("err-lines", "w"))
end = time.time() + 10
while not os.path.exists(marker) and time.time() < end:
    time.sleep(0.01)
began = time.time()
for n, number in enumerate(signals):
    time.sleep(0.3 if n else 0)
    p.send_signal(int(number))
print(p.wait(20), int((time.time() - began) * 1000))' \
    "$CLOUD_DIR/hang" "$*" "${ANK_COMMAND[@]}"
  cp r "$REPORT"
}

@test "SIGINT, SIGTERM and SIGHUP: aborted, 128+n, the result says so (case 45)" {
  local signal ended
  for signal in 2 15 1; do
    real '{"op": "part", "part": 2, "hang_at": "status"}'
    ended=$(raised "$signal")
    assert_eq "${ended% *}" "-$signal"
    assert_between "${ended#* }" 0 2000
    assert_json result exit $((128 + signal))
    assert_json result outcome interrupted
    assert_eq "$(op_told abort verdict) $(op_told abort of)" 'ok 1'
    assert_eq "$(json result upload_id)" ''
    assert_eq "$(requests abort)" 1
    nothing_left k
    stop_clouds
  done
}

@test "an abort that hangs ends after two seconds, and the upload is named" {
  local ended
  real '{"op": "part", "part": 2, "hang_at": "status"}' \
    '{"op": "abort", "hang_at": "status"}'
  ended=$(raised 15)
  assert_eq "${ended% *}" -15
  assert_between "${ended#* }" 1500 3500
  assert_json result aborted false
  assert_json result upload_id "$(uploads)"
  assert_eq "$(requests abort)" 1
}

@test "a second signal ends an abort that hangs at once" {
  local ended
  real '{"op": "part", "part": 2, "hang_at": "status"}' \
    '{"op": "abort", "hang_at": "status"}'
  ended=$(raised 2 15 || true)
  assert_eq "${ended% *}" -15
  assert_between "${ended#* }" 200 1500
}

@test "a signal while a part waits for its retry: aborted at once" {
  local ended
  real '{"op": "part", "part": 1, "delay_ms": 300}' \
    '{"op": "part", "s3_error": "SlowDown", "headers": {"Retry-After": "60"}}'
  three
  start_ank ankput "${in_parts[@]}" --report "$T/r" "$T/source" s3://bucket/k
  await_requests 4
  kill -TERM "$ANK_PID"
  wait_ank
  cp r "$REPORT"
  assert_exit 143
  nothing_left k
}

@test "an abort that is refused or fails is not tried again, the upload is named" {
  local answer
  three
  for answer in '"s3_error": "AccessDenied"' '"status": 500' \
    '"status": 503, "headers": {"Retry-After": "1"}' '"status": 404'; do
    rules '{"op": "part", "part": 2, "s3_error": "AccessDenied"}' \
      "{\"op\": \"abort\", \"store\": false, $answer}"
    up k
    ends 5 denied
    assert_eq "$(requests abort)" 1
    assert_json result aborted false
    assert_json result upload_id "$(uploads)"
    assert_contains "$(json result message)" AccessDenied
    stop_clouds
  done
}

@test "an abort that finds nothing any more is one" {
  rules '{"op": "part", "part": 2, "s3_error": "AccessDenied"}' \
    '{"op": "abort", "abort_upload": true}'
  three
  up k
  ends 5 denied
  assert_json result aborted true
}

@test "the abort goes past an open breaker and is no news to it" {
  rules '{"op": "part", "status": 500}' '{"op": "abort", "status": 500}'
  three
  NO_STATE='' up k --state-file "$T/state" --retries 9 --parallel 1
  ends 10 unavailable
  assert_eq "$(requests abort)" 1
  assert_eq "$(op_told abort breaker)" -
}

@test "the source that cannot be read any more: aborted, local" {
  rules '{"op": "part", "nth": 1, "delay_ms": 300}'
  three
  start_ank ankput-fake --part-size 5M --multipart-threshold 0 --parallel 1 \
    "$T/source" s3://bucket/k
  await_requests 1
  truncate -s 100 "$T/source"
  wait_ank
  ends 3 local
  nothing_left k
}

@test "the network goes away in the middle: unavailable, the upload is named" {
  rules '{"op": "part", "part": 2, "delay_ms": 1500}'
  three
  start_ank ankput-fake --part-size 5M --multipart-threshold 0 "$T/source" s3://bucket/k
  await_requests 3
  id=$(uploads)
  stop_clouds
  wait_ank
  ends 10 unavailable
  assert_json result aborted false
  assert_json result upload_id "$id"
}

@test "a completion that is cut off by a signal or the deadline is not aborted" {
  rules '{"op": "complete", "hang_at": "status"}'
  three
  up k --deadline 30s
  ends 13 deadline
  assert_eq "$(requests abort)" 0
  assert_json result aborted false
  assert_json result upload_id "$(uploads)"
  stop_clouds
  real '{"op": "complete", "hang_at": "status"}'
  raised 15
  assert_json result outcome interrupted
  assert_eq "$(requests abort)" 0
  assert_json result upload_id "$(uploads)"
}

# --- by hand ---------------------------------------------------------------------

# left: an upload of k that a run has left; sets id.
left() {
  rules '{"op": "part", "part": 2, "s3_error": "AccessDenied"}' \
    '{"op": "abort", "nth": 1, "status": 500, "store": false}' "$@"
  three
  up k
  id=$(json result upload_id)
  assert_eq "$id" "$(uploads)"
}

@test "--abort-upload removes what a run has left, and what is gone is a success" {
  left
  run_ank ankput-fake --abort-upload "$id" s3://bucket/k
  ends 0 ok
  assert_json result aborted true
  assert_eq "$(uploads)" ''
  run_ank ankput-fake --abort-upload "$id" s3://bucket/k
  ends 0 ok
  assert_json result aborted true
  assert_eq "$(requests abort)" 3
}

@test "--abort-upload: a dry run leaves the upload, and tells its URL" {
  left
  run_ank ankput-fake --dry-run --abort-upload "$id" s3://bucket/k
  ends 0 ok
  assert_json result dry_run true
  assert_json result url "$CLOUD_URL/bucket/k?uploadId=$id"
  assert_eq "$(uploads)" "$id"
  assert_eq "$(requests abort)" 1
}

@test "--abort-upload by the policy: retried, and a refusal is its status" {
  left '{"op": "abort", "nth": 2, "status": 503}' \
    '{"op": "abort", "nth": 4, "s3_error": "AccessDenied"}' \
    '{"op": "abort", "nth": "5-", "status": 500, "store": false}'
  run_ank ankput-fake --abort-upload "$id" s3://bucket/k
  ends 0 ok
  assert_json result retries 1
  assert_eq "$(uploads)" ''
  run_ank ankput-fake --abort-upload "$id" s3://bucket/k
  ends 5 denied
  assert_json result aborted false
  run_ank ankput-fake --abort-upload "$id" s3://bucket/k
  ends 10 unavailable
}

@test "--abort-upload of no bucket is not found, an odd ID is sent as it is" {
  rules '{"nth": 1, "s3_error": "NoSuchBucket"}'
  run_ank ankput-fake --abort-upload x s3://bucket/k
  ends 6 not_found
  run_ank ankput-fake --abort-upload 'a+b/c=d e&%' s3://bucket/k
  ends 0 ok
  assert_careful
  run_ank ankput-fake --abort-upload "$(printf '%01024d' 0)" s3://bucket/k
  ends 2 usage
  run_ank ankput-fake --abort-upload '' s3://bucket/k
  ends 2 usage
}

@test "--abort-upload asks the breaker like any request" {
  rules
  env -i HOME="$T/home" ANK_FAKE_NOW="$FAKE_NOW" ANK_ENDPOINT="$CLOUD_URL" \
    "$ANK_BUILD/ankbreaker-fake" trip --state-file "$T/state" s3://bucket 10m
  NO_STATE='' run_ank ankput-fake --state-file "$T/state" --abort-upload x s3://bucket/k
  ends 12 breaker_open
  assert_json result aborted false
  assert_eq "$(requests)" 0
}
