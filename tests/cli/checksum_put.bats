#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# ankput --checksum: the chosen one travels with every byte, the store checks it
# by its own arithmetic, and what it tells of the object is compared.

load ../lib/harness
load policy
load parts

bats_require_minimum_version 1.5.0

# sum_of NAME [FILE]: base64, by the cloud's arithmetic.
sum_of() {
  PYTHONPATH=$HARNESS_TOP/tests/cloud "$PYTHON" -c '
import sys, checksums
print(checksums.of_file(sys.argv[1], sys.argv[2]))' "$1" "${2-$T/source}"
}

# told_as NAME [FILE]: as the report has it.
told_as() { printf '%s:%s\n' "$1" "$(sum_of "$@" | base64 -d | od -An -v -tx1 | tr -d " \n")"; }

# composite SIZE: the SHA-256 of the SHA-256s of $T/source in parts of SIZE.
composite() {
  (cd "$T" && rm -rf cut && mkdir cut && cd cut && split -a 3 -b "$1" ../source &&
    for part in *; do openssl dgst -sha256 -binary "$part"; done |
    sha256sum | sed "s/ .*/-$(find . -type f | wc -l)/; s/^/sha256:/")
}

# op_headers OP NAME: that header of the requests of an operation.
op_headers() {
  log_settled
  jq -rs --arg op "$1" --arg name "$2" 'map(select(.op == $op)
    | [.headers[] | select((.[0] | ascii_downcase) == $name)[1]][0] // "-")
    | unique | join(" ")' "$CLOUD_DIR/log.ndjson"
}

# warned WHY: those are the warnings.
warned() {
  assert_eq "$(jq -rs 'map(select(.event == "warning") | .why) | join(" ")' \
    "$REPORT")" "$1"
}

# aws: Amazon's own names, through a proxy that is the cloud.
aws() {
  SETTINGS="\"domains\": [\"s3.us-east-1.amazonaws.com\"]${SETTINGS:+, $SETTINGS}" rules
  ANK_ENV=(ANK_PROXY="$CLOUD_URL" ANK_ENDPOINT=http://s3.us-east-1.amazonaws.com)
}

# --- in one request -------------------------------------------------------------

# bats test_tags=valgrind
@test "each checksum travels with a PUT, is stored, confirmed and told" {
  local alg
  rules
  for alg in crc64nvme crc32c sha256; do
    put k --checksum "$alg"
    ends 0 ok
    stored k
    assert_eq "$(stored_meta bucket k '.checksums | tostring')" \
      "{\"$alg\":\"$(sum_of "$alg")\"}"
    assert_json result checksum "$(told_as "$alg")"
    warned ''
  done
  assert_eq "$(requests)" 3
  assert_eq "$(headers x-amz-checksum-crc64nvme)" "$(sum_of crc64nvme) - -"
  assert_careful
}

@test "what comes from a stream, a command or nowhere has its checksum, too" {
  rules
  new_file 1000 "$T/source" >/dev/null
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat "$T/source" | run_ank ankput --checksum crc64nvme - s3://bucket/a
  assert_eq "$(stored_meta bucket a .checksums.crc64nvme)" "$(sum_of crc64nvme)"
  run_ank ankput --checksum crc32c s3://bucket/b -- cat "$T/source"
  assert_json result checksum "$(told_as crc32c)"
  : >"$T/source"
  put c --checksum crc64nvme
  assert_json result checksum crc64nvme:0000000000000000
  assert_eq "$(stored_meta bucket c .checksums.crc64nvme)" AAAAAAAAAAA=
}

@test "Amazon's own hosts get the one that was chosen, and no other" {
  aws
  put k --checksum crc64nvme
  ends 0 ok
  assert_eq "$(headers x-amz-checksum-crc64nvme)" "$(sum_of crc64nvme)"
  assert_eq "$(headers x-amz-checksum-sha256)" -
}

@test "a retry sends the same checksum, of the whole body (case 9)" {
  rules '{"op": "put", "nth": 1, "when": 500, "status": 500, "then": "close"}'
  put k --checksum crc32c
  ends 0 ok
  assert_eq "$(headers x-amz-checksum-crc32c)" "$(sum_of crc32c) $(sum_of crc32c)"
}

@test "an answer with another checksum is retried, then integrity" {
  rules '{"op": "put", "headers": {"x-amz-checksum-crc64nvme": "AAAAAAAAAAA="}}'
  put k --checksum crc64nvme
  ends 9 integrity
  assert_json result why checksum_mismatch
  assert_eq "$(requests)" 3
  rules '{"op": "put", "nth": 1, "headers": {"x-amz-checksum-crc64nvme": "AAAAAAAAAAA="}}'
  put k --checksum crc64nvme
  ends 0 ok
  assert_json result checksum "$(told_as crc64nvme)"
  assert_eq "$(requests)" 2
}

@test "a store that does not tell it back stores it, with a warning" {
  rules '{"op": "put", "headers": {"x-amz-checksum-crc32c": null}}'
  put k --checksum crc32c
  ends 0 ok
  warned checksum_unconfirmed
  assert_json result checksum "$(told_as sha256)"
}

# --- refusals ---------------------------------------------------------------------

@test "a store that refuses the header: its words and a hint, nothing downgraded" {
  local answer
  for answer in '"s3_error": "NotImplemented", "message": "A header you provided implies functionality that is not implemented"' \
    '"status": 400, "body": "<Error><Code>InvalidArgument</Code><Message>Unsupported header received</Message></Error>"' \
    '"status": 400, "body": "<Error><Code>InvalidArgument</Code><Message>Unsupported header: x-amz-checksum-crc64nvme</Message></Error>"'; do
    rules "{\"has_header\": \"x-amz-checksum-crc64nvme\", $answer}" \
      "{\"has_header\": \"x-amz-checksum-algorithm\", $answer}"
    put k --checksum crc64nvme
    ends 8 rejected
    assert_contains "$(cat "$ERR")" header
    assert_contains "$(cat "$ERR")" '--checksum crc64nvme'
    assert_eq "$(requests)" 1
    refute_stored k
    source_of $((5 * MIB + 100))
    up k --checksum crc64nvme
    ends 8 rejected
    assert_contains "$(cat "$ERR")" '--checksum crc64nvme'
    assert_eq "$(requests)" 2
    refute_stored k
    rm "$T/source"
    stop_clouds
  done
}

@test "a bucket that wants Content-MD5 as well gets both" {
  rules '{"op": "put", "nth": 1, "s3_error": "InvalidRequest", "message": "Content-MD5 OR x-amz-checksum- HTTP header is required"}'
  put k --checksum crc64nvme
  ends 0 ok
  assert_eq "$(headers content-md5)" "- $(openssl md5 -binary "$T/source" | base64)"
  assert_eq "$(headers x-amz-checksum-crc64nvme | tr ' ' '\n' | uniq)" \
    "$(sum_of crc64nvme)"
}

@test "others are refused with those that are taken" {
  local alg
  rules
  for alg in md5 crc32 sha1 CRC32C crc64 ''; do
    put k --checksum "$alg"
    assert_exit 2
    assert_eq "$(requests)" 0
    assert_contains "$(json result message)" \
      "--checksum: '$alg' is not crc64nvme, crc32c or sha256"
  done
  put ANK_CHECKSUM=crc32c k
  ends 0 ok
  assert_eq "$(headers x-amz-checksum-crc32c)" "$(sum_of crc32c)"
}

# --- in parts ----------------------------------------------------------------------

# bats test_tags=valgrind
@test "in parts: a CRC of the whole, whatever part is stored last" {
  local alg
  source_of $((10 * MIB + 12345))
  for alg in crc64nvme crc32c; do
    rules '{"op": "part", "part": 1, "nth": 1, "status": 503}'
    up k --checksum "$alg"
    ends 0 ok
    stored k
    assert_eq "$(stored_meta bucket k '.checksums | tostring')" \
      "{\"$alg\":\"$(sum_of "$alg")\"}"
    assert_json result checksum "$(told_as "$alg")"
    assert_eq "$(op_headers create x-amz-checksum-algorithm)" "${alg^^}"
    assert_eq "$(op_headers create x-amz-checksum-type)" FULL_OBJECT
    assert_eq "$(op_headers complete "x-amz-checksum-$alg")" "$(sum_of "$alg")"
    assert_eq "$(op_headers complete x-amz-checksum-type)" FULL_OBJECT
    assert_eq "$(op_headers part "x-amz-checksum-$alg" | wc -w)" 3
    assert_eq "$(requests)" 6
    warned ''
    assert_careful
    stop_clouds
  done
}

@test "in parts: SHA-256 is that of the parts' SHA-256s" {
  source_of $((5 * MIB + 100))
  rules
  up k --checksum sha256
  ends 0 ok
  assert_eq "$(op_headers create x-amz-checksum-type)" COMPOSITE
  assert_json result checksum "$(composite $((5 * MIB)))"
  assert_eq "sha256:$(stored_meta bucket k .checksums.sha256 | cut -d- -f1 |
    base64 -d | od -An -v -tx1 | tr -d " \n")-2" "$(composite $((5 * MIB)))"
  warned ''
}

@test "in parts without the option: what the parts were signed with is told" {
  source_of $((5 * MIB + 100))
  rules
  up k
  ends 0 ok
  assert_json result checksum "$(composite $((5 * MIB)))"
  assert_eq "$(op_headers create x-amz-checksum-algorithm)" -
  assert_eq "$(op_headers part x-amz-checksum-sha256)" -
  aws
  up k
  ends 0 ok
  assert_json result checksum "$(composite $((5 * MIB)))"
  assert_eq "$(op_headers create x-amz-checksum-algorithm)" SHA256
  warned ''
}

@test "a stream and a command in parts have the checksum of all" {
  source_of $((5 * MIB + 100))
  rules
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat "$T/source" | run_ank ankput --checksum crc64nvme --part-size 5M - s3://bucket/a
  assert_eq "$(stored_meta bucket a .checksums.crc64nvme)" "$(sum_of crc64nvme)"
  run_ank ankput --checksum crc32c --part-size 5M s3://bucket/b -- cat "$T/source"
  assert_json result checksum "$(told_as crc32c)"
  assert_eq "$(requests complete)" 2
}

# completed ELEMENTS: a rule: every completion works, and tells them.
completed() {
  printf '{"op": "complete", "store": true, "status": 200, "body": "<CompleteMultipartUploadResult><ETag>\\"x\\"</ETag>%s</CompleteMultipartUploadResult>", "headers": {"Content-Type": "application/xml"}}' "$1"
}

@test "a completion that tells another checksum is integrity, after retries" {
  local alg element
  source_of $((5 * MIB + 100))
  for alg in crc64nvme:CRC64NVME:AAAAAAAAAAA= crc32c:CRC32C:AAAAAA== \
    "sha256:SHA256:$(openssl dgst -sha256 -binary /dev/null | base64)-2"; do
    IFS=: read -r alg element sum <<<"$alg"
    rules "$(completed "<Checksum$element>$sum</Checksum$element>")"
    up k --checksum "$alg"
    ends 9 integrity
    assert_json result why checksum_mismatch
    assert_eq "$(requests complete)" 3
    assert_eq "$(requests abort)" 0
    stop_clouds
  done
}

@test "a completion that tells another checksum and then knows no upload" {
  source_of $((5 * MIB + 100))
  SETTINGS='"complete_again": 404' rules \
    '{"op": "complete", "nth": 1, "store": true, "status": 200, "body": "<CompleteMultipartUploadResult><ETag>x</ETag><ChecksumCRC32C>AAAAAA==</ChecksumCRC32C></CompleteMultipartUploadResult>"}'
  up k --checksum crc32c
  ends 9 integrity
  assert_eq "$(requests complete)" 2
  assert_eq "$(requests create)" 1
  assert_eq "$(json result aborted)" ''
}

@test "a completion that tells nothing is a success with a warning" {
  source_of $((5 * MIB + 100))
  rules "$(completed '')"
  up k --checksum crc64nvme
  ends 0 ok
  warned checksum_unconfirmed
  assert_json result checksum "$(composite $((5 * MIB)))"
}

@test "a store that got other bytes says so: retried, then integrity" {
  source_of $((5 * MIB + 100))
  rules '{"op": "complete", "s3_error": "BadDigest"}'
  up k --checksum crc32c
  ends 9 integrity
  assert_eq "$(requests complete)" 3
  nothing_left k
}

@test "a part with another checksum is sent again, then integrity" {
  source_of $((5 * MIB + 100))
  rules '{"op": "part", "part": 2, "nth": 1, "headers": {"x-amz-checksum-crc32c": "AAAAAA=="}}'
  up k --checksum crc32c
  ends 0 ok
  assert_eq "$(part_requests 2)" 2
  rules '{"op": "part", "part": 2, "headers": {"x-amz-checksum-crc32c": "AAAAAA=="}}'
  up k --checksum crc32c
  ends 9 integrity
  assert_eq "$(part_requests 2)" 3
  nothing_left k
}

@test "a lost completion is confirmed by HEAD, with its checksum" {
  source_of $((5 * MIB + 100))
  SETTINGS='"complete_again": 404' rules \
    '{"op": "complete", "nth": 1, "store": true, "close_at": "status"}'
  up k --checksum crc64nvme
  ends 0 ok
  assert_json result confirmed_by head
  assert_json result checksum "$(told_as crc64nvme)"
  warned ''
}

@test "an object with our mark and another checksum is not ours any more" {
  source_of $((5 * MIB + 100))
  SETTINGS='"complete_again": 404' rules \
    '{"op": "complete", "nth": 1, "store": true, "close_at": "status"}' \
    '{"op": "head", "headers": {"x-amz-checksum-crc64nvme": "AAAAAAAAAAA="}}'
  up k --checksum crc64nvme
  ends 0 ok
  assert_eq "$(requests create)" 2
  assert_eq "$(json result confirmed_by)" ''
}

# --- buckets with Object Lock ---------------------------------------------------------

# md5s OP: Content-MD5 of each request of an operation.
md5s() {
  log_settled
  jq -rs --arg op "$1" 'map(select(.op == $op) | "\(.part // 0):\(
    [.headers[] | select((.[0] | ascii_downcase) == "content-md5")[1]][0] // "-")")
    | join(" ")' "$CLOUD_DIR/log.ndjson"
}

# pieces: Content-MD5 of each part of $T/source.
pieces() {
  head -c $((5 * MIB)) "$T/source" | openssl md5 -binary | base64
  tail -c +$((5 * MIB + 1)) "$T/source" | openssl md5 -binary | base64
}

@test "a bucket that wants Content-MD5 gets it for every part, asked once" {
  local how one two
  source_of $((5 * MIB + 100))
  { read -r one && read -r two; } < <(pieces)
  for how in file stdin pipe command; do
    SETTINGS='"require_checksum": true' rules
    case $how in
      file) up k -P 1 ;;
      stdin) run_ank ankput-fake -P 1 --part-size 5M --multipart-threshold 0 - \
        s3://bucket/k <"$T/source" ;;
      pipe)
        # shellcheck disable=SC2002 # a file as standard input is another matter
        cat "$T/source" | run_ank ankput-fake -P 1 --part-size 5M - s3://bucket/k
        status=0
        ;;
      command) run_ank ankput-fake -P 1 --part-size 5M s3://bucket/k -- \
        cat "$T/source" ;;
    esac
    ends 0 ok
    stored k
    assert_eq "$(md5s part)" "1:- 1:$one 2:$two"
    assert_eq "$(requests)" 5
    assert_json result repairs 1
    stop_clouds
  done
}

@test "parts on their way when one is asked for Content-MD5 are all mended" {
  source_of $((15 * MIB + 100))
  SETTINGS='"require_checksum": true' rules
  up k -P 4
  ends 0 ok
  stored k
  assert_eq "$(md5s part | tr ' ' '\n' | grep -vc ':-$')" 4
  assert_eq "$(requests complete)" 1
  assert_json result retries 0
}

@test "no bytes at all are mended, too" {
  SETTINGS='"require_checksum": true' rules
  : >"$T/source"
  put k
  ends 0 ok
  assert_eq "$(md5s put)" "0:- 0:1B2M2Y8AsgTpgAmY7PhCfg=="
}

@test "with a checksum, and on Amazon's own hosts, nothing is to be mended" {
  source_of $((5 * MIB + 100))
  SETTINGS='"require_checksum": true' rules
  up k --checksum crc32c
  ends 0 ok
  assert_eq "$(requests)" 4
  SETTINGS='"require_checksum": true' aws
  up k
  ends 0 ok
  put one --multipart-threshold 16M
  ends 0 ok
  assert_eq "$(requests)" 5
  assert_eq "$(told verdict)" ok
  assert_eq "$(md5s part | tr ' ' '\n' | grep -vc ':-$')" 0
}
