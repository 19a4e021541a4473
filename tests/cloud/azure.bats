#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# The fake cloud's Azure, as curl finds it.

load ../lib/harness
load curl

bats_require_minimum_version 1.5.0

# azure_cloud [JSON]: an anonymous one with these further settings.
azure_cloud() {
  start_cloud --anonymous "$(jq -cn --argjson more "${1:-{\}}" \
    '{service: "azure"} + $more')"
}

# azure METHOD TARGET [CURL-OPTION...]: below the account.
azure() {
  plain "$1" "/ankacct$2" -H 'x-ms-version: 2024-11-04' "${@:3}"
}

put() { azure PUT "$1" -H 'x-ms-blob-type: BlockBlob' "${@:2}"; }

# block TARGET ID FILE [CURL-OPTION...]: ID is what its base64 says.
block() {
  PAYLOAD=$3 azure PUT "$1?comp=block&blockid=$(printf %s "$2" | base64 |
    sed 's/=/%3D/g')" "${@:4}"
}

# commit TARGET "KIND ID"... [-- CURL-OPTION...]
commit() {
  local target=$1 one
  shift
  printf '<BlockList>' >list.xml
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    one=$(printf %s "${1#* }" | base64)
    printf '<%s>%s</%s>' "${1% *}" "$one" "${1% *}" >>list.xml
    shift
  done
  printf '</BlockList>' >>list.xml
  PAYLOAD=list.xml azure PUT "$target?comp=blocklist" "${@:2}"
}

@test "a blob is put, read, asked for and deleted" {
  azure_cloud
  new_file 1000 file >/dev/null
  PAYLOAD=./file put /bucket/a%20b -H 'x-ms-meta-a_1: v' -H 'x-ms-access-tier: Cool'
  assert_eq "$code $(header content-md5)" \
    "201 $(openssl md5 -binary file | base64)"
  azure GET /bucket/a%20b
  assert_eq "$code" 200
  assert_same body file
  azure HEAD /bucket/a%20b
  assert_eq "$code $(header x-ms-meta-a_1) $(header x-ms-access-tier)" "200 v Cool"
  azure DELETE /bucket/a%20b
  assert_eq "$code" 202
  azure DELETE /bucket/a%20b
  assert_eq "$code $(header x-ms-error-code)" "404 BlobNotFound"
}

@test "what is missing or wrong has its code in a header, a HEAD's too" {
  azure_cloud
  azure HEAD /bucket/no
  assert_eq "$code $(header x-ms-error-code)" "404 BlobNotFound"
  azure GET /nobucket/no
  assert_eq "$code $(header x-ms-error-code)" "404 ContainerNotFound"
  assert_eq "$(error_code)" ContainerNotFound
  azure PUT /bucket/k
  assert_eq "$code $(header x-ms-error-code)" "400 InvalidHeaderValue"
  put /bucket/k -H 'x-ms-meta-a-b: 1'
  assert_eq "$code $(header x-ms-error-code)" "400 InvalidMetadata"
}

@test "ranges: x-ms-range before Range, 206 and 416, a sum of the range" {
  azure_cloud
  seed_object bucket k "$(new_file 100)"
  azure GET /bucket/k -H 'x-ms-range: bytes=10-19' -H 'Range: bytes=0-1'
  assert_eq "$code $(header content-range)" "206 bytes 10-19/100"
  azure GET /bucket/k -H 'x-ms-range: bytes=100-'
  assert_eq "$code $(header x-ms-error-code)" "416 InvalidRange"
  azure GET /bucket/k -H 'x-ms-range: bytes=0-' -H 'x-ms-range-get-content-crc64: true'
  assert_eq "$(header x-ms-content-crc64)" "$("$PYTHON" -c '
import base64, sys
sys.path.insert(0, sys.argv[1])
import checksums
crc = checksums.Crc64Nvme()
crc.update(open("file-100", "rb").read())
print(base64.b64encode(crc.digest()[::-1]).decode())' "$HARNESS_TOP/tests/cloud")"
}

@test "conditions: 409 for a name that is taken, 412 for all else" {
  local etag
  azure_cloud
  put /bucket/k -H 'If-None-Match: *'
  assert_eq "$code" 201
  etag=$(header etag)
  put /bucket/k -H 'If-None-Match: *'
  assert_eq "$code $(header x-ms-error-code)" "409 BlobAlreadyExists"
  put /bucket/k -H 'If-Match: "other"'
  assert_eq "$code $(header x-ms-error-code)" "412 ConditionNotMet"
  put /bucket/k -H "If-Match: $etag"
  assert_eq "$code" 201
  azure GET /bucket/k -H "If-Match: $etag"
  assert_eq "$code $(header x-ms-error-code)" "412 ConditionNotMet"
  azure_cloud '{"exists_status": 412}'
  put /bucket/k
  put /bucket/k -H 'If-None-Match: *'
  assert_eq "$code $(header x-ms-error-code)" "412 ConditionNotMet"
}

@test "blocks wait for their list, all ids of a blob have one length" {
  azure_cloud
  block /bucket/k aa-00001 "$(new_file 20)"
  assert_eq "$code" 201
  block /bucket/k aa-00002 "$(new_file 5)"
  block /bucket/k aa-00001 "$(new_file 30)"
  assert_eq "$code" 201
  azure HEAD /bucket/k
  assert_eq "$code" 404
  block /bucket/k aa-3 "$(new_file 5)"
  assert_eq "$code $(header x-ms-error-code)" "400 InvalidBlobOrBlock"
  azure GET '/bucket/k?comp=blocklist&blocklisttype=all'
  assert_eq "$(element Size | tr '\n' ' ')" "30 5 "
  commit /bucket/k 'Latest aa-00001' 'Latest aa-00009'
  assert_eq "$code $(header x-ms-error-code)" "400 InvalidBlockList"
  commit /bucket/k 'Latest aa-00001' 'Latest aa-00002' -- -H 'x-ms-meta-a: 1'
  assert_eq "$code" 201
  assert_same "$(stored_object bucket k)" <(cat file-30 file-5)
  assert_eq "$(uploads)" ""
  # once more: they are committed now
  commit /bucket/k 'Latest aa-00001' 'Latest aa-00002' -- -H 'If-None-Match: *'
  assert_eq "$code $(header x-ms-error-code)" "409 BlobAlreadyExists"
  commit /bucket/k 'Latest aa-00002' 'Committed aa-00001'
  assert_same "$(stored_object bucket k)" <(cat file-5 file-30)
}

@test "a Put Blob drops the blocks that wait, too many of them are told" {
  azure_cloud '{"most_uncommitted": 2}'
  block /bucket/k a1 "$(new_file 5)"
  block /bucket/k a2 file-5
  block /bucket/k a3 file-5
  assert_eq "$code $(header x-ms-error-code)" "409 BlockCountExceedsLimit"
  put /bucket/k
  assert_eq "$(uploads)" ""
}

@test "sums of a request are looked at" {
  azure_cloud
  new_file 100 file >/dev/null
  PAYLOAD=./file put /bucket/k -H 'Content-MD5: kAFQmDzST7DWlj99KOF/cg=='
  assert_eq "$code $(header x-ms-error-code)" "400 Md5Mismatch"
  PAYLOAD=./file put /bucket/k -H 'x-ms-content-crc64: AAAAAAAAAAA='
  assert_eq "$code $(header x-ms-error-code)" "400 Crc64Mismatch"
}

@test "an archived blob is there, and cannot be read" {
  azure_cloud
  put /bucket/k -H 'x-ms-access-tier: Archive'
  azure GET /bucket/k
  assert_eq "$code $(header x-ms-error-code)" "409 BlobArchived"
  azure HEAD /bucket/k
  assert_eq "$code" 200
}

@test "scenarios speak of S3, and Azure says the same in its own words" {
  azure_cloud '{"rules": [
    {"nth": 1, "s3_error": "SlowDown"}, {"nth": 2, "s3_error": "NoSuchKey"},
    {"op": "part", "part": 2, "status": 500},
    {"op": "complete", "nth": 1, "abort_upload": true}]}'
  azure GET /bucket/k
  assert_eq "$code $(header x-ms-error-code)" "503 ServerBusy"
  azure HEAD /bucket/k
  assert_eq "$code $(header x-ms-error-code)" "404 BlobNotFound"
  block /bucket/k r-1 "$(new_file 5)"
  assert_eq "$code" 201
  block /bucket/k r-2 file-5
  assert_eq "$code" 500
  commit /bucket/k 'Latest r-1'
  assert_eq "$code $(header x-ms-error-code)" "400 InvalidBlockList"
  assert_eq "$(request 3 '[.op, .part, .upload_id] | join(" ")')" "part 1 r-"
}

@test "bearer tokens and signatures of URLs are looked at" {
  local sas
  UNSIGNED_OK=1
  start_cloud '{"service": "azure", "tokens": {"good": {}, "old": {"expired": true}}}'
  azure HEAD /bucket/k
  assert_eq "$code" 403
  azure HEAD /bucket/k -H 'Authorization: Bearer good'
  assert_eq "$code" 404
  azure HEAD /bucket/k -H 'Authorization: Bearer old'
  assert_eq "$code $(header x-ms-error-code)" "401 InvalidAuthenticationInfo"
  azure HEAD /bucket/k -H 'Authorization: Bearer bad'
  assert_eq "$code $(header x-ms-error-code)" "401 InvalidAuthenticationInfo"
  sas='sv=2024-11-04&ss=b&srt=o&sp=r&se=2200-01-01&sig=AAAA'
  azure HEAD "/bucket/k?$sas"
  assert_eq "$code $(header x-ms-error-code)" "403 AuthenticationFailed"
}
