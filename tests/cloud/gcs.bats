#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# The fake cloud as Google's store, asked by curl: the XML API, and the
# resumable sessions of the JSON API.

load ../lib/harness
load curl

bats_require_minimum_version 1.5.0

UNIT=262144
JSON=/storage/v1/b/bucket/o

# google_cloud [SETTINGS]: the cloud as Google's; UNSIGNED_OK is not needed for
# bearer tokens.
google_cloud() { start_cloud "$(jq -c '. + {service: "gcs"}' <<<"${1:-{\}}")"; }

# bearer METHOD TARGET [CURL-OPTION...]
bearer() {
  local method=$1 target=$2
  shift 2
  plain "$method" "$target" -H "Authorization: Bearer ${TOKEN-ya29.ank-test-token}" "$@"
}

# hmac METHOD TARGET [CURL-OPTION...]: curl's GOOG4 signature.
hmac() {
  local method=$1 target=$2
  shift 2
  curl_signs || skip 'curl is older than 7.86'
  plain "$method" "$target" --aws-sigv4 goog:goog:auto:storage \
    -u "$TEST_KEY:${SECRET:-$TEST_SECRET}" -H \
    "x-goog-content-sha256: $(sha256sum <"${PAYLOAD:-/dev/null}" | cut -d' ' -f1)" "$@"
}

# hash_of ALG: of the last answer's x-goog-hash lines.
hash_of() { header x-goog-hash | sed -n "s/^$1=//p"; }

reason() { jq -r '.error.errors[0].reason' body; }

# session [QUERY] [CURL-OPTION...]: begins one for key k; SESSION is its target.
session() {
  local query=${1-}
  shift || true
  PAYLOAD=/dev/null bearer POST \
    "/upload$JSON?uploadType=resumable&name=k$query" "$@"
  assert_eq "$code" 200
  SESSION=$(header location)
  SESSION=${SESSION#"http://127.0.0.1:$CLOUD_PORT"}
}

# piece FIRST LAST TOTAL FILE [CURL-OPTION...]: bytes to the session.
piece() {
  local first=$1 last=$2 total=$3
  tail -c +$((first + 1)) "$4" | head -c $((last - first + 1)) >piece
  shift 4
  PAYLOAD=piece plain PUT "$SESSION" \
    -H "Content-Range: bytes $first-$last/$total" "$@"
}

# asked TOTAL: where is the session?
asked() { plain PUT "$SESSION" -H "Content-Range: bytes */$1"; }

@test "a token puts, heads, gets and deletes; hashes and generation are told" {
  local generation
  google_cloud
  new_file 70000 f >/dev/null
  PAYLOAD=f bearer PUT '/bucket/dir/a%20b%2Bc' -H 'x-goog-meta-a: b'
  assert_eq "$code" 200
  assert_same f "$(stored_object bucket 'dir/a b+c')"
  generation=$(header x-goog-generation)
  assert_eq "$(hash_of md5)" "$(openssl md5 -binary f | base64)"
  bearer HEAD '/bucket/dir/a%20b%2Bc'
  assert_eq "$code $(header x-goog-generation) $(header x-goog-meta-a)" "200 $generation b"
  assert_eq "$(header x-goog-stored-content-length)" 70000
  bearer GET '/bucket/dir/a%20b%2Bc' -r 5-9
  assert_eq "$code $(header content-range)" "206 bytes 5-9/70000"
  bearer DELETE '/bucket/dir/a%20b%2Bc'
  assert_eq "$code" 204
  bearer GET '/bucket/dir/a%20b%2Bc'
  assert_eq "$code $(error_code)" "404 NoSuchKey"
  bearer GET /nobucket/x
  assert_eq "$code $(error_code)" "404 NoSuchBucket"
}

@test "a strange or expired token is 401, none is 403; in JSON, too" {
  UNSIGNED_OK=1
  google_cloud '{"tokens": {"good": {}, "old": {"expired": true}}}'
  TOKEN=old bearer GET /bucket/k
  assert_eq "$code $(error_code)" "401 AuthenticationRequired"
  assert_contains "$(header www-authenticate)" invalid_token
  TOKEN=nobody bearer GET "$JSON/k"
  assert_eq "$code $(reason)" "401 authError"
  TOKEN=good bearer GET /bucket/k
  assert_eq "$code" 404
  plain GET /bucket/k
  assert_eq "$code $(error_code)" "403 AccessDenied"
}

@test "curl's GOOG4 and AWS4 signatures are good, another secret's are not" {
  UNSIGNED_OK=1
  google_cloud
  new_file 100 f >/dev/null
  PAYLOAD=f hmac PUT '/bucket/k?a=b' -H 'x-goog-meta-x: y'
  assert_eq "$code $(request 1 .signature)" "200 ok"
  SECRET=wrong hmac GET /bucket/k
  assert_eq "$code $(error_code)" "403 SignatureDoesNotMatch"
  grep -q '<StringToSign>GOOG4-HMAC-SHA256' body
  REGION=auto signed GET /bucket/k
  assert_eq "$code" 200
  assert_same body f
  REGION=auto signed GET /bucket/k -H 'x-goog-if-generation-match: 0'
  assert_eq "$code $(error_code)" "400 InvalidArgument"
}

@test "a wrong hash is refused, a body that is not the signed one as well" {
  google_cloud
  new_file 10 f >/dev/null
  PAYLOAD=f bearer PUT /bucket/k -H 'x-goog-hash: crc32c=AAAAAA=='
  assert_eq "$code $(error_code)" "400 BadDigest"
  PAYLOAD=f bearer PUT /bucket/k -H 'x-goog-hash: md5=1B2M2Y8AsgTpgAmY7PhCfg=='
  assert_eq "$code $(error_code)" "400 BadDigest"
  run stored_object bucket k
  assert_eq "$status" 1
  PAYLOAD=f bearer PUT /bucket/k
  PAYLOAD=f bearer PUT /bucket/l -H "x-goog-hash: crc32c=$(hash_of crc32c)"
  assert_eq "$code" 200
}

@test "conditions are on generations, 0 for none; never in an upload of parts" {
  local generation
  google_cloud
  new_file 10 f >/dev/null
  PAYLOAD=f bearer PUT /bucket/k -H 'x-goog-if-generation-match: 0'
  assert_eq "$code" 200
  generation=$(header x-goog-generation)
  PAYLOAD=f bearer PUT /bucket/k -H 'x-goog-if-generation-match: 0'
  assert_eq "$code $(error_code)" "412 PreconditionFailed"
  bearer GET /bucket/k -H 'x-goog-if-generation-match: 1'
  assert_eq "$code" 412
  bearer GET "/bucket/k?generation=$generation"
  assert_eq "$code" 200
  bearer GET "/bucket/k?generation=5"
  assert_eq "$code" 404
  PAYLOAD=f bearer PUT /bucket/k -H "x-goog-if-generation-match: $generation"
  assert_eq "$code" 200
  bearer POST '/bucket/p?uploads' -H 'x-goog-if-generation-match: 0'
  assert_eq "$code $(error_code)" "400 NotImplemented"
}

@test "an upload in parts, and it overwrites" {
  local id
  google_cloud '{"min_part": 1}'
  new_file 10 f >/dev/null
  bearer POST '/bucket/k?uploads'
  id=$(element UploadId)
  PAYLOAD=f bearer PUT "/bucket/k?partNumber=1&uploadId=$id"
  PAYLOAD=f bearer PUT "/bucket/k?partNumber=2&uploadId=$id"
  printf '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>%s</ETag></Part><Part><PartNumber>2</PartNumber><ETag>%s</ETag></Part></CompleteMultipartUpload>' \
    "$(header etag)" "$(header etag)" >list
  PAYLOAD=list bearer POST "/bucket/k?uploadId=$id"
  assert_eq "$code" 200
  bearer HEAD /bucket/k
  assert_eq "$(header content-length) $(hash_of md5)" "20 "
  [ -n "$(hash_of crc32c)" ]
}

@test "what is stored packed comes unpacked, unless gzip is asked for" {
  google_cloud
  new_file 1000 f >/dev/null
  gzip -c f >f.gz
  PAYLOAD=f.gz bearer PUT /bucket/k -H 'Content-Encoding: gzip'
  bearer GET /bucket/k -r 0-9
  assert_eq "$code" 200
  assert_same body f
  assert_eq "$(header x-goog-stored-content-encoding)" gzip
  assert_eq "$(header x-goog-stored-content-length)" "$(wc -c <f.gz)"
  bearer GET /bucket/k -H 'Accept-Encoding: gzip'
  assert_same body f.gz
  bearer GET /bucket/k -H 'Accept-Encoding: gzip' -r 0-9
  assert_eq "$code" 206
}

@test "one write a second" {
  google_cloud '{"rate_limit": true, "clock": {"now": 1700000000}}'
  new_file 10 f >/dev/null
  PAYLOAD=f bearer PUT /bucket/k
  assert_eq "$code" 200
  PAYLOAD=f bearer PUT /bucket/k
  assert_eq "$code $(error_code)" "429 SlowDown"
  PAYLOAD=f bearer PUT /bucket/other
  assert_eq "$code" 200
}

@test "the errors of a scenario come in Google's words" {
  google_cloud '{"rules": [{"nth": 1, "s3_error": "SlowDown"},
    {"nth": 2, "s3_error": "SlowDown"}, {"nth": 3, "s3_error": "ExpiredToken"}]}'
  bearer GET /bucket/k
  assert_eq "$code $(error_code)" "429 SlowDown"
  bearer GET "$JSON/k"
  assert_eq "$code $(reason)" "429 rateLimitExceeded"
  bearer GET /bucket/k
  assert_eq "$code $(error_code)" "401 AuthenticationRequired"
}

@test "JSON: a simple upload, its description, its bytes, its condition" {
  google_cloud
  new_file 1000 f >/dev/null
  PAYLOAD=f bearer POST "/upload$JSON?uploadType=media&name=a%2Fb&ifGenerationMatch=0"
  assert_eq "$code $(jq -r '"\(.name) \(.size) \(.contentType)"' body)" "200 a/b 1000 text/plain"
  assert_eq "$(jq -r .md5Hash body)" "$(openssl md5 -binary f | base64)"
  PAYLOAD=f bearer POST "/upload$JSON?uploadType=media&name=a%2Fb&ifGenerationMatch=0"
  assert_eq "$code $(reason)" "412 conditionNotMet"
  bearer GET "$JSON/a%2Fb"
  assert_eq "$(jq -r .size body)" 1000
  bearer GET "$JSON/a%2Fb?alt=media"
  assert_same body f
  bearer GET "$JSON/no"
  assert_eq "$code $(reason)" "404 notFound"
  bearer DELETE "$JSON/a%2Fb?ifGenerationMatch=1"
  assert_eq "$code" 412
  bearer DELETE "$JSON/a%2Fb"
  assert_eq "$code" 204
}

@test "a session keeps pieces in order and ends with the object" {
  google_cloud
  new_file $((2 * UNIT + 5)) f >/dev/null
  session '&ifGenerationMatch=0' -H 'X-Upload-Content-Type: text/x'
  asked $((2 * UNIT + 5))
  assert_eq "$code $(header range)" "308 "
  piece 0 $((UNIT - 1)) $((2 * UNIT + 5)) f
  assert_eq "$code $(header range)" "308 bytes=0-$((UNIT - 1))"
  piece $((2 * UNIT)) $((2 * UNIT + 4)) $((2 * UNIT + 5)) f
  assert_eq "$code" 400
  piece $UNIT $((UNIT + 9)) $((2 * UNIT + 5)) f
  assert_eq "$code" 400
  piece $UNIT $((2 * UNIT + 4)) $((2 * UNIT + 5)) f
  assert_eq "$code $(jq -r .contentType body)" "200 text/x"
  assert_same f "$(stored_object bucket k)"
  asked $((2 * UNIT + 5))
  assert_eq "$code $(jq -r .name body)" "200 k"
}

@test "a session keeps less than was sent, or nothing" {
  google_cloud '{"rules": [{"op": "complete", "nth": 1, "persist": 300000},
    {"op": "complete", "nth": 2, "persist": 0}]}'
  new_file $((3 * UNIT)) f >/dev/null
  session
  piece 0 $((3 * UNIT - 1)) $((3 * UNIT)) f
  assert_eq "$code $(header range)" "308 bytes=0-$((UNIT - 1))"
  piece $UNIT $((3 * UNIT - 1)) $((3 * UNIT)) f
  assert_eq "$code $(header range)" "308 bytes=0-$((UNIT - 1))"
  piece $UNIT $((3 * UNIT - 1)) $((3 * UNIT)) f
  assert_eq "$code" 200
  assert_same f "$(stored_object bucket k)"
}

@test "a connection that breaks in a piece leaves whole units behind" {
  google_cloud "{\"rules\": [{\"op\": \"complete\", \"nth\": 1, \"store\": true,
    \"close_at\": \"request:$((2 * UNIT + 100))\"}]}"
  new_file $((4 * UNIT)) f >/dev/null
  session
  piece 0 $((4 * UNIT - 1)) $((4 * UNIT)) f
  [ "$curled" != 0 ]
  asked $((4 * UNIT))
  assert_eq "$code $(header range)" "308 bytes=0-$((2 * UNIT - 1))"
}

@test "the last answer is lost, and the session tells it again" {
  google_cloud '{"rules": [{"op": "complete", "nth": 1, "store": true, "close_at": "status"}]}'
  new_file 10 f >/dev/null
  session
  piece 0 9 10 f
  [ "$curled" != 0 ]
  asked 10
  assert_eq "$code $(jq -r .size body)" "200 10"
}

@test "the condition of a session is looked at when it ends" {
  google_cloud
  new_file 10 f >/dev/null
  session '&ifGenerationMatch=0'
  PAYLOAD=f bearer PUT /bucket/k
  piece 0 9 10 f
  assert_eq "$code $(reason)" "412 conditionNotMet"
}

@test "a session that is gone, is dropped, or is empty; a hash that is wrong" {
  google_cloud '{"dead_session": 410, "rules": [{"op": "part", "nth": 1, "abort_upload": true}]}'
  new_file $((2 * UNIT)) f >/dev/null
  session
  piece 0 $((UNIT - 1)) $((2 * UNIT)) f
  assert_eq "$code" 410
  session
  plain DELETE "$SESSION"
  assert_eq "$code" 499
  asked 10
  assert_eq "$code" 410
  session
  asked 0
  assert_eq "$code $(jq -r .size body)" "200 0"
  session
  piece 0 9 10 f -H 'X-Goog-Hash: crc32c=AAAAAA=='
  assert_eq "$code $(reason)" "400 invalid"
}
