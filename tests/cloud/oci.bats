#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The fake cloud as OCI Object Storage, asked by curl with openssl's signatures.
# shellcheck disable=SC2154,SC2034 # code is set by oci, UNSIGNED_OK is read by the harness

load ../lib/harness
load oci

o=/n/anknamespace/b/bucket/o
u=/n/anknamespace/b/bucket/u

# cloud [MEMBERS]: a scenario of these members beside the service.
cloud() {
  start_cloud "{\"service\": \"oci\"${1:+, $1}}"
}

@test "an object is stored, described and given back" {
  cloud
  printf hello >hello
  PAYLOAD=hello oci PUT "$o/a%2Fb%20c" -H 'opc-meta-note: v 1' \
    -H 'storage-tier: InfrequentAccess'
  assert_eq "$code" 200
  assert_eq "$(header opc-content-md5)" XUFAKrxLKna5cZ2REBfFkg==
  local etag
  etag=$(header etag)
  [[ $etag =~ ^[0-9a-f-]{36}$ ]]
  oci GET "$o/a/b%20c"
  assert_eq "$code $(<body)" '200 hello'
  assert_eq "$(header etag)" "$etag"
  assert_eq "$(header content-md5)" XUFAKrxLKna5cZ2REBfFkg==
  assert_eq "$(header opc-meta-note)" 'v 1'
  assert_eq "$(header storage-tier)" InfrequentAccess
  [ -n "$(header opc-request-id)" ]
  oci HEAD "$o/a/b%20c"
  assert_eq "$code $(header content-length)" '200 5'
  oci GET "$o/a/b%20c" -H 'Range: bytes=1-2'
  assert_eq "$code $(<body) $(header content-range)" '206 el bytes 1-2/5'
  oci GET "$o/a/b%20c" -H 'Range: bytes=5-'
  answers '416 InvalidRange'
  oci DELETE "$o/a/b%20c"
  assert_eq "$code" 204
  oci DELETE "$o/a/b%20c"
  answers '404 ObjectNotFound'
}

@test "what is not there has a code of its own" {
  cloud
  oci GET "$o/none"
  answers '404 ObjectNotFound'
  oci GET /n/anknamespace/b/other/o/none
  answers '404 BucketNotFound'
  oci GET /n/other/b/bucket/o/none
  answers '404 NamespaceNotFound'
  oci GET /n
  assert_eq "$code $(<body)" '200 "anknamespace"'
}

@test "conditions are looked at" {
  cloud
  printf hello >hello
  PAYLOAD=hello oci PUT "$o/k" -H 'if-none-match: *'
  assert_eq "$code" 200
  local etag
  etag=$(header etag)
  PAYLOAD=hello oci PUT "$o/k" -H 'if-none-match: *'
  answers '412 IfNoneMatchFailed'
  PAYLOAD=hello oci PUT "$o/k" -H 'if-match: other'
  answers '412 IfMatchFailed'
  PAYLOAD=hello oci PUT "$o/none" -H 'if-match: other'
  answers '412 IfMatchFailed'
  oci GET "$o/k" -H 'if-match: other'
  answers '412 IfMatchFailed'
  oci GET "$o/k" -H "if-none-match: $etag"
  assert_eq "$code" 304
  PAYLOAD=hello oci PUT "$o/k" -H "if-match: $etag"
  assert_eq "$code" 200
  assert_eq "$(jq -r .op "$CLOUD_DIR/log.ndjson" | sort -u | tr '\n' ' ')" 'get put '
}

@test "bytes that differ from their MD5 are refused" {
  cloud
  printf hello >hello
  PAYLOAD=hello oci PUT "$o/k" -H 'Content-MD5: XUFAKrxLKna5cZ2REBfFkg=='
  assert_eq "$code" 200
  PAYLOAD=hello oci PUT "$o/k2" -H 'Content-MD5: AAAAKrxLKna5cZ2REBfFkg=='
  answers '400 UnmatchedContentMD5'
  [ ! -e "$CLOUD_DIR/objects/$(object_id bucket k2)" ]
}

@test "a signature that is wrong, late or thin is refused" {
  UNSIGNED_OK=1
  cloud '"oci_sessions": {"good": {}, "old": {"expired": true}}'
  oci GET /n
  assert_eq "$code" 200
  LINES='date host' oci GET /n
  answers '401 NotAuthenticated'
  LINES='(request-target) host' oci GET /n
  answers '401 NotAuthenticated'
  DATE=$(date -uR -d '-310 sec' | sed 's/+0000/GMT/') oci GET /n
  answers '401 NotAuthenticated'
  DATE=$(date -uR -d '+310 sec' | sed 's/+0000/GMT/') oci GET /n
  answers '401 NotAuthenticated'
  DATE=$(date -uR -d '-290 sec' | sed 's/+0000/GMT/') oci GET /n
  assert_eq "$code" 200
  oci GET "$o?prefix=a%2Fb"
  answers '401 NotAuthenticated'
  KEY_ID=other oci GET /n
  answers '401 NotAuthenticated'
  # shellcheck disable=SC2016 # the dollar is the prefix of a session
  KEY_ID='ST$good' oci GET /n
  assert_eq "$code" 200
  # shellcheck disable=SC2016
  KEY_ID='ST$old' oci GET /n
  answers '401 NotAuthenticated'
  printf '{"object": "k"}' >json
  LINES='date (request-target) host' PAYLOAD=json oci POST "$u"
  answers '401 NotAuthenticated'
  openssl genrsa -traditional 2048 >oci.pem 2>/dev/null
  oci GET /n
  answers '401 NotAuthenticated'
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | sort -u | tr '\n' ' ')" \
    'ExpiredToken InvalidAccessKeyId InvalidRequest RequestTimeTooSkewed SignatureDoesNotMatch ok '
}

# part N FILE: stores a part; its ETag is in etag.
part() {
  PAYLOAD=$2 oci PUT "$u/big%20one?uploadId=$id&uploadPartNum=$1"
  assert_eq "$code" 200
  etag=$(header etag)
}

begin() {
  printf '{"object": "big one", "contentType": "text/x", "metadata": {"opc-meta-a": "b"}}' >json
  PAYLOAD=json oci POST "$u" "$@"
  id=$(jq -r .uploadId body)
}

@test "an upload in parts becomes an object, whole" {
  cloud '"min_part": 1, "list_page": 1'
  printf aaa >a
  printf bb >b
  begin -H 'if-none-match: *'
  assert_eq "$code $(jq -r '"\(.namespace) \(.bucket) \(.object)"' body)" \
    '200 anknamespace bucket big one'
  part 1 b
  part 1 a
  local first=$etag
  part 3 b
  oci GET "$u/big%20one?uploadId=$id"
  assert_eq "$(jq -c 'map([.partNumber, .size, .md5])' body) $(header opc-next-page)" \
    "[[1,3,\"$(openssl md5 -binary a | base64)\"]] page-1"
  oci GET "$u/big%20one?uploadId=$id&page=page-1"
  assert_eq "$(jq -c 'map(.partNumber)' body)$(header opc-next-page)" '[3]'
  printf '{"partsToCommit": [{"partNum": 1, "etag": "%s"}, {"partNum": 3, "etag": "%s"}]}' \
    "$first" x >commit
  PAYLOAD=commit oci POST "$u/big%20one?uploadId=$id"
  answers '400 InvalidUploadPart'
  printf '{"partsToCommit": [{"partNum": 1, "etag": "%s"}]}' "$first" >commit
  PAYLOAD=commit oci POST "$u/big%20one?uploadId=$id"
  answers '400 InvalidUploadPart'
  [ ! -e "$CLOUD_DIR/objects/$(object_id bucket 'big one')" ]
  printf '{"partsToCommit": [{"partNum": 1, "etag": "%s"}, {"partNum": 3, "etag": "%s"}]}' \
    "$first" "$etag" >commit
  PAYLOAD=commit oci POST "$u/big%20one?uploadId=$id"
  assert_eq "$code" 200
  local sum
  sum=$({ openssl md5 -binary a; openssl md5 -binary b; } | openssl md5 -binary | base64)-2
  assert_eq "$(header opc-multipart-md5)" "$sum"
  oci GET "$o/big%20one"
  assert_eq "$(<body) $(header content-type) $(header opc-meta-a)" 'aaabb text/x b'
  assert_eq "$(header opc-multipart-md5)$(header content-md5)" "$sum"
  PAYLOAD=commit oci POST "$u/big%20one?uploadId=$id"
  answers '404 UploadNotFound'
  begin -H 'if-none-match: *'
  answers '412 IfNoneMatchFailed'
}

@test "an upload in parts is dropped" {
  cloud
  printf aaa >a
  begin
  part 1 a
  oci DELETE "$u/big%20one?uploadId=$id"
  assert_eq "$code" 204
  oci DELETE "$u/big%20one?uploadId=$id"
  answers '404 UploadNotFound'
  assert_eq "$(uploads)" ''
}

@test "a scenario speaks of S3's codes, and gets this service's" {
  cloud '"rules": [{"op": "get", "nth": 1, "s3_error": "SlowDown", "headers": {"Retry-After": "2"}},
    {"op": "get", "nth": 2, "s3_error": "InternalError"},
    {"op": "get", "nth": 3, "s3_error": "IncorrectState"},
    {"op": "namespace", "status": 503}]'
  oci GET "$o/k"
  answers '429 TooManyRequests'
  assert_eq "$(header retry-after)" 2
  oci GET "$o/k"
  answers '500 InternalServerError'
  oci GET "$o/k"
  answers '409 IncorrectState'
  oci GET /n
  assert_eq "$code" 503
}
