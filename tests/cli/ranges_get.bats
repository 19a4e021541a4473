#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankget of a large object to a file: ranges of it at once, one object, whole or
# not there.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

MIB=1048576

# fetch ARG...: the object to $T/out in ranges of 1 MiB, in virtual time.
fetch() {
  run_ank ankget-fake --part-size 1M --multipart-threshold 1M "$@" s3://bucket/k "$T/out"
}

# whole: it came whole.
whole() {
  assert_exit 0
  assert_same "$T/out" "$T/object"
  assert_json result bytes "$(stat -c %s "$T/object")"
  assert_no_leftovers
}

# ranges: what was asked for, in order of the bytes.
ranges() {
  log_settled
  jq -r '[.headers[] | select(.[0] | ascii_downcase == "range") | .[1]][0] // "-"' \
    "$CLOUD_DIR/log.ndjson" | sort -t= -k2n | tr '\n' ' '
}

# conditions: the If-Match of each request, "-" where there is none.
conditions() {
  jq -r '[.headers[] | select(.[0] | ascii_downcase == "if-match") | .[1]][0] // "-"' \
    "$CLOUD_DIR/log.ndjson"
}

etag() { printf '"%s"\n' "$(md5sum <"$T/object" | cut -d' ' -f1)"; }

# sum NAME [FILE]: a checksum as S3 has it.
sum() {
  "$PYTHON" -c 'import sys
sys.path.insert(0, sys.argv[3])
import checksums
print(checksums.of_file(sys.argv[1], sys.argv[2]))' \
    "$1" "${2:-$T/object}" "$HARNESS_TOP/tests/cloud"
}

# wire_bytes: what reached the client, heads included, when all connections
# are over.
wire_bytes() {
  local i n
  n=$(jq -s 'map(.conn) | unique | length' "$CLOUD_DIR/log.ndjson")
  for ((i = 0; i < 500; i++)); do
    [ "$(wc -l <"$CLOUD_DIR/connections.ndjson")" -lt "$n" ] || break
    sleep 0.01
  done
  jq -s 'map(.acked) | add' "$CLOUD_DIR/connections.ndjson"
}

# what is asked for

# bats test_tags=valgrind
@test "a large object travels in ranges, the first one by the plain request" {
  FAKE=1 cloud
  seed $((4 * MIB + 5))
  fetch
  whole
  assert_eq "$(requests)" 5
  assert_eq "$(ranges)" "- bytes=1048576-2097151 bytes=2097152-3145727 bytes=3145728-4194303 bytes=4194304-4194308 "
  assert_eq "$(request 1 .method)" GET
  refute request_header 1 range
  refute request_header 1 if-match
  assert_eq "$(conditions | grep -cF "$(etag)")" 4
  assert_json result attempts 5
  assert_json result retries 0
  assert_json result etag "$(etag)"
  assert_eq "$(json result why)" ''
  assert_careful
}

@test "a small object is one plain request, at the threshold too" {
  FAKE=1 cloud
  seed "$MIB"
  fetch
  whole
  assert_eq "$(requests)" 1
  assert_eq "$(ranges)" "- "
  seed $((3 * MIB))
  fetch --multipart-threshold 3M
  whole
  run_ank ankget-fake s3://bucket/k "$T/out"
  whole
  assert_eq "$(requests)" 3
}

@test "by default objects over 16 MiB travel in ranges of 8 MiB, 4 at once" {
  FAKE=1 cloud
  seed $((16 * MIB))
  run_ank ankget-fake s3://bucket/k "$T/out"
  whole
  assert_eq "$(requests)" 1
  seed $((16 * MIB + 1))
  run_ank ankget-fake s3://bucket/k "$T/out"
  whole
  assert_eq "$(requests)" 4
  assert_eq "$(ranges)" "- - bytes=8388608-16777215 bytes=16777216-16777216 "
}

@test "as many ranges are on their way as --parallel says, and no more" {
  FAKE=1 cloud '{"op": "get", "nth": "2-", "hang_at": 1000}'
  seed $((6 * MIB))
  start_ank ankget-fake --part-size 1M --multipart-threshold 1M -P 3 \
    --stall-timeout 0 s3://bucket/k "$T/out"
  await_hang
  for ((i = 0; i < 500; i++)); do
    [ "$(wc -l <"$CLOUD_DIR/log.ndjson")" -lt 4 ] || break
    sleep 0.01
  done
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_eq "$(requests)" 4
  [ ! -e "$T/out" ]
  assert_no_leftovers
}

@test "-P 1 is one request" {
  FAKE=1 cloud
  seed $((4 * MIB))
  fetch -P 1
  whole
  assert_eq "$(requests)" 1
}

@test "a large range that was asked for is split as well" {
  FAKE=1 cloud
  seed $((4 * MIB))
  fetch --range 100-3145827
  assert_exit 0
  cmp "$T/out" <(tail -c +101 "$T/object" | head -c $((3 * MIB)))
  assert_json result bytes $((3 * MIB))
  assert_eq "$(ranges)" "bytes=100-3145827 bytes=1048676-2097251 bytes=2097252-3145827 "
  fetch --range -2097153
  assert_exit 0
  cmp "$T/out" <(tail -c 2097153 "$T/object")
}

@test "--part-size: too small a one is refused before a request" {
  FAKE=1 cloud
  run_ank ankget-fake --part-size 100K s3://bucket/k "$T/out"
  assert_usage --part-size
}

@test "the report says where each range begins, and why the first answer was left" {
  FAKE=1 cloud
  seed $((3 * MIB))
  fetch
  whole
  assert_eq "$(jq -s 'map(select(.event == "attempt") | .offset // 0) | sort' -c "$REPORT")" \
    '[0,1048576,2097152]'
  assert_eq "$(jq -r 'select(.event == "attempt" and .offset == null) | .why, .verdict, .next' "$REPORT")" \
    "range_reached
ok
done"
}

# attempts of their own

@test "each range goes on at the byte reached, held to the same object" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 1, "close_at": 300000}' \
    '{"op": "get", "has_header": "range", "nth": 2, "rst_at": 400000}'
  seed $((3 * MIB))
  fetch
  whole
  assert_eq "$(requests)" 5
  assert_json result retries 2
  assert_eq "$(conditions | grep -cF "$(etag)")" 4
  assert_eq "$(ranges | wc -w)" 5
}

@test "the first range goes on by itself, asking for no more than is its own" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 300000}'
  seed $((3 * MIB))
  fetch
  whole
  assert_contains "$(ranges)" "bytes=300000-1048575 "
  assert_eq "$(requests)" 4
}

@test "the first answer breaks before a byte: its range is asked for like the others" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 0}'
  seed $((3 * MIB))
  fetch
  whole
  assert_contains "$(ranges)" "bytes=0-1048575 "
  assert_eq "$(requests)" 4
}

@test "a range that fails to the last attempt fails the whole, nothing stays" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": "2-", "s3_error": "InternalError"}'
  seed $((5 * MIB))
  echo old >"$T/out"
  fetch -P 2
  assert_exit 10
  assert_json result outcome unavailable
  assert_eq "$(cat "$T/out")" old
  assert_no_leftovers
  result_is_last
  assert_between "$(requests)" 5 8
}

@test "a permanent answer to one range stops the others" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 1, "hang_at": 1000}' \
    '{"op": "get", "has_header": "range", "nth": 2, "s3_error": "AccessDenied"}'
  seed $((8 * MIB))
  fetch
  assert_exit 5
  assert_between "$(requests)" 3 9
  [ ! -e "$T/out" ]
  assert_no_leftovers
}

@test "1 MiB of progress renews a range's count of attempts" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": "1-5", "close_at": 1048576}'
  seed $((16 * MIB))
  fetch --part-size 8M --retries 1 -P 2
  whole
  assert_eq "$(requests)" 7
}

@test "a throttle to one range is waited for like any other" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 1, "s3_error": "SlowDown",
    "headers": {"Retry-After": "7"}}'
  seed $((3 * MIB))
  fetch
  whole
  assert_between "$(slept)" 7000 9000
  assert_eq "$(requests)" 4
}

@test "with every connection cut at 30 %, at most 1.05 times the object travels" {
  FAKE=1 cloud '{"op": "get", "close_at": 2516582}'
  seed $((120 * MIB))
  run_ank ankget-fake --no-breaker --retries 9 s3://bucket/k "$T/out"
  whole
  assert_between "$(jq -s 'map(select(.event == "attempt") | .bytes_received) | add' "$REPORT")" \
    $((120 * MIB)) $((120 * MIB * 105 / 100))
  assert_between "$(wire_bytes)" $((120 * MIB)) $((120 * MIB * 105 / 100))
}

@test "what is on its way behind the first range is all that is fetched in vain" {
  FAKE=1 cloud
  seed $((120 * MIB))
  run_ank ankget-fake s3://bucket/k "$T/out"
  whole
  assert_eq "$(requests)" 15
  assert_between "$(wire_bytes)" $((120 * MIB)) $((120 * MIB * 105 / 100))
}

# one object

# bats test_tags=valgrind
@test "an object that changed in between: all begins anew, with the new one" {
  FAKE=1 cloud '{"op": "get", "nth": 3, "replace_object": {"file": "'"$T/other"'"}}'
  seed $((5 * MIB))
  new_file $((3 * MIB + 1)) "$T/other" 3 >/dev/null
  fetch
  assert_exit 0
  assert_same "$T/out" "$T/other"
  assert_json result bytes $((3 * MIB + 1))
  assert_eq "$(jq -r 'select(.why == "object_changed") | .next' "$REPORT" | head -n 1)" retry
  assert_json result etag "\"$(md5sum <"$T/other" | cut -d' ' -f1)\""
  assert_no_leftovers
}

@test "an object that became a small one leaves nothing of the large one" {
  FAKE=1 cloud '{"op": "get", "nth": 3, "replace_object": {"text": "short"}}'
  seed $((5 * MIB))
  fetch
  assert_exit 0
  assert_eq "$(cat "$T/out")" short
  assert_json result bytes 5
}

@test "an object that changes all the time is given up after --retries" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "replace_object": {"touch": true}}'
  seed $((4 * MIB))
  echo old >"$T/out"
  fetch
  assert_exit 10
  assert_json result why object_changed
  assert_eq "$(cat "$T/out")" old
  assert_between "$(requests)" 6 15
  assert_json result retries 2
}

@test "a server that ignores If-Match is found out by the range's ETag" {
  FAKE=1 cloud '{"op": "get", "nth": 2, "headers": {"ETag": "\"other\""}}'
  seed $((3 * MIB))
  fetch
  whole
  assert_eq "$(jq -r 'select(.why == "object_changed") | .next' "$REPORT")" retry
}

@test "a weak ETag is not sent, only compared" {
  FAKE=1 cloud
  new_file $((3 * MIB)) "$T/object" >/dev/null
  seed_object bucket k "$T/object" '{"etag": "W/\"abc\""}'
  fetch
  whole
  assert_eq "$(requests)" 3
  assert_eq "$(conditions | sort -u)" -
}

@test "a total that is another one is another object" {
  FAKE=1 cloud '{"op": "get", "nth": 2, "range": {"total": 4000000}}'
  seed $((3 * MIB))
  fetch
  whole
  assert_contains "$(jq -r .why "$REPORT")" object_changed
}

@test "an object that is gone fails" {
  FAKE=1 cloud '{"op": "get", "nth": 3, "s3_error": "NoSuchKey"}'
  seed $((4 * MIB))
  fetch
  assert_exit 6
  [ ! -e "$T/out" ]
  assert_no_leftovers
}

# servers that know no ranges, or not well

@test "a server that ignores ranges: the first request goes on alone" {
  FAKE=1 cloud '{"op": "get", "range": "ignore"}'
  seed $((6 * MIB))
  fetch
  whole
  assert_json result retries 0
  assert_between "$(requests)" 2 6
  assert_contains "$(jq -r .why "$REPORT")" ranges_ignored
}

@test "ranges that come as others: the first job goes on alone" {
  local rule
  for rule in '"range": {"shift": 5}' '"range": {"shift": -5}' \
    '"headers": {"Content-Range": "bytes 1-2/*"}' '"headers": {"Content-Range": null}'; do
    FAKE=1 cloud "{\"op\": \"get\", \"nth\": 2, $rule}"
    seed $((6 * MIB))
    fetch -P 2
    whole
    assert_json result retries 0
    assert_contains "$(jq -r .why "$REPORT")" ranges_ignored
    stop_clouds
  done
}

@test "a server that stops giving ranges in the middle: the rest comes in order" {
  FAKE=1 cloud '{"op": "get", "nth": 4, "range": "ignore"}' \
    "{\"op\": \"get\", \"headers\": {\"x-amz-checksum-crc32\": \"$(sum crc32 "$(new_file $((6 * MIB)))")\"}}"
  seed $((6 * MIB))
  fetch -P 2
  whole
  assert_json result retries 0
  assert_contains "$(json result checksum)" crc32:
}

@test "without an ETag, or a size, the object comes by one request" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "headers": {"ETag": null}}' \
    '{"op": "get", "nth": 2, "length": "chunked"}'
  seed $((4 * MIB))
  fetch
  whole
  assert_eq "$(requests)" 1
  fetch
  whole
  assert_eq "$(requests)" 2
}

@test "ranges may be chunked" {
  FAKE=1 cloud '{"op": "get", "nth": "2-", "length": "chunked"}'
  seed $((4 * MIB))
  fetch
  whole
  assert_eq "$(requests)" 4
}

# integrity

@test "the object's checksum is that of all ranges in order" {
  local name
  seed_source=$(new_file $((5 * MIB + 3)) "$T/object")
  for name in crc64nvme sha256; do
    FAKE=1 cloud "{\"op\": \"get\", \"headers\": {\"x-amz-checksum-$name\": \"$(sum "$name")\"}}"
    seed_object bucket k "$seed_source"
    fetch
    whole
    assert_contains "$(json result checksum)" "$name:"
    assert_eq "$(requests)" 6
    stop_clouds
  done
}

# bats test_tags=valgrind
@test "a wrong checksum: all is fetched again, then integrity" {
  FAKE=1 cloud '{"op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}'
  seed $((3 * MIB))
  echo old >"$T/out"
  fetch
  assert_exit 9
  assert_json result why checksum_mismatch
  assert_eq "$(requests)" 9
  assert_eq "$(cat "$T/out")" old
  assert_no_leftovers
}

@test "a wrong checksum once: the second time all is well" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}'
  seed $((3 * MIB))
  fetch
  whole
  assert_eq "$(requests)" 6
  assert_json result retries 1
}

@test "a range that is longer than its length is fetched again" {
  FAKE=1 cloud '{"op": "get", "nth": 2, "length": "-10"}'
  seed $((3 * MIB))
  fetch
  whole
  assert_eq "$(requests)" 4
}

# ends

@test "until the end there is only a temporary file" {
  FAKE=1 cloud '{"op": "get", "nth": 3, "hang_at": 1000}'
  seed $((4 * MIB))
  echo old >"$T/out"
  start_ank ankget --part-size 1M --multipart-threshold 1M s3://bucket/k "$T/out"
  await_hang
  assert_eq "$(cat "$T/out")" old
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result outcome interrupted
  assert_eq "$(cat "$T/out")" old
  assert_no_leftovers
}

@test "one deadline for all of them" {
  FAKE=1 cloud '{"op": "get", "nth": "3-", "hang_at": 1000}'
  seed $((6 * MIB))
  fetch --deadline 20s
  assert_exit 13
  assert_json result outcome deadline
  [ ! -e "$T/out" ]
  assert_no_leftovers
  fetch --deadline 0
  assert_exit 13
  assert_json result attempts 0
}

@test "a full disk ends all of them at once" {
  FAKE=1 cloud
  seed $((6 * MIB))
  echo old >"$T/out"
  printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 2000\nexec "$@"\n' >limited
  chmod +x limited
  ANK_WRAP=$T/limited fetch
  assert_exit 3
  assert_human 'File too large'
  assert_eq "$(cat "$T/out")" old
  assert_no_leftovers
  assert_between "$(requests)" 1 5
  assert_json result retries 0
}

@test "a breaker that opens holds for all ranges" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "s3_error": "InternalError"}'
  seed $((6 * MIB))
  fetch --breaker failures=2 --state-file "$T/state"
  assert_exit 10
  assert_json breaker to open 1
  assert_between "$(requests)" 3 8
}

@test "memory stays small whatever the object's size" {
  FAKE=1 cloud
  truncate -s 300M "$T/object"
  seed_object bucket k "$T/object"
  ANK_WRAP="/usr/bin/time -o $T/peak -f %M" fetch --part-size 8M -P 8
  assert_exit 0
  cmp "$T/out" "$T/object"
  assert_between "$(tail -n 1 "$T/peak")" 1 65536
}

# the rate

@test "--limit-rate is that of the run, whatever the number of ranges" {
  cloud
  seed $((6 * MIB))
  run_ank ankget --limit-rate 1M --part-size 1M --multipart-threshold 1M -P 4 \
    s3://bucket/k "$T/out"
  whole
  assert_between "$(json result elapsed_ms)" 2500 12000
}
