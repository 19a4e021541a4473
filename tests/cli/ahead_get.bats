#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# ankget of a large object to a pipe: ranges of it at once, held in memory until
# it is their turn; each byte once, in order.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

MIB=1048576
RANGES=(--part-size 1M --multipart-threshold 1M)

# piped OPTION... [-- CONSUMER...]: $CLIENT (ankget-fake) writes into a pipe that
# the consumer (cat) reads; its output is $T/got. Sets status.
piped() {
  local options=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  if [ $# = 0 ]; then set -- cat; else shift; fi
  ank_prepare "${CLIENT:-ankget-fake}" "${RANGES[@]}" "${options[@]}" s3://bucket/k
  {
    code=0
    ${PEAK:+/usr/bin/time -o "$T/peak" -f %M} timeout --foreground -k 1 30 \
      "${ANK_COMMAND[@]}" 2>"$ERR" || code=$?
    echo "$code" >"$T/code"
  } | "$@" >"$T/got"
  await . "$T/code"
  status=$(<"$T/code")
  check_report
}

# whole: it came whole.
whole() {
  assert_exit 0
  assert_same "$T/got" "$T/object"
  assert_json result bytes "$(stat -c %s "$T/object")"
  result_is_last
}

# starts: what came is a beginning of the object.
starts() {
  cmp -n "$(stat -c %s "$T/got")" "$T/got" "$T/object"
}

# ranges: what was asked for, in order of the bytes.
ranges() {
  log_settled
  jq -r '[.headers[] | select(.[0] | ascii_downcase == "range") | .[1]][0] // "-"' \
    "$CLOUD_DIR/log.ndjson" | sort -t= -k2n | tr '\n' ' '
}

conditions() {
  jq -r '[.headers[] | select(.[0] | ascii_downcase == "if-match") | .[1]][0] // "-"' \
    "$CLOUD_DIR/log.ndjson"
}

etag() { printf '"%s"\n' "$(md5sum <"$T/object" | cut -d' ' -f1)"; }

# sum NAME: the object's checksum as S3 has it.
sum() {
  "$PYTHON" -c 'import sys
sys.path.insert(0, sys.argv[3])
import checksums
print(checksums.of_file(sys.argv[1], sys.argv[2]))' \
    "$1" "$T/object" "$HARNESS_TOP/tests/cloud"
}

# what is asked for

# bats test_tags=valgrind
@test "a large object comes to a pipe in ranges, in order" {
  FAKE=1 cloud
  seed $((4 * MIB + 5))
  piped
  whole
  assert_eq "$(requests)" 5
  assert_eq "$(ranges)" "- bytes=1048576-2097151 bytes=2097152-3145727 bytes=3145728-4194303 bytes=4194304-4194308 "
  assert_eq "$(conditions | grep -cF "$(etag)")" 4
  assert_json result attempts 5
  assert_json result retries 0
  assert_json result etag "$(etag)"
  assert_careful
}

@test "to a FIFO, a device and a file behind standard output as well" {
  FAKE=1 cloud
  seed $((5 * MIB))
  mkfifo fifo
  cat fifo >"$T/got" &
  run_ank ankget-fake "${RANGES[@]}" s3://bucket/k fifo
  wait $!
  whole
  run_ank ankget-fake "${RANGES[@]}" s3://bucket/k /dev/null
  assert_exit 0
  assert_json result bytes $((5 * MIB))
  run_ank ankget-fake "${RANGES[@]}" s3://bucket/k
  mv "$OUT" "$T/got"
  whole
  assert_eq "$(requests)" 15
}

@test "-P 1 is one request, a small object too, and what two ranges do not fit in" {
  FAKE=1 cloud
  seed $((4 * MIB))
  piped -P 1
  whole
  piped --multipart-threshold 4M
  whole
  piped --buffer-limit 2000000
  whole
  assert_eq "$(requests)" 3
  piped --buffer-limit 2M
  whole
  assert_eq "$(requests)" 7
}

@test "a range of the object is split as well" {
  FAKE=1 cloud
  seed $((4 * MIB))
  piped --range 100-3145827
  assert_exit 0
  cmp "$T/got" <(tail -c +101 "$T/object" | head -c $((3 * MIB)))
  assert_eq "$(ranges)" "bytes=100-3145827 bytes=1048676-2097251 bytes=2097252-3145827 "
}

@test "ranges that come in the wrong order are written in the right one" {
  FAKE=1 cloud '{"op": "get", "nth": [2, 5], "delay_ms": 300}'
  seed $((9 * MIB))
  piped
  whole
  assert_eq "$(requests)" 9
}

# attempts of their own

@test "a range that is cut goes on at its byte" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 1, "close_at": 300000}' \
    '{"op": "get", "has_header": "range", "nth": 3, "rst_at": 0}'
  seed $((5 * MIB))
  piped
  whole
  # whichever came first
  assert_eq "$(jq -s 'map(select(.event == "attempt" and (.offset // 0) % 1048576 == 300000))
    | length' "$REPORT")" 1
  assert_eq "$(requests)" 7
  assert_json result retries 2
  assert_eq "$(conditions | grep -cF "$(etag)")" 6
}

@test "the first answer that is cut goes on within its range" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 300000}'
  seed $((3 * MIB))
  piped
  whole
  assert_contains "$(ranges)" "bytes=300000-1048575 "
  assert_eq "$(requests)" 4
}

@test "a range that lacks only its end is asked for its last byte again" {
  FAKE=1 cloud '{"op": "get", "nth": [2, 3], "length": "chunked-cut"}'
  seed $((4 * MIB))
  piped
  whole
  assert_between "$(requests)" 6 6
  assert_json result retries 2
}

@test "a first range that lacks only its end is asked for its last byte again" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 300000}' \
    '{"op": "get", "has_header": "range", "nth": 1, "length": "chunked-cut"}'
  seed $((2 * MIB))
  piped -P 2 --retries 3
  whole
  refute grep -q 'bytes=1048576-1048575' "$CLOUD_DIR/log.ndjson"
}

@test "a 503 to one range is waited for, the others go on" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 2, "s3_error": "SlowDown",
    "headers": {"Retry-After": "7"}}'
  seed $((6 * MIB))
  piped
  whole
  assert_between "$(slept)" 7000 9000
  assert_eq "$(requests)" 7
}

@test "a range that fails to the last attempt fails the whole" {
  FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": "2-", "s3_error": "InternalError"}'
  seed $((6 * MIB))
  piped -P 2
  assert_exit 10
  assert_json result outcome unavailable
  starts
  assert_between "$(requests)" 5 8
}

@test "a permanent answer to one range stops all" {
  local error code
  for error in AccessDenied/5 NoSuchKey/6; do
    FAKE=1 cloud '{"op": "get", "has_header": "range", "nth": 1, "hang_at": 1000}' \
      "{\"op\": \"get\", \"has_header\": \"range\", \"nth\": 2, \"s3_error\": \"${error%/*}\"}"
    seed $((9 * MIB))
    piped
    assert_exit "${error#*/}"
    starts
    assert_between "$(requests)" 4 5
    assert_json result retries 0
    stop_clouds
  done
}

# one object

# bats test_tags=valgrind
@test "an object that changes in between fails: a pipe is never mixed" {
  FAKE=1 cloud '{"op": "get", "nth": 6, "replace_object": {"flip": true}}'
  seed $((9 * MIB))
  piped
  assert_exit 9
  assert_json result why object_changed
  assert_between "$(stat -c %s "$T/got")" $MIB $((8 * MIB))
  starts
  assert_between "$(requests)" 6 9
}

@test "a server that ignores If-Match is found out by the range's ETag" {
  FAKE=1 cloud '{"op": "get", "nth": 6, "headers": {"ETag": "\"other\""}}'
  seed $((9 * MIB))
  piped
  assert_exit 9
  assert_json result why object_changed
  starts
}

@test "a weak ETag is not sent, only compared" {
  FAKE=1 cloud
  new_file $((3 * MIB)) "$T/object" >/dev/null
  seed_object bucket k "$T/object" '{"etag": "W/\"abc\""}'
  piped
  whole
  assert_eq "$(requests)" 3
  assert_eq "$(conditions | sort -u)" -
}

@test "without an ETag, or a size, the object comes by one request" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "headers": {"ETag": null}}' \
    '{"op": "get", "nth": 2, "length": "chunked"}'
  seed $((4 * MIB))
  piped
  whole
  piped
  whole
  assert_eq "$(requests)" 2
}

# servers that know no ranges

@test "a server that ignores ranges: the first request goes on alone" {
  FAKE=1 cloud '{"op": "get", "range": "ignore"}'
  seed $((9 * MIB))
  piped
  whole
  assert_json result retries 0
  assert_between "$(requests)" 2 6
  assert_contains "$(jq -r .why "$REPORT")" ranges_ignored
}

@test "a server that stops giving ranges in the middle: the rest comes in order" {
  local nth
  new_file $((9 * MIB)) "$T/object" >/dev/null
  for nth in 3 4 6 8; do
    FAKE=1 cloud "{\"op\": \"get\", \"nth\": $nth, \"range\": \"ignore\"}" \
      "{\"op\": \"get\", \"nth\": 1, \"headers\": {\"x-amz-checksum-crc32\": \"$(sum crc32)\"}}"
    seed $((9 * MIB))
    piped -P 3
    whole
    assert_json result retries 0
    assert_contains "$(json result checksum)" crc32:
    stop_clouds
  done
}

# integrity

@test "the checksum is that of all ranges in order" {
  local name
  new_file $((5 * MIB + 3)) "$T/object" >/dev/null
  for name in crc64nvme sha256; do
    FAKE=1 cloud "{\"op\": \"get\", \"headers\": {\"x-amz-checksum-$name\": \"$(sum "$name")\"}}"
    seed_object bucket k "$T/object"
    piped
    whole
    assert_contains "$(json result checksum)" "$name:"
    assert_eq "$(requests)" 6
    stop_clouds
  done
}

@test "a wrong checksum is integrity at once" {
  FAKE=1 cloud '{"op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}'
  seed $((9 * MIB))  # more than is held
  piped
  assert_exit 9
  assert_json result why checksum_mismatch
  assert_eq "$(requests)" 9
  assert_eq "$(json result checksum)" ''
}

# the consumer

# slow N SECONDS: reads nothing for so long (in real time), N bytes at a time
# from then on.
slow() {
  "$PYTHON" -c 'import os, sys, time
time.sleep(float(sys.argv[2]))
while data := os.read(0, int(sys.argv[1])):
    sys.stdout.buffer.write(data)
    time.sleep(0.001)' "$1" "$2"
}

@test "a slow consumer is no stall, costs no attempt and no memory" {
  cloud
  seed $((64 * MIB))
  CLIENT=ankget PEAK=1
  piped --stall-timeout 2s --retries 0 --part-size 2M -- slow 60000 3
  whole
  assert_eq "$(requests)" 32
  assert_json result retries 0
  grep -q __asan_init "$ANK_BUILD/ankget" ||
    assert_between "$(tail -n 1 "$T/peak")" 1 $((28 * 1024))
}

@test "no more is fetched than is held while nobody reads" {
  cloud
  seed $((32 * MIB))
  mkfifo fifo
  ank_prepare ankget "${RANGES[@]}" -P 3 s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  await '"why":"range_reached"' "$ERR"
  for ((i = 0; i < 500; i++)); do
    [ "$(requests)" -lt 3 ] || break
    sleep 0.01
  done
  sleep 0.3  # real time
  assert_eq "$(requests)" 3
  kill -TERM "$ANK_PID"
  wait_ank
  exec 8<&-
  assert_exit 143
  assert_json result outcome interrupted
}

@test "the deadline ends it while the pipe is full" {
  cloud
  seed $((32 * MIB))
  mkfifo fifo
  ank_prepare ankget "${RANGES[@]}" --deadline 1500ms s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  wait_ank
  exec 8<&-
  assert_exit 13
  assert_json result outcome deadline
  assert_eq "$(requests)" 4
}

@test "deadline and signal end it when all has come and nobody reads" {
  cloud
  seed $((2 * MIB))
  mkfifo fifo
  ank_prepare ankget "${RANGES[@]}" --deadline 1s s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  wait_ank
  exec 8<&-
  assert_exit 13
  assert_eq "$(jq -s 'map(select(.event == "attempt" and .verdict == "ok")) | length' "$REPORT")" 2
  ank_prepare ankget "${RANGES[@]}" s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  await 'bytes=1048576\|"offset":1048576' "$ERR"
  kill -TERM "$ANK_PID"
  wait_ank
  exec 8<&-
  assert_exit 143
  assert_json result outcome interrupted
}

@test "a consumer that closes early: 141, quiet, stdout_closed" {
  local n
  cloud
  seed $((12 * MIB))
  CLIENT=ankget
  for n in 10 3000000; do
    piped --report "$T/r" -- head -c "$n"
    assert_exit 141
    cp "$T/r" "$REPORT"
    rm "$T/r"
    assert_json result why stdout_closed
    assert_json result outcome interrupted
    assert_json result retries 0
    assert_eq "$(wc -c <"$ERR")" 0
    cmp "$T/got" <(head -c "$n" "$T/object")
    result_is_last
  done
}

@test "a consumer that closes when all has come" {
  cloud
  seed $((2 * MIB))
  mkfifo fifo
  ank_prepare ankget "${RANGES[@]}" s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  await '"offset":1048576' "$ERR"
  exec 8<&-
  wait_ank
  assert_exit 141
  assert_json result why stdout_closed
  result_is_last
}

@test "memory stays within 64 MiB by default, whatever the object's size" {
  ! grep -q __asan_init "$ANK_BUILD/ankget" || skip 'a sanitizer keeps what is freed'
  FAKE=1 cloud
  truncate -s 300M "$T/object"
  seed_object bucket k "$T/object"
  RANGES=() PEAK=1
  piped
  whole
  assert_between "$(tail -n 1 "$T/peak")" 1 65536
  piped -P 16 --buffer-limit 16M
  whole
  assert_between "$(tail -n 1 "$T/peak")" 1 $((36 * 1024))
}
