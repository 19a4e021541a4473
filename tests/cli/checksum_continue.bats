#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankput --continue with a checksum: parts of several runs make one object, and
# its checksum is that of all.

load ../lib/harness
load bytes
load continue

bats_require_minimum_version 1.5.0

# sum_of NAME: base64, by the cloud's arithmetic.
sum_of() {
  PYTHONPATH=$HARNESS_TOP/tests/cloud "$PYTHON" -c '
import sys, checksums
print(checksums.of_file(sys.argv[1], sys.argv[2]))' "$1" "$T/source"
}

@test "parts of an earlier run count for the checksum of the whole" {
  local before
  source_file 11
  cloud "$(hang_at_part 2)"
  put_killed --checksum crc64nvme
  before=$(requests)
  put_again --checksum crc64nvme
  assert_exit 0
  assert_stored k "$T/source"
  assert_eq "$(sent_parts "$before")" '2 3'
  assert_eq "$(stored_meta bucket k .checksums.crc64nvme)" "$(sum_of crc64nvme)"
  assert_contains "$(json result checksum)" crc64nvme:
}

@test "what was begun with another checksum, or none, is begun anew" {
  local first
  source_file 6
  for first in '' --checksum=sha256; do
    cloud "$(hang_at_part 2)"
    # shellcheck disable=SC2086 # nothing, or one word
    put_killed $first
    put_again --checksum crc32c
    assert_exit 0
    warned journal_other_options
    assert_eq "$(stored_meta bucket k .checksums.crc32c)" "$(sum_of crc32c)"
    assert_eq "$(requests create)" 2
    assert_eq "$(uploads)" ''
    stop_clouds
  done
}

@test "an object whose checksum is wrong is not gone on with" {
  source_file 6
  FAKE=1 cloud '{"op": "complete", "store": true, "status": 200, "body": "<CompleteMultipartUploadResult><ETag>x</ETag><ChecksumCRC32C>AAAAAA==</ChecksumCRC32C></CompleteMultipartUploadResult>"}'
  run_ank ankput-fake "${PARTED[@]}" --checksum crc32c "$T/source" s3://bucket/k
  assert_exit 9
  assert_json result why checksum_mismatch
  no_journal
}

@test "an upload that is gone, where another object stands" {
  source_file 6
  cloud '{"op": "complete", "nth": 1, "store": false, "hang_at": "status"}' \
    '{"op": "list_parts", "nth": 1, "abort_upload": true}' \
    '{"op": "head", "headers": {"x-amz-checksum-sha256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}}'
  put_killed
  seed_object bucket k "$(new_file $((6 << 20)) "$T/other" 9)"
  put_again
  assert_exit 0
  warned journal_upload_gone
  assert_stored k "$T/source"
}
