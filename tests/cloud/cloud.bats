#!/usr/bin/env bats
# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The fake cloud as curl sees it: S3's semantics, and the log.

load ../lib/harness

# s3curl METHOD TARGET [CURL-OPTION...]: a request signed by curl. Sets code;
# the answer's head is in head, its body in body. PAYLOAD=FILE sends a file.
s3curl() {
  local method=$1 target=$2 payload=${PAYLOAD-/dev/null} options=()
  shift 2
  [ "$method" != HEAD ] || options=(-I)
  [ "$method" != PUT ] || options=(-H 'Content-Type: text/plain' --data-binary @"$payload")
  code=$(curl -sS -q --path-as-is -X "$method" "${options[@]}" -D head -o body \
    -w '%{http_code}' --aws-sigv4 aws:amz:us-east-1:s3 \
    -u "$TEST_KEY:$TEST_SECRET" \
    -H "x-amz-content-sha256: $(sha256sum <"$payload" | cut -d' ' -f1)" \
    "$@" "${BASE-$CLOUD_URL}$target")
}

header() { tr -d '\r' <head | sed -n "s/^$1: //Ip"; }

error_code() { sed -n 's/.*<Code>\([^<]*\)<.*/\1/p' body; }

@test "the cloud's signatures and checksums are those others published" {
  "$PYTHON" "$HARNESS_TOP/tests/cloud/check_vectors.py" "$HARNESS_TOP/tests/vectors"
}

@test "what curl puts, curl gets, byte for byte" {
  start_cloud
  PAYLOAD=$(new_file 300000) s3curl PUT /bucket/dir/key -H 'x-amz-meta-a: b'
  assert_eq "$code" 200
  assert_same "$T/file-300000" "$(stored_object bucket dir/key)"
  assert_eq "$(header etag)" "\"$(md5sum <file-300000 | cut -d' ' -f1)\""
  s3curl GET /bucket/dir/key
  assert_eq "$code" 200
  assert_same body file-300000
  assert_eq "$(header x-amz-meta-a)" b
  assert_eq "$(header content-type)" text/plain
  s3curl HEAD /bucket/dir/key
  assert_eq "$code $(header content-length)" "200 300000"
  assert_eq "$(requests) $(requests put) $(requests get) $(requests head)" "3 1 1 1"
  assert_eq "$(request 1 .body_len)" 300000
  assert_eq "$(request 1 .signature)" ok
}
