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

@test "a badly signed request begins, completes and aborts nothing" {
  UNSIGNED_OK=1
  WITH=signed
  start_cloud
  create /bucket/k
  part /bucket/k 1 "$(new_file 5)"
  SECRET=wrong complete /bucket/k "$(listed 1 "$etag")"
  assert_eq "$code $(error_code)" "403 SignatureDoesNotMatch"
  SECRET=wrong signed DELETE "/bucket/k?uploadId=$id"
  assert_eq "$code $(error_code)" "403 SignatureDoesNotMatch"
  SECRET=wrong part /bucket/k 2 file-5
  assert_eq "$code $(upload_parts "$id" | wc -l)" "403 1"
  SECRET=wrong signed POST '/bucket/k?uploads='
  assert_eq "$code $(uploads)" "403 $id"
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

@test "the list of a completion is checked: order, parts, sizes, XML" {
  local big small xml
  small
  create /bucket/k
  part /bucket/k 1 "$(new_file 10)"
  big=$etag
  part /bucket/k 2 "$(new_file 9)"
  small=$etag
  part /bucket/k 3 "$(new_file 10)"
  complete /bucket/k "$(listed 2 "$small")$(listed 1 "$big")"
  assert_eq "$code $(error_code)" "400 InvalidPartOrder"
  complete /bucket/k "$(listed 1 "$big")$(listed 1 "$big")"
  assert_eq "$code $(error_code)" "400 InvalidPartOrder"
  complete /bucket/k "$(listed 1 "$small")"
  assert_eq "$code $(error_code)" "400 InvalidPart"
  complete /bucket/k "$(listed 1 "$big")$(listed 4 "$big")"
  assert_eq "$code $(error_code) $(element PartNumber)" "400 InvalidPart 4"
  complete /bucket/k "$(listed 1 "$big")$(listed 2 "$small")$(listed 3 "$big")"
  assert_eq "$code $(error_code) $(element ProposedSize) $(element MinSizeAllowed)" \
    "400 EntityTooSmall 9 10"
  for xml in '' '<Part>' '<Part><PartNumber>1</PartNumber></Part>' '<x/>' \
    "$(listed one "$big")"; do
    complete /bucket/k "$xml"
    assert_eq "$code $(error_code)" "400 MalformedXML"
  done
  complete /bucket/k "$(listed 1 "$big")" -H 'Content-Type: application/x-www-form-urlencoded'
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  complete /bucket/k "$(listed 1 "$big")" -H 'x-amz-mp-object-size: 11'
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  assert_eq "$(uploads)" "$id"
  # ETags without quotes and with entities, a namespace, parts left out
  printf '%s' '<?xml version="1.0"?><CompleteMultipartUpload' \
    ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' \
    "$(listed 1 "&quot;${big//\"/}&quot;")$(listed 2 "${small//\"/}")" \
    '</CompleteMultipartUpload>' >list.xml
  PAYLOAD=list.xml plain POST "/bucket/k?uploadId=$id" -H 'x-amz-mp-object-size: 19'
  assert_eq "$code $(uploads)" "200 "
}

@test "parts have limits of size and number" {
  start_cloud --anonymous '{"max_part": 10, "max_parts": 2, "require_checksum": true}'
  create /bucket/k
  part /bucket/k 1 "$(new_file 11)" -H "Content-MD5: $(openssl md5 -binary file-11 | base64)"
  assert_eq "$code $(error_code)" "400 EntityTooLarge"
  part /bucket/k 3 "$(new_file 10)"
  assert_eq "$code $(error_code)" "400 InvalidArgument"
  part /bucket/k 0 file-10
  assert_eq "$code $(error_code)" "400 InvalidArgument"
  part /bucket/k 1 file-10
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  part /bucket/k 1 file-10 -H 'Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg=='
  assert_eq "$code $(error_code)" "400 BadDigest"
  part /bucket/k 1 file-10 -H 'x-amz-content-sha256: '"$(sha256sum <file-11 | cut -d' ' -f1)"
  assert_eq "$code $(error_code)" "400 XAmzContentSHA256Mismatch"
  assert_eq "$(upload_parts "$id")" ""
  part /bucket/k 2 file-10 -H "Content-MD5: $(openssl md5 -binary file-10 | base64)"
  assert_eq "$code" 200
  assert_eq "$(upload_parts "$id")" "2 10 $(sha256sum <file-10 | cut -d' ' -f1)"
}

@test "a completion has conditions" {
  local kept
  small
  seed_object bucket k "$(new_file 3)"
  plain HEAD /bucket/k
  kept=$(header etag)
  create /bucket/k
  part /bucket/k 1 "$(new_file 20)"
  complete /bucket/k "$(listed 1 "$etag")" -H 'If-None-Match: *'
  assert_eq "$code $(error_code)" "412 PreconditionFailed"
  complete /bucket/k "$(listed 1 "$etag")" -H 'If-Match: "other"'
  assert_eq "$code $(error_code)" "412 PreconditionFailed"
  assert_same file-3 "$(stored_object bucket k)"
  complete /bucket/k "$(listed 1 "$etag")" -H "If-Match: $kept"
  assert_eq "$code" 200
  create /bucket/new
  part /bucket/new 1 file-20
  complete /bucket/new "$(listed 1 "$etag")" -H 'If-None-Match: *'
  assert_same file-20 "$(stored_object bucket new)"
}

@test "a completion said twice is answered again, or not, as the scenario says" {
  local again answer
  new_file 20 >/dev/null
  for again in 200 404 412; do
    start_cloud --anonymous "{\"complete_again\": $again}"
    create /bucket/k
    part /bucket/k 1 file-20
    complete /bucket/k "$(listed 1 "$etag")" -H 'If-None-Match: *'
    assert_eq "$code" 200
    answer=$(element ETag)
    complete /bucket/k "$(listed 1 "$etag")" -H 'If-None-Match: *'
    assert_eq "$code" "$again"
    [ "$again" != 200 ] || assert_eq "$(element ETag)" "$answer"
  done
  assert_eq "$(error_code)" PreconditionFailed
  complete /bucket/k "$(listed 1 "$etag")"
  assert_eq "$code" 200
  complete /bucket/k "$(listed 2 "$etag")"
  assert_eq "$code $(error_code)" "400 InvalidPart"
}

# sum_of FILE: its SHA-256 in base64.
sum_of() { openssl dgst -sha256 -binary "$1" | base64; }

@test "checksums of parts: announced, checked, named again, and their own checksum" {
  local one two whole
  small
  new_file 20 a >/dev/null
  new_file 30 b >/dev/null
  create /bucket/k -H 'x-amz-checksum-algorithm: SHA256'
  assert_eq "$(header x-amz-checksum-algorithm) $(header x-amz-checksum-type)" \
    "SHA256 COMPOSITE"
  part /bucket/k 1 a
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  part /bucket/k 1 a -H "x-amz-checksum-sha256: $(sum_of b)"
  assert_eq "$code $(error_code)" "400 BadDigest"
  part /bucket/k 1 a -H "x-amz-checksum-sha256: $(sum_of a)"
  assert_eq "$code $(header x-amz-checksum-sha256)" "200 $(sum_of a)"
  one=$etag
  part /bucket/k 2 b -H "x-amz-checksum-sha256: $(sum_of b)"
  two=$etag
  plain GET "/bucket/k?uploadId=$id"
  assert_eq "$(element ChecksumSHA256)" "$(sum_of a)
$(sum_of b)"
  complete /bucket/k "$(listed 1 "$one")$(listed 2 "$two")"
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  complete /bucket/k "$(listed 1 "$one" "<ChecksumSHA256>$(sum_of b)</ChecksumSHA256>")"
  assert_eq "$code $(error_code)" "400 InvalidPart"
  complete /bucket/k "$(listed 1 "$one" "<ChecksumSHA256>$(sum_of a)</ChecksumSHA256>
    ")$(listed 2 "$two" "<ChecksumSHA256>$(sum_of b)</ChecksumSHA256>")"
  for whole in a b; do openssl dgst -sha256 -binary $whole; done >sums
  assert_eq "$code $(element ChecksumSHA256) $(element ChecksumType)" \
    "200 $(sum_of sums)-2 COMPOSITE"
  plain HEAD /bucket/k -H 'x-amz-checksum-mode: ENABLED'
  assert_eq "$(header x-amz-checksum-sha256) $(header x-amz-checksum-type)" \
    "$(sum_of sums)-2 COMPOSITE"
}

@test "checksums of the whole come from those of the parts" {
  local name one two
  small
  new_file 20 a >/dev/null
  new_file 1000 b >/dev/null
  cat a b >whole
  for name in crc32 crc32c crc64nvme; do
    create /bucket/k -H "x-amz-checksum-algorithm: ${name^^}" -H 'x-amz-checksum-type: FULL_OBJECT'
    part /bucket/k 1 a
    one=$etag
    part /bucket/k 2 b -H "x-amz-checksum-$name: $(crc_of $name b)"
    two=$etag
    complete /bucket/k "$(listed 1 "$one")$(listed 2 "$two")" \
      -H "x-amz-checksum-$name: $(crc_of $name a)"
    assert_eq "$code $(error_code)" "400 BadDigest"
    complete /bucket/k "$(listed 1 "$one")$(listed 2 "$two")" \
      -H "x-amz-checksum-$name: $(crc_of $name whole)" -H 'x-amz-checksum-type: FULL_OBJECT'
    assert_eq "$code $(element "Checksum${name^^}")" "200 $(crc_of $name whole)"
  done
  create /bucket/k
  part /bucket/k 1 a -H "x-amz-checksum-sha256: $(sum_of a)"
  assert_eq "$code $(error_code)" "400 InvalidRequest"
  create /bucket/k -H 'x-amz-checksum-algorithm: SHA256' -H 'x-amz-checksum-type: FULL_OBJECT'
  assert_eq "$code $(error_code)" "400 InvalidRequest"
}

# crc_of ALGORITHM FILE
crc_of() {
  PYTHONPATH=$HARNESS_TOP/tests/cloud "$PYTHON" -B -c \
    'import sys, checksums; print(checksums.of_file(*sys.argv[1:]))' "$1" "$2"
}

@test "parts and uploads are listed page by page" {
  local n key seen='' marker=0 first
  start_cloud --anonymous '{"list_page": 2, "awkward_ids": true}'
  for key in b a b; do create "/bucket/$key"; done
  id=$(jq -rn --arg id "$id" '$id | @uri')
  for n in 7 1 3 10 5; do part /bucket/b $n "$(new_file 5)"; done
  while [ "$marker" != end ]; do
    plain GET "/bucket/b?part-number-marker=$marker&uploadId=$id&max-parts=100"
    seen+="$(element PartNumber | tr '\n' ' ')| "
    marker=$(element NextPartNumberMarker)
    [ "$(element IsTruncated)" = true ] || marker=end
  done
  assert_eq "$seen" "1 3 | 5 7 | 10 | "
  assert_eq "$(element Size) $(element ETag)" "5 $etag"
  plain GET "/bucket/b?uploadId=$id&max-parts=1"
  assert_eq "$(element PartNumber) $(element IsTruncated)" "1 true"
  plain GET '/bucket?uploads='
  first=$(element UploadId | tail -1)
  assert_eq "$(element Key | tr '\n' ' ')$(element IsTruncated)" "a b true"
  assert_eq "$(element NextUploadIdMarker)" "$first"
  plain GET "/bucket?key-marker=b&upload-id-marker=$(jq -rn --arg id "$first" '$id | @uri')&uploads="
  assert_eq "$(element Key) $(element IsTruncated)" "b false"
  assert_eq "$(element UploadId)" "$(jq -rs '.[2].upload_id' "$CLOUD_DIR/log.ndjson")"
  plain GET '/bucket?prefix=a&uploads='
  assert_eq "$(element Key)" a
  assert_eq "$(uploads | sort)" "$(jq -r 'select(.op == "create").upload_id' \
    "$CLOUD_DIR/log.ndjson" | sort)"
}

@test "rules pick an operation and a part" {
  start_cloud --anonymous '{"rules": [
    {"op": "create", "nth": 1, "store": true, "close_at": "status"},
    {"op": "part", "part": 2, "nth": 1, "s3_error": "SlowDown"},
    {"op": "part", "part": "3-4", "nth": 2, "store": true, "rst_at": "status"},
    {"op": "part", "part": 5, "abort_upload": true},
    {"op": "abort", "nth": 1, "status": 500},
    {"op": "list_uploads", "status": 501}, {"op": "list_parts", "status": 502}]}'
  create /bucket/k
  assert_eq "$curled" 52
  create /bucket/k
  assert_eq "$(uploads | wc -l) $(request 1 .op)" "2 create"
  new_file 5 >/dev/null
  part /bucket/k 1 file-5
  assert_eq "$code" 200
  part /bucket/k 2 file-5
  assert_eq "$code $(error_code)" "503 SlowDown"
  part /bucket/k 2 file-5
  part /bucket/k 3 file-5
  assert_eq "$code" 200
  part /bucket/k 4 file-5
  assert_eq "$curled" 56
  assert_eq "$(upload_parts "$id" | cut -d' ' -f1 | tr '\n' ' ')" "1 2 3 4 "
  plain DELETE "/bucket/k?uploadId=$id"
  assert_eq "$code $(uploads | wc -l)" "500 2"
  plain GET '/bucket?uploads'
  assert_eq "$code" 501
  plain GET "/bucket/k?uploadId=$id"
  assert_eq "$code" 502
  part /bucket/k 5 file-5
  assert_eq "$code $(error_code) $(uploads | wc -l)" "404 NoSuchUpload 1"
  assert_eq "$(part_requests) $(part_requests 2)" "6 2"
}

# completion RULE: an upload of one part, completed under that rule; key k.
completion() {
  start_cloud --anonymous "{\"rules\": [{\"op\": \"complete\", \"nth\": 1, $1}]}"
  create /bucket/k
  part /bucket/k 1 "$(new_file 5)"
  complete /bucket/k "$(listed 1 "$etag")"
}

@test "a completion is answered early, and white space keeps the line" {
  completion '"early_200": true, "spaces": 5'
  assert_eq "$code $(header transfer-encoding)" "200 chunked"
  assert_eq "$(head -2 body | tail -1 | cut -c1-13)" "     <Complet"
  assert_eq "$(element ETag)" "$(etag_of file-5)"
  assert_same file-5 "$(stored_object bucket k)"
  completion '"early_200": true, "spaces": 2, "space_ms": 100, "space_first": true'
  assert_eq "$(head -c 7 body)" '  <?xml'
  completion '"early_200": true, "spaces": 1000, "space_ms": 100, "close_at": 45'
  assert_eq "$curled $(tail -n 1 body)" "18       "
  completion '"early_200": true, "spaces": 8, "error_in_200": "InternalError"'
  assert_eq "$code $(error_code) $(uploads)" "200 InternalError $id"
  complete /bucket/k "$(listed 1 "$etag")"
  assert_eq "$code $(uploads)" "200 "
}

@test "a 200 that is an error, cut, empty, or never arrives" {
  completion '"error_in_200": "SlowDown", "headers": {"Retry-After": "3"}'
  assert_eq "$code $(error_code) $(header retry-after)" "200 SlowDown 3"
  run stored_object bucket k
  assert_eq "$status" 1
  completion '"error_in_200": "InternalError", "store": true'
  assert_eq "$code $(error_code)" "200 InternalError"
  assert_same file-5 "$(stored_object bucket k)"
  completion '"truncated_200": true'
  assert_eq "$curled $code $(grep -c '</CompleteMultipartUploadResult>' body)" "0 200 0"
  assert_same file-5 "$(stored_object bucket k)"
  completion '"empty_200": true'
  assert_eq "$code $(header content-length) $(uploads)" "200 0 "
  completion '"empty_200": true, "store": false'
  assert_eq "$code $(header content-length) $(uploads)" "200 0 $id"
  completion '"store": true, "close_at": "status"'
  assert_eq "$curled" 52
  complete /bucket/k "$(listed 1 "$etag")"
  assert_eq "$code $(element ETag)" "200 $(etag_of file-5)"
}

@test "bytes may be discarded: sizes and sums stay" {
  local one two name=sha256
  start_cloud --anonymous '{"discard": true, "min_part": 10}'
  new_file 100000 a >/dev/null
  new_file 300000 b >/dev/null
  PAYLOAD=a plain PUT /bucket/one -H "x-amz-checksum-$name: $(crc_of $name a)"
  assert_eq "$code $(header etag)" "200 \"$(md5sum <a | cut -d' ' -f1)\""
  assert_eq "$(stored_meta bucket one .sha256)" "$(sha256sum <a | cut -d' ' -f1)"
  assert_eq "$(stat -c '%s %b' "$(stored_object bucket one)")" "100000 0"
  create /bucket/k
  part /bucket/k 2 b
  two=$etag
  part /bucket/k 1 a
  one=$etag
  assert_eq "$(upload_parts "$id")" "1 100000 $(sha256sum <a | cut -d' ' -f1)
2 300000 $(sha256sum <b | cut -d' ' -f1)"
  complete /bucket/k "$(listed 1 "$one")$(listed 2 "$two")"
  assert_eq "$code $(element ETag)" "200 $(etag_of a b)"
  assert_eq "$(stat -c '%s %b' "$(stored_object bucket k)")" "400000 0"
  cat a b >whole
  assert_eq "$(stored_meta bucket k .crc32)" "$(crc_of crc32 whole)"
  plain HEAD /bucket/k
  assert_eq "$(header content-length)" 400000
}
