#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankget --checksum: the answer has to bring it, and it is compared with the
# bytes of the whole object.

load ../lib/harness
load bytes
load policy
load parts

bats_require_minimum_version 1.5.0

# keep ALG [SIZE]: an object that was stored with that checksum.
keep() {
  new_file "${2:-1000}" "$T/source" >/dev/null
  run_ank ankput-fake --checksum "$1" "$T/source" s3://bucket/k
  assert_exit 0
  put_told=$(json result checksum)
}

# bats test_tags=valgrind
@test "each checksum is asked for, compared and told" {
  local alg
  rules
  for alg in crc64nvme crc32c sha256; do
    keep "$alg"
    get k --checksum "$alg"
    ends 0 ok
    assert_same "$T/got" "$T/source"
    assert_json result checksum "$put_told"
    assert_contains "$put_told" "$alg:"
  done
  assert_eq "$(headers x-amz-checksum-mode | tr ' ' '\n' | tail -1)" ENABLED
}

@test "without the option nothing is asked of a store that is not Amazon's" {
  rules
  keep crc32c
  get k
  ends 0 ok
  assert_eq "$(headers x-amz-checksum-mode)" '- -'
}

@test "an answer without it ends at once, with nothing delivered" {
  rules
  keep crc32c
  get k --checksum crc64nvme
  ends 9 integrity
  assert_json result why no_checksum
  assert_contains "$(cat "$ERR")" \
    '--checksum: the answer has no crc64nvme of the whole object'
  assert_eq "$(requests get)" 1
  [ ! -e "$T/got" ]
  run_ank ankget --checksum sha256 s3://bucket/k
  assert_exit 9
  assert_eq "$(cat "$OUT")" ''
}

@test "a checksum of parts is none of the whole object" {
  source_of $((5 * MIB + 100))
  rules
  up k --checksum sha256
  get k --checksum sha256
  ends 9 integrity
  assert_json result why no_checksum
  get k
  ends 0 ok
  assert_eq "$(json result checksum)" ''
}

@test "in ranges and from a pipe, the checksum is that of all" {
  source_of $((5 * MIB + 100))
  rules '{"op": "get", "nth": 2, "status": 503}'
  up k --checksum crc32c
  get k --checksum crc32c --part-size 1M --multipart-threshold 1M
  ends 0 ok
  assert_same "$T/got" "$T/source"
  assert_contains "$(json result checksum)" crc32c:
  [ "$(requests get)" -gt 4 ]
  run_ank ankget --checksum crc32c s3://bucket/k
  assert_exit 0
  assert_same "$OUT" "$T/source"
}

@test "bytes that do not have it are fetched again, then integrity" {
  rules '{"op": "get", "headers": {"x-amz-checksum-crc32c": "AAAAAA=="}}'
  keep crc32c
  get k --checksum crc32c
  ends 9 integrity
  assert_json result why checksum_mismatch
  assert_eq "$(requests get)" 3
}

@test "the facts of an object have to tell it, too" {
  rules
  keep crc64nvme
  facts k --checksum crc64nvme
  ends 0 ok
  assert_json result checksum "$put_told"
  facts k --checksum crc32c
  ends 9 integrity
  assert_json result why no_checksum
  facts missing --checksum crc32c
  ends 6 not_found
}

@test "a range has no checksum, so both together are a mistake" {
  rules
  get k --checksum crc32c --range 0-9
  assert_exit 2
  assert_contains "$(json result message)" '--checksum: is of whole objects'
  assert_eq "$(requests)" 0
}

@test "what an earlier run left without the checksum is not gone on with" {
  new_file 500000 "$T/source" >/dev/null
  start_cloud '{"rules": [{"op": "get", "nth": 1, "hang_at": 200000}]}'
  run_ank ankput --checksum crc64nvme "$T/source" s3://bucket/k
  start_ank ankget -C s3://bucket/k "$T/got"
  await_hang
  kill -TERM "$ANK_PID"
  wait_ank
  run_ank ankget -C --checksum crc64nvme s3://bucket/k "$T/got"
  assert_exit 0
  assert_same "$T/got" "$T/source"
  assert_eq "$(json result resumed_from)" ''
  assert_contains "$(json result checksum)" crc64nvme:
}

# aws ARG...: Debian's awscli, knowing nothing but the cloud and the key.
aws() {
  [ -x /usr/bin/aws ] || skip 'no awscli'
  env -i PATH=/usr/bin:/bin HOME="$T/home" LC_ALL=C.UTF-8 \
    AWS_ACCESS_KEY_ID="$TEST_KEY" AWS_SECRET_ACCESS_KEY="$TEST_SECRET" \
    AWS_DEFAULT_REGION=us-east-1 /usr/bin/aws --endpoint-url "$CLOUD_URL" "$@"
}

@test "awscli's checksum is checked here, and ours by awscli" {
  start_cloud
  new_file 70000 "$T/source" >/dev/null
  aws s3api put-object --bucket bucket --key a --body "$T/source" \
    --checksum-algorithm SHA256 >"$T/put.json"
  run_ank ankget --checksum sha256 s3://bucket/a "$T/got"
  assert_exit 0
  assert_same "$T/got" "$T/source"
  run_ank ankput --checksum sha256 "$T/source" s3://bucket/b
  aws s3api get-object --bucket bucket --key b --checksum-mode ENABLED \
    "$T/back" >"$T/get.json"
  assert_same "$T/back" "$T/source"
  assert_eq "$(jq -r .ChecksumSHA256 "$T/get.json")" \
    "$(jq -r .ChecksumSHA256 "$T/put.json")"
}
