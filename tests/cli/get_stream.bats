#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankget to standard output: each byte of the object once, in order, and nothing
# else; transfers that break go on where they were.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# fetch ARG...: the object to standard output, in virtual time.
fetch() { run_ank ankget-fake "$@" s3://bucket/k; }

# whole: it came whole on standard output.
whole() {
  assert_exit 0
  assert_same "$OUT" "$T/object"
  assert_json result bytes "$(stat -c %s "$T/object")"
}

# starts: the part of the object that came is a beginning of it.
starts() {
  cmp -n "$(stat -c %s "$OUT")" "$OUT" "$T/object"
}

ranges() { jq -r '[.headers[] | select(.[0] | ascii_downcase == "range") | .[1]][0] // "-"' "$CLOUD_DIR/log.ndjson" | tr '\n' ' '; }

@test "error bodies never reach standard output (case 3)" {
  FAKE=1 cloud '{"op": "get", "nth": "1-2", "s3_error": "SlowDown"}'
  seed 1000
  fetch
  whole
  assert_eq "$(requests)" 3
  FAKE=1 cloud
  fetch
  assert_exit 6
  assert_eq "$(wc -c <"$OUT")" 0
}

@test "a 200 that holds an error document is an object like any other" {
  FAKE=1 cloud
  printf '<Error><Code>SlowDown</Code></Error>' >"$T/object"
  seed_object bucket k "$T/object"
  fetch
  whole
  assert_eq "$(requests)" 1
}

# bats test_tags=valgrind
@test "a cut transfer goes on with Range and If-Match at the byte reached (case 4)" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "rst_at": 25000}'
  seed 100000
  fetch
  whole
  assert_eq "$(requests)" 3
  assert_eq "$(ranges)" "- bytes=50000- bytes=75000- "
  assert_eq "$(request_header 2 if-match)" "\"$(md5sum <"$T/object" | cut -d' ' -f1)\""
  assert_json attempt offset 50000 2
  assert_json attempt bytes_received 50000 1
  assert_json attempt error short_body 1
  assert_careful
}

@test "a cut transfer to a file goes on too, our own partial file in the way of nothing (cases 4, 8)" {
  FAKE=1 cloud '{"op": "get", "nth": "1-2", "close_at": 30000}'
  seed 100000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 0
  assert_same out "$T/object"
  assert_eq "$(ranges)" "- bytes=30000- bytes=60000- "
  assert_json result bytes 100000
  assert_no_leftovers
}

@test "an object that changed in between: a pipe fails rather than mix" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "replace_object": {"flip": true}}'
  seed 100000
  fetch
  assert_exit 9
  assert_json result outcome integrity
  assert_json result why object_changed
  assert_eq "$(wc -c <"$OUT")" 50000
  starts
  assert_eq "$(requests)" 2
}

# bats test_tags=valgrind
@test "an object that changed in between: a file begins anew" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "replace_object": {"text": "short"}}'
  seed 100000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 0
  assert_eq "$(cat out)" short
  assert_eq "$(ranges)" "- bytes=50000- - "
  assert_json attempt why object_changed 2
  assert_json result bytes 5
}

@test "a server that ignores If-Match is found out by the answer's ETag" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "headers": {"ETag": "\"other\""}}'
  seed 100000
  fetch
  assert_exit 9
  assert_json result why object_changed
  assert_eq "$(wc -c <"$OUT")" 50000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 0
  assert_same out "$T/object"
}

@test "a server that ignores Range: what is known of a 200 is skipped" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": "2-", "range": "ignore"}'
  seed 300000
  fetch
  whole
  assert_eq "$(requests)" 2
}

@test "an answer from before the byte reached is cut to what is new" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "range": {"shift": -700}}'
  seed 100000
  fetch
  assert_starts_or_whole
}

# The shifted answer ends 700 bytes early; the next attempt asks for those.
assert_starts_or_whole() {
  whole
  assert_eq "$(ranges)" "- bytes=50000- bytes=99300- "
}

@test "an answer from behind the byte reached is never taken" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": "2-", "range": {"shift": 5}}'
  seed 100000
  fetch
  assert_exit 10
  assert_json result why wrong_range
  assert_eq "$(wc -c <"$OUT")" 50000
  starts
  assert_eq "$(requests)" 3
}

@test "a 206 whose Content-Range lies about the total is another object" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "range": {"total": 100001}}'
  seed 100000
  fetch
  assert_exit 9
  assert_eq "$(wc -c <"$OUT")" 50000
}

@test "a 206 without a readable Content-Range is no answer" {
  local bad
  for bad in 'bytes 50000-99999' 'items 50000-99999/100000' \
    'bytes 99999-50000/100000' 'bytes 50000-99999/*' 'bytes x-y/z'; do
    FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
      "{\"op\": \"get\", \"nth\": \"2-\", \"headers\": {\"Content-Range\": \"$bad\"}}"
    seed 100000
    fetch
    assert_exit 10
    assert_eq "$(wc -c <"$OUT")" 50000
    assert_json result why unexpected_answer
    stop_clouds
  done
}

@test "a 206 to a request without Range is no answer" {
  FAKE=1 cloud '{"op": "get", "status": 206, "body": "hello",
    "headers": {"Content-Range": "bytes 0-4/5"}}'
  fetch
  assert_exit 10
  assert_eq "$(wc -c <"$OUT")" 0
}

# weak ETag rules: the range is asked for plainly, and the answers compared

@test "a weak ETag is not sent, only compared" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}'
  new_file 100000 "$T/object" >/dev/null
  seed_object bucket k "$T/object" '{"etag": "W/\"abc\""}'
  fetch
  whole
  refute request_header 2 if-match
  assert_eq "$(ranges)" "- bytes=50000- "
}

@test "with a weak ETag, another Last-Modified is another object" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000}' \
    '{"op": "get", "nth": 2, "headers":
      {"Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"}}'
  new_file 100000 "$T/object" >/dev/null
  seed_object bucket k "$T/object" '{"etag": "W/\"abc\""}'
  fetch
  assert_exit 9
  assert_eq "$(wc -c <"$OUT")" 50000
}

@test "without any validator a cut pipe fails, a file begins anew" {
  FAKE=1 cloud '{"op": "get", "nth": [1, 3], "close_at": 50000,
      "headers": {"ETag": null, "Last-Modified": null}}' \
    '{"op": "get", "headers": {"ETag": null, "Last-Modified": null}}'
  seed 100000
  fetch
  assert_exit 9
  assert_eq "$(wc -c <"$OUT")" 50000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 0
  assert_same out "$T/object"
}

@test "without an ETag, Last-Modified alone is enough to go on" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 50000, "headers": {"ETag": null}}' \
    '{"op": "get", "headers": {"ETag": null}}'
  seed 100000
  fetch
  whole
  assert_eq "$(ranges)" "- bytes=50000- "
}

# lengths (case 57)

@test "fewer bytes than Content-Length are a cut, to the end unavailable (case 57)" {
  FAKE=1 cloud '{"op": "get", "length": "+10"}'
  seed 1000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 10
  [ ! -e out ]
  assert_no_leftovers
}

@test "more bytes than Content-Length are no success (case 57)" {
  FAKE=1 cloud '{"op": "get", "length": "-10"}'
  seed 1000
  run_ank ankget-fake s3://bucket/k out
  assert_exit 10
  assert_json attempt error garbled 1
  [ ! -e out ]
  assert_eq "$(requests)" 3
}

@test "a chunked body with its end is whole, without it cut (case 57)" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "length": "chunked"}'
  seed 200000
  fetch
  whole
  FAKE=1 cloud '{"op": "get", "nth": 1, "length": "chunked-cut", "close_at": 50000}'
  seed 200000
  fetch
  whole
  assert_eq "$(requests)" 2
  assert_eq "$(ranges)" "- bytes=50000- "
}

@test "a chunked body that lacks only its end is whole when the server says so" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "length": "chunked-cut"}'
  seed 200000
  fetch
  whole
  assert_eq "$(requests)" 2
  assert_json attempt status 416
  assert_json attempt verdict ok
}

@test "a body that only the connection's end ends is not believed (case 57)" {
  FAKE=1 cloud '{"op": "get", "length": "none"}'
  seed 1000
  fetch
  assert_exit 10
  assert_eq "$(wc -c <"$OUT")" 0
  assert_json result why unexpected_answer
}

@test "over TLS a cut body is a cut, with close_notify and without (case 57)" {
  local notify
  make_certificates
  for notify in true false; do
    CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
    FAKE=1 cloud "{\"op\": \"get\", \"nth\": 1, \"close_at\": 60000, \"close_notify\": $notify}"
    seed 100000
    run_ank ANK_ENDPOINT="$CLOUD_TLS_URL" ankget-fake --cacert ca.pem s3://bucket/k
    whole
    assert_eq "$(requests)" 2
    run_ank ANK_ENDPOINT="$CLOUD_TLS_URL" ankget-fake --cacert ca.pem s3://bucket/k
    stop_clouds
  done
}

@test "an object of 0 bytes is an empty output and an empty file" {
  FAKE=1 cloud
  seed 0
  fetch
  whole
  run_ank ankget-fake s3://bucket/k out
  assert_exit 0
  [ -f out ] && [ ! -s out ]
  assert_json result bytes 0
}

# checksums

# sums [FILE]: its checksum by each algorithm, a line each.
sums() {
  "$PYTHON" - "${1:-$T/object}" "$HARNESS_TOP/tests/cloud" <<'EOF2'
import sys
sys.path.insert(0, sys.argv[2])
import checksums
for n in ("crc32", "crc32c", "crc64nvme", "sha1", "sha256"):
    print(n, checksums.of_file(n, sys.argv[1]))
EOF2
}

@test "every algorithm's checksum is compared: good ones pass and are told" {
  local name value
  new_file 100000 "$T/object" >/dev/null
  while read -r name value; do
    FAKE=1 cloud "{\"op\": \"get\", \"headers\": {\"x-amz-checksum-$name\": \"$value\"}}"
    seed_object bucket k "$T/object"
    run_ank ankget-fake s3://bucket/k out
    assert_exit 0
    assert_same out "$T/object"
    assert_contains "$(json result checksum)" "$name:"
    assert_eq "$(requests)" 1
    stop_clouds
  done < <(sums)
}

# bats test_tags=valgrind
@test "every algorithm's checksum is compared: a wrong one is retried, then integrity" {
  local name value
  new_file 100000 "$T/other" 2 >/dev/null
  while read -r name value; do
    FAKE=1 cloud "{\"op\": \"get\", \"nth\": \"1-3\", \"headers\": {\"x-amz-checksum-$name\": \"$value\"}}"
    seed 100000
    echo old >out
    run_ank ankget-fake s3://bucket/k out
    assert_exit 9
    assert_json result why checksum_mismatch
    assert_json attempt verdict integrity
    assert_eq "$(cat out)" old
    assert_eq "$(requests)" 3
    assert_human checksum
    run_ank ankget-fake s3://bucket/k out
    assert_exit 0
    stop_clouds
  done < <(sums "$T/other")
  assert_no_leftovers
}

@test "a wrong checksum on a pipe is integrity at once: bytes cannot be taken back" {
  FAKE=1 cloud '{"op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}'
  seed 1000
  fetch
  assert_exit 9
  assert_eq "$(requests)" 1
}

@test "the checksum of a resumed read is that of all its bytes" {
  new_file 100000 "$T/object" >/dev/null
  FAKE=1 cloud "{\"op\": \"get\", \"nth\": 1, \"close_at\": 40000, \"headers\":
    {\"x-amz-checksum-crc32c\": \"$(sums | awk '$1 == "crc32c" {print $2}')\"}}"
  seed_object bucket k "$T/object"
  fetch
  whole
  assert_contains "$(json result checksum)" crc32c:
}

@test "composite checksums and junk say nothing of the bytes" {
  local value
  for value in 'AAAAAA==-2' 'AAAA' 'junk' ''; do
    FAKE=1 cloud "{\"op\": \"get\", \"headers\": {\"x-amz-checksum-crc32\": \"$value\"}}"
    seed 1000
    fetch
    whole
    assert_eq "$(json result checksum)" ''
    stop_clouds
  done
  FAKE=1 cloud '{"op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA==",
    "x-amz-checksum-type": "COMPOSITE"}}'
  seed 1000
  fetch
  whole
}

@test "a range is not compared with the whole object's checksum" {
  FAKE=1 cloud '{"op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}'
  seed 1000
  fetch --range 0-99
  assert_exit 0
  cmp "$OUT" <(head -c 100 "$T/object")
}

@test "an ETag is never taken for an MD5: random, multipart, weak, unquoted (case 70)" {
  local etag
  for etag in '\"00000000000000000000000000000000\"' \
    '\"0123456789abcdef0123456789abcdef-7\"' 'W/\"00000000000000000000000000000000\"' \
    '00000000000000000000000000000000' '\"\"'; do
    FAKE=1 cloud "{\"op\": \"get\", \"headers\": {\"ETag\": \"$etag\",
      \"x-amz-server-side-encryption\": \"aws:kms\"}}"
    seed 1000
    fetch
    whole
    assert_eq "$(requests)" 1
    stop_clouds
  done
}

# ranges

# ranged SPEC FIRST LENGTH: those bytes of the object, whatever the server does.
ranged() {
  fetch --range "$1"
  assert_exit 0
  cmp "$OUT" <(tail -c +$(($2 + 1)) "$T/object" | head -c "$3")
  assert_json result bytes "$3"
}

all_ranges() {
  seed 1000
  ranged 0-0 0 1
  ranged 10-19 10 10
  ranged 990- 990 10
  ranged -10 990 10
  ranged -5000 0 1000
  ranged 0- 0 1000
  ranged 900-99999 900 100
  ranged 999-999 999 1
}

@test "--range in all forms" {
  FAKE=1 cloud
  all_ranges
  assert_eq "$(requests)" 8
  assert_careful
}

@test "--range in all forms on a server that ignores it" {
  FAKE=1 cloud '{"op": "get", "range": "ignore"}'
  all_ranges
  assert_eq "$(requests)" 8
}

@test "--range behind the end is rejected, whatever the server does" {
  local lie spec
  for lie in '"status": null' '"range": "ignore"'; do
    FAKE=1 cloud "{\"op\": \"get\", $lie}"
    seed 1000
    for spec in 1000- 1000-1001 99999999999-; do
      fetch --range "$spec"
      assert_exit 8
      assert_eq "$(wc -c <"$OUT")" 0
    done
    assert_eq "$(requests)" 3
    stop_clouds
  done
}

@test "a cut range goes on inside itself" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 40000}'
  seed 100000
  ranged 10000-89999 10000 80000
  assert_eq "$(ranges)" "bytes=10000-89999 bytes=50000-89999 "
  FAKE=1 cloud '{"op": "get", "nth": 1, "close_at": 40000}'
  seed 100000
  ranged -90000 10000 90000
}

@test "a file takes a range as its whole content" {
  FAKE=1 cloud
  seed 1000
  run_ank ankget-fake --range 5-9 s3://bucket/k out
  assert_exit 0
  cmp out <(tail -c +6 "$T/object" | head -c 5)
}

# facts

# bats test_tags=valgrind
@test "-I tells the object's facts and fetches nothing" {
  FAKE=1 cloud
  new_file 1234 "$T/object" >/dev/null
  seed_object bucket k "$T/object" '{"modified": 784111777, "headers":
    {"x-amz-meta-a": "1", "x-amz-meta-b-c": "two words",
     "x-amz-storage-class": "GLACIER"}}'
  fetch -I
  assert_exit 0
  assert_json result size 1234
  assert_json result etag "\"$(md5sum <"$T/object" | cut -d' ' -f1)\""
  assert_json result last_modified 1994-11-06T08:49:37.000Z
  assert_json result storage_class GLACIER
  assert_eq "$(jq -c 'select(.event == "result").metadata' "$REPORT")" \
    '{"a":"1","b-c":"two words"}'
  assert_eq "$(json result bytes)" ''
  assert_eq "$(request 1 .method)" HEAD
  assert_eq "$(wc -c <"$ERR")" 0
}

@test "-I of a missing object, and of one not modified" {
  FAKE=1 cloud
  fetch -I
  assert_exit 6
  assert_json result outcome not_found
  seed 10
  fetch -I --if-none-match "\"$(md5sum <"$T/object" | cut -d' ' -f1)\""
  assert_exit 0
  assert_json result outcome not_modified
}

@test "metadata named twice is one value, and odd bytes are made valid" {
  FAKE=1 cloud '{"op": "head", "headers": {"x-amz-meta-a": ["1", "2"],
    "x-amz-meta-odd": "\u00e9\u0001\""}}'
  seed 10
  fetch -I
  assert_exit 0
  assert_contains "$(jq -c 'select(.event == "result").metadata' "$REPORT")" '"1, 2'
}

@test "a Last-Modified that is no date is unknown" {
  FAKE=1 cloud '{"op": "head", "headers": {"Last-Modified": "yesterday"}}'
  seed 10
  fetch -I
  assert_exit 0
  assert_eq "$(json result last_modified)" ''
}
