#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034,SC2030,SC2031
# SPDX-License-Identifier: MIT
# Uploads in parts, as curl makes them: what S3 says, and what becomes of them.

load ../lib/harness
load curl

bats_require_minimum_version 1.5.0

WITH=plain

# small: an anonymous cloud where parts may be of 10 to 1000 bytes.
small() {
  start_cloud --anonymous "{\"min_part\": 10, \"max_part\": 1000}"
}

# create TARGET [CURL-OPTION...]: begins an upload; sets id. The "=" is for curl,
# which signs a query as it stands.
create() {
  "$WITH" POST "$1?uploads=" "${@:2}"
  id=$(element UploadId)
}

# part TARGET N FILE [CURL-OPTION...]: sets etag.
part() {
  PAYLOAD=$3 "$WITH" PUT "$1?partNumber=$2&uploadId=$id" "${@:4}"
  etag=$(header etag)
}

# complete TARGET XML [CURL-OPTION...]: XML is what stands inside the root.
complete() {
  printf '<CompleteMultipartUpload>%s</CompleteMultipartUpload>' "$2" >list.xml
  PAYLOAD=list.xml "$WITH" POST "$1?uploadId=$id" "${@:3}"
}

# listed N ETAG [XML]: a part in such a list.
listed() {
  printf '<Part><PartNumber>%s</PartNumber><ETag>%s</ETag>%s</Part>' "$1" "$2" "${3-}"
}

# etag_of FILE...: what S3 gives an object of these parts.
etag_of() {
  local file
  printf '"%s-%d"\n' "$(for file; do openssl md5 -binary "$file"; done | md5sum |
    cut -d' ' -f1)" $#
}

@test "an upload in parts becomes an object when it is completed, not before" {
  local one two
  WITH=signed
  start_cloud '{"min_part": 10}'
  create /bucket/dir/k -H 'x-amz-meta-a: b' -H 'Cache-Control: no-cache'
  assert_eq "$code $(element Bucket) $(element Key)" "200 bucket dir/k"
  assert_eq "$(uploads)" "$id"
  part /bucket/dir/k 2 "$(new_file 5)"
  two=$etag
  assert_eq "$code $etag" "200 \"$(md5sum <file-5 | cut -d' ' -f1)\""
  part /bucket/dir/k 1 "$(new_file 20)"
  part /bucket/dir/k 1 "$(new_file 30 file-30 7)"
  one=$etag
  assert_eq "$(upload_parts "$id" | cut -d' ' -f1,2)" "1 30
2 5"
  run stored_object bucket dir/k
  assert_eq "$status" 1
  complete /bucket/dir/k "$(listed 1 "$one")$(listed 2 "$two")"
  assert_eq "$code $(element ETag)" "200 $(etag_of file-30 file-5)"
  cat file-30 file-5 >whole
  assert_same whole "$(stored_object bucket dir/k)"
  assert_eq "$(uploads)" ""
  signed GET /bucket/dir/k
  assert_same whole body
  assert_eq "$(header etag) $(header x-amz-meta-a) $(header cache-control)" \
    "$(etag_of file-30 file-5) b no-cache"
  assert_eq "$(requests create) $(requests complete)" "1 1"
  assert_eq "$(part_requests) $(part_requests 1) $(part_requests 2)" "3 2 1"
  assert_eq "$(request 1 .upload_id) $(request 2 .part)" "$id 2"
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | sort -u)" ok
}

@test "an aborted upload is gone, an unknown one is told so" {
  small
  create /bucket/k
  part /bucket/k 1 "$(new_file 20)"
  plain DELETE "/bucket/k?uploadId=$id"
  assert_eq "$code $(uploads)" "204 "
  plain DELETE "/bucket/k?uploadId=$id"
  assert_eq "$code $(error_code)" "404 NoSuchUpload"
  part /bucket/k 1 file-20
  assert_eq "$code $(error_code)" "404 NoSuchUpload"
  complete /bucket/k "$(listed 1 "$etag")"
  assert_eq "$code $(error_code)" "404 NoSuchUpload"
  plain GET "/bucket/k?uploadId=$id"
  assert_eq "$code $(error_code)" "404 NoSuchUpload"
  create /bucket/k
  plain DELETE "/bucket/other?uploadId=$id"
  assert_eq "$code $(error_code)" "404 NoSuchUpload"
}
