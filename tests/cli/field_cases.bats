#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Variants of field cases that no other file plays; tests/field-cases.md has
# where each case is played.

load ../lib/harness
load bytes
load stream
load faults

bats_require_minimum_version 1.5.0

part=$((5 * MIB))

# same_bytes OP N: all N requests for it came with the same body.
same_bytes() {
  log_settled
  assert_eq "$(jq -rs --arg op "$1" 'map(select(.op == $op) | .body_sha256)
    | "\(length) \(unique | length)"' "$CLOUD_DIR/log.ndjson")" "$2 1"
}

@test "a 503 at any place of a stream: the same bytes again, never fewer (case 1)" {
  local n
  FAKE=1 cloud '{"op": "create", "nth": 1, "status": 503}' \
    '{"op": "part", "part": 1, "nth": 1, "status": 503}' \
    '{"op": "part", "part": 2, "nth": 1, "status": 503}' \
    '{"op": "part", "part": 3, "nth": 1, "status": 503}' \
    '{"op": "complete", "nth": 1, "status": 503}'
  from "$(new_file $((2 * part + 7)) "$T/source")" --part-size 5M
  came "$T/source"
  assert_json result retries 5
  for n in 1 2 3; do
    assert_eq "$(jq -rs --argjson n "$n" 'map(select(.part == $n) | .body_sha256)
      | "\(length) \(unique | length)"' "$CLOUD_DIR/log.ndjson")" '2 1'
  done
  same_bytes complete 2
  stop_clouds
  FAKE=1 cloud '{"op": "put", "nth": 1, "status": 503}'
  printf 'few' >"$T/source"
  from "$T/source"
  came "$T/source"
  same_bytes put 2
}

@test "cut at half, twice, into a pipe: each byte once (case 4)" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "close_at": 25000}'
  seed 100000
  run_ank ankget-fake s3://bucket/k
  assert_exit 0
  assert_same "$OUT" "$T/object"
}

@test "each connection cut at 30 % into a pipe: about the object's size travels (case 6)" {
  FAKE=1 cloud '{"op": "get", "close_at": 6000000}'
  seed 20000000
  run_ank ankget-fake -P 1 --no-breaker --retries 2 s3://bucket/k
  assert_exit 0
  assert_same "$OUT" "$T/object"
  REPORT=$ERR
  assert_eq "$(jq -s 'map(select(.event == "attempt") | .bytes_received) | add' "$ERR")" 20000000
  assert_eq "$(jq -rs 'map(select(.event == "attempt") | .offset // 0) | join(" ")' "$ERR")" \
    '0 6000000 12000000 18000000'
}

@test "a digest that goes along is that of the whole body at each attempt (case 9)" {
  local sum
  FAKE=1 cloud '{"op": "put", "nth": 1, "s3_error": "MissingContentMD5"}' \
    '{"op": "put", "nth": 2, "rst_at": "request:600000"}' \
    '{"op": "put", "nth": 3, "status": 500}'
  new_file 1000000 "$T/source" >/dev/null
  sum=$(openssl md5 -binary <"$T/source" | base64)
  run_ank ankput-fake "$T/source" s3://bucket/k
  assert_exit 0
  assert_stored k "$T/source"
  assert_eq "$(jq -rs 'map([.headers[] | select(.[0] | ascii_downcase == "content-md5")][0][1]
    // "-") | join(" ")' "$CLOUD_DIR/log.ndjson")" "- $sum $sum $sum"
}

@test "a part whose server stops reading is a stall, tried again (case 21)" {
  FAKE=1 cloud '{"op": "part", "part": 2, "nth": 1, "hang_at": "request:1048576"}'
  from "$(new_file $((2 * part)) "$T/source")" --part-size 5M
  came "$T/source"
  assert_eq "$(jq -rs 'map(select(.part == 2) | .error // "-") | join(" ")' "$REPORT")" 'stall -'
}

@test "the connection is lost for good: the producer is let go (case 26)" {
  FAKE=1 cloud '{"op": "part", "rst_at": "request:1000"}' \
    '{"op": "abort", "rst_at": "status"}'
  feed ankput-fake --part-size 5M - s3://bucket/k
  status=0
  timeout 20 cat /dev/zero >&8 2>"$T/cat" || status=$?
  exec 8>&-
  assert_exit 141
  wait_ank
  assert_exit 10
  assert_json result aborted false
  assert_json result upload_id "$(uploads)"
  refute_stored k
}

@test "parts of a long stream double, so that few are enough (case 29)" {
  local host=s3.fr-par.scw.cloud
  CLOUD_SETTINGS="\"discard\": true, \"max_parts\": 1000, \"domains\": [\"$host\"]" FAKE=1 cloud
  run_ank ankput-fake --endpoint "http://$host:$CLOUD_PORT" \
    --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" --part-size 5M \
    - s3://bucket/k < <(head -c $((53 * part)) /dev/zero)
  assert_exit 0
  assert_json result bytes $((53 * part))
  assert_eq "$(sizes | cut -d' ' -f50-)" "$part $((2 * part)) $part"
}

@test "an error of standard input in the middle drops the parts (cases 32, 45)" {
  FAKE=1 cloud
  ank_prepare ankput-fake --part-size 5M - s3://bucket/k
  # The master's end of a terminal gives EIO once nobody has the other one.
  "$PYTHON" - "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- <<'END' || status=$?
import os, pty, subprocess, sys, tty
ours, theirs = pty.openpty()
tty.setraw(theirs)
run = subprocess.Popen(sys.argv[1:], stdin=ours)
os.close(ours)
left = 6 << 20
while left:
    left -= os.write(theirs, bytes(min(left, 4096)))
os.close(theirs)
sys.exit(run.wait(60))
END
  assert_eq "$status" 3
  REPORT=$OUT
  assert_json result outcome local
  assert_json result aborted true
  nothing_left
}

@test "credentials that end while the producer is slow are read again (cases 34, 67)" {
  local file=$T/home/.aws/credentials
  mkdir -p "${file%/*}"
  CLOUD_SETTINGS='"keys": {"NEW": {"secret": "new", "token": "t2"},
    "OLD": {"secret": "old", "token": "t1"}}' FAKE=1 \
    cloud '{"op": "part", "part": 2, "nth": 1, "s3_error": "ExpiredToken"}'
  printf '[default]\naws_access_key_id = OLD\naws_secret_access_key = old\naws_session_token = t1\n' >"$file"
  new_file $((part + 1000)) "$T/source" >/dev/null
  mkfifo "$T/pipe"
  ank_prepare -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput-fake --part-size 5M \
    --retries 0 - s3://bucket/k
  "${ANK_COMMAND[@]}" <"$T/pipe" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8>"$T/pipe"
  head -c $((part + 1)) "$T/source" >&8
  await '"part":1' "$OUT"
  sed -i 's/OLD/NEW/; s/= old/= new/; s/t1/t2/' "$file"
  tail -c 999 "$T/source" >&8
  exec 8>&-
  wait_ank
  came "$T/source"
  assert_json result repairs 1
  assert_eq "$(requests create)" 1
}

@test "unchanged credentials that end at part 3 end it at once (case 67)" {
  FAKE=1 cloud '{"op": "part", "part": 3, "s3_error": "ExpiredToken"}'
  new_file $((2 * part + 9)) "$T/source" >/dev/null
  run_ank ankput-fake --part-size 5M --multipart-threshold 0 --retries 5 \
    "$T/source" s3://bucket/k
  assert_exit 4
  assert_eq "$(part_requests 3)" 1
  nothing_left
}

@test "blanks for half a minute, then an error: asked again (case 39)" {
  FAKE=1 cloud '{"op": "complete", "nth": 1, "early_200": true, "spaces": 30,
    "space_ms": 20, "error_in_200": "InternalError"}'
  : >"$CLOUD_DIR/hang"
  from "$(new_file $((part + 9)) "$T/source")" --part-size 5M --stall-timeout 10s
  came "$T/source"
  assert_eq "$(requests complete)" 2
  assert_json result retries 1
}

@test "an answer lost, and another object of the same size is there: exists (case 41)" {
  new_file 1000 "$T/source" >/dev/null
  FAKE=1 cloud '{"op": "put", "nth": 1, "store": false, "close_at": "status"}' \
    "{\"op\": \"put\", \"nth\": 2, \"replace_object\": {\"text\": \"$(printf 'x%.0s' {1..1000})\"}}"
  run_ank ankput-fake --no-clobber "$T/source" s3://bucket/k
  assert_exit 7
  assert_json result why other_object
  assert_eq "$(ops)" 'put put head get'
}

@test "more than any object may hold is refused before a byte is sent (case 51)" {
  FAKE=1 cloud
  truncate -s 49T "$T/source" 2>/dev/null || skip 'no file can be as large here'
  run_ank ankput-fake "$T/source" s3://bucket/k
  assert_exit 3
  assert_eq "$(requests)" 0
}

@test "the disk fails at the very end: local, the old file stays (case 83)" {
  local error
  injecting true || skip 'system calls cannot be made to fail here'
  cloud
  seed 1000
  for error in EIO ENOSPC EDQUOT; do
    echo old >out
    injecting -e "inject=fsync:error=$error"
    run_ank ankget --no-state s3://bucket/k out
    assert_exit 3
    assert_contains "$(json result message)" out:
    assert_eq "$(<out)" old
    assert_no_leftovers
  done
  assert_eq "$(requests)" 3
}

@test "every second attempt fails: more attempts succeed more, none is slower (case 93)" {
  local n
  new_file $((6 * part)) "$T/source" >/dev/null
  FAKE=1 cloud '{"op": "part", "nth": [1, 3, 5, 7, 9, 11], "status": 500}'
  FAKE_DICE=min run_ank ankput-fake --part-size 5M --multipart-threshold 0 \
    --parallel 1 "$T/source" s3://bucket/k
  assert_exit 0
  assert_stored k "$T/source"
  assert_json result retries 6
  # Only the server's own time and the waits pass; no attempt is held back.
  assert_json result waited_ms 0
  assert_json result elapsed_ms 0
  for n in 0 1; do
    stop_clouds
    FAKE=1 cloud '{"op": "put", "nth": 1, "status": 500}'
    run_ank ankput-fake --multipart-threshold 1G --retries "$n" "$T/source" s3://bucket/k
    assert_exit "$((n ? 0 : 10))"
  done
}
