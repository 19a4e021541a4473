#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034,SC2030,SC2031
# SPDX-License-Identifier: MIT
# The fake cloud as curl sees it: what S3 says, the signature check, the log.

load ../lib/harness
load curl

bats_require_minimum_version 1.5.0

@test "the cloud's signatures and checksums are those others published" {
  "$PYTHON" "$HARNESS_TOP/tests/cloud/check_vectors.py" "$HARNESS_TOP/tests/vectors"
}

@test "what curl puts, curl gets, byte for byte" {
  start_cloud
  PAYLOAD=$(new_file 300000) signed PUT /bucket/dir/key -H 'x-amz-meta-a: b'
  assert_eq "$code" 200
  assert_same file-300000 "$(stored_object bucket dir/key)"
  assert_eq "$(header etag)" "\"$(md5sum <file-300000 | cut -d' ' -f1)\""
  signed GET /bucket/dir/key
  assert_eq "$code" 200
  assert_same body file-300000
  assert_eq "$(header x-amz-meta-a)" b
  assert_eq "$(header content-type)" text/plain
  signed HEAD /bucket/dir/key
  assert_eq "$code $(header content-length)" "200 300000"
  signed DELETE /bucket/dir/key
  assert_eq "$code" 204
  assert_eq "$(requests) $(requests put) $(requests get) $(requests head)" "4 1 1 1"
  assert_eq "$(request 1 .body_len)" 300000
  assert_eq "$(request 1 .body_sha256)" "$(sha256sum <file-300000 | cut -d' ' -f1)"
  assert_eq "$(request 1 .signature)" ok
  assert_eq "$(request_header 1 X-AMZ-META-A)" b
  assert_careful
  run request_header 1 absent
  assert_eq "$status" 1
}

@test "a 0-byte object and a seeded object come back" {
  start_cloud --anonymous
  plain PUT /bucket/empty
  assert_eq "$code" 200
  plain GET /bucket/empty
  assert_eq "$code $(header content-length) $(wc -c <body)" "200 0 0"
  seed_object bucket 'a b/ü' "$(new_file 10)" '{"headers": {"x-amz-meta-k": "v"}}'
  plain GET /bucket/a%20b/%C3%BC
  assert_same body file-10
  assert_eq "$(header x-amz-meta-k)" v
}

@test "keys are kept byte for byte" {
  local raw key
  start_cloud --anonymous
  for raw in //x /a//b /a/ /./a /a/../b /.. /%3F /%23 /%2B /a%25 '/a%3Db%26c' /%21%27%28%29%2A /~; do
    printf '%s' "$raw" >payload
    PAYLOAD=payload plain PUT "/bucket$raw"
    assert_eq "$raw $code" "$raw 200"
    key=$(printf '%b' "${raw//%/\\x}")
    assert_same payload "$(stored_object bucket "${key#/}")"
  done
  assert_eq "$(jq -r 'select(.canonical | not) | .target' "$CLOUD_DIR/log.ndjson")" ""
}

@test "ranges: 206, open ends, suffixes, 416" {
  start_cloud --anonymous
  seed_object bucket k "$(new_file 100)"
  plain GET /bucket/k -H 'Range: bytes=10-19'
  assert_eq "$code $(header content-range)" "206 bytes 10-19/100"
  assert_eq "$(od -An -v -tx1 body)" "$(tail -c +11 file-100 | head -c 10 | od -An -v -tx1)"
  plain GET /bucket/k -H 'Range: bytes=90-'
  assert_eq "$code $(header content-range)" "206 bytes 90-99/100"
  plain GET /bucket/k -H 'Range: bytes=-5'
  assert_eq "$code $(header content-range)" "206 bytes 95-99/100"
  plain GET /bucket/k -H 'Range: bytes=100-'
  assert_eq "$code $(error_code)" "416 InvalidRange"
  plain GET /bucket/k -H 'Range: lines=1-2'
  assert_eq "$code" 200
}

@test "conditions: If-Match, If-None-Match, on reads and on writes" {
  local etag
  start_cloud --anonymous
  seed_object bucket k "$(new_file 100)"
  plain HEAD /bucket/k
  etag=$(header etag)
  plain GET /bucket/k -H "If-Match: $etag"
  assert_eq "$code" 200
  plain GET /bucket/k -H 'If-Match: "other"'
  assert_eq "$code $(error_code)" "412 PreconditionFailed"
  plain GET /bucket/k -H "If-None-Match: $etag"
  assert_eq "$code $(wc -c <body)" "304 0"
  plain HEAD /bucket/k -H 'If-Match: "other"'
  assert_eq "$code" 412
  PAYLOAD=file-100 plain PUT /bucket/k -H 'If-None-Match: *'
  assert_eq "$code" 412
  PAYLOAD=file-100 plain PUT /bucket/new -H 'If-None-Match: *'
  assert_eq "$code" 200
  PAYLOAD=file-100 plain PUT /bucket/k -H 'If-Match: "other"'
  assert_eq "$code" 412
  PAYLOAD=file-100 plain PUT /bucket/absent -H 'If-Match: "other"'
  assert_eq "$code $(error_code)" "404 NoSuchKey"
}

@test "what is absent: key, bucket, version; a HEAD has no body" {
  start_cloud --anonymous
  plain GET /bucket/no
  assert_eq "$code $(error_code)" "404 NoSuchKey"
  plain GET /nobucket/no
  assert_eq "$code $(error_code)" "404 NoSuchBucket"
  plain HEAD /bucket/no
  assert_eq "$code $(wc -c <body)" "404 $(wc -c <reply)"
  seed_object bucket k "$(new_file 1)"
  plain GET '/bucket/k?versionId=nope'
  assert_eq "$code $(error_code)" "404 NoSuchVersion"
  plain GET '/bucket/k?versionId=null'
  assert_eq "$code" 200
  plain HEAD /bucket/
  assert_eq "$code $(header x-amz-bucket-region)" "200 us-east-1"
}

@test "versions are kept when the scenario wants them" {
  local first
  start_cloud --anonymous '{"versioning": true}'
  PAYLOAD=$(new_file 5) plain PUT /bucket/k
  first=$(header x-amz-version-id)
  PAYLOAD=$(new_file 6) plain PUT /bucket/k
  plain GET "/bucket/k?versionId=$first"
  assert_same body file-5
  plain GET /bucket/k
  assert_same body file-6
}

@test "checksums are checked, kept and given on request" {
  local b64
  start_cloud --anonymous
  new_file 1000 f >/dev/null
  PAYLOAD=f plain PUT /bucket/k -H 'Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg=='
  assert_eq "$code $(error_code)" "400 BadDigest"
  PAYLOAD=f plain PUT /bucket/k -H 'Content-MD5: nonsense'
  assert_eq "$code $(error_code)" "400 InvalidDigest"
  PAYLOAD=f plain PUT /bucket/k -H 'x-amz-checksum-crc32c: AAAAAA=='
  assert_eq "$code $(error_code)" "400 BadDigest"
  run stored_object bucket k
  assert_eq "$status" 1
  b64=$(openssl dgst -sha256 -binary f | base64)
  PAYLOAD=f plain PUT /bucket/k -H "x-amz-checksum-sha256: $b64"
  assert_eq "$code $(header x-amz-checksum-sha256)" "200 $b64"
  plain GET /bucket/k
  assert_eq "$(header x-amz-checksum-sha256)" ""
  plain HEAD /bucket/k -H 'x-amz-checksum-mode: ENABLED'
  assert_eq "$(header x-amz-checksum-sha256)" "$b64"
}

@test "a body that is not the signed one is refused" {
  start_cloud --anonymous
  PAYLOAD=$(new_file 3) plain PUT /bucket/k \
    -H "x-amz-content-sha256: $(printf other | sha256sum | cut -d' ' -f1)"
  assert_eq "$code $(error_code)" "400 XAmzContentSHA256Mismatch"
}

@test "KMS gives an ETag that is no MD5, and gives its headers back" {
  start_cloud --anonymous
  PAYLOAD=$(new_file 9) plain PUT /bucket/k -H 'x-amz-server-side-encryption: aws:kms'
  assert_eq "$(header x-amz-server-side-encryption)" aws:kms
  [ "$(header etag)" != "\"$(md5sum <file-9 | cut -d' ' -f1)\"" ]
  plain HEAD /bucket/k
  assert_eq "$(header x-amz-server-side-encryption)" aws:kms
}

@test "a wrong secret is told the canonical request and the string to sign" {
  UNSIGNED_OK=1
  start_cloud
  SECRET=wrong signed GET /bucket/k
  assert_eq "$code $(error_code)" "403 SignatureDoesNotMatch"
  grep -q '<CanonicalRequest>GET' body
  grep -q '<StringToSign>AWS4-HMAC-SHA256' body
  KEY=AKIDNOBODY signed GET /bucket/k
  assert_eq "$code $(error_code)" "403 InvalidAccessKeyId"
  signed GET /bucket/k -H 'x-amz-security-token: unasked'
  assert_eq "$code $(error_code)" "400 InvalidToken"
  run -22 curl -sf "$CLOUD_URL/bucket/k"
  assert_eq "$(request 4 .signature)" AccessDenied
}

@test "a session token is wanted, and may have expired" {
  UNSIGNED_OK=1
  start_cloud '{"keys": {
    "AKIDFRESH": {"secret": "s", "token": "t"},
    "AKIDSTALE": {"secret": "s", "token": "t", "expired": true}}}'
  seed_object bucket k "$(new_file 1)"
  SECRET=s KEY=AKIDFRESH signed GET /bucket/k -H 'x-amz-security-token: t'
  assert_eq "$code" 200
  SECRET=s KEY=AKIDFRESH signed GET /bucket/k
  assert_eq "$code $(error_code)" "400 InvalidToken"
  SECRET=s KEY=AKIDSTALE signed GET /bucket/k -H 'x-amz-security-token: t'
  assert_eq "$code $(error_code)" "400 ExpiredToken"
}

@test "a wrong region is told the right one; a HEAD is told nothing" {
  UNSIGNED_OK=1
  start_cloud '{"bucket_regions": {"bucket": "eu-west-1"}}'
  signed GET /bucket/k
  assert_eq "$code $(error_code)" "400 AuthorizationHeaderMalformed"
  grep -q '<Region>eu-west-1</Region>' body
  signed HEAD /bucket/k
  assert_eq "$code$(header x-amz-bucket-region)" 400
  signed HEAD /bucket
  assert_eq "$code $(header x-amz-bucket-region)" "400 eu-west-1"
  REGION=eu-west-1 signed HEAD /bucket
  assert_eq "$code" 200
}

@test "the clock may be wrong, and says so in Date" {
  UNSIGNED_OK=1
  start_cloud '{"clock": {"offset": 3600}}'
  signed GET /bucket/k
  assert_eq "$code $(error_code)" "403 RequestTimeTooSkewed"
  assert_between "$(($(date -d "$(header date)" +%s) - $(date +%s)))" 3598 3602
}

@test "a signature's age may be limited, by the client's own virtual clock" {
  local now
  UNSIGNED_OK=1
  now=$(date +%s)
  FAKE_NOW=${now}000
  start_cloud --fake '{"clock": {"max_age": 5}}'
  seed_object bucket k "$(new_file 1)"
  signed GET /bucket/k
  assert_eq "$code" 200
  printf 'sleep 3000\nsleep 9000\n' >"$SLEEPS"
  signed GET /bucket/k
  assert_eq "$code $(error_code)" "403 RequestTimeTooSkewed"
  assert_between "$(($(date -d "$(header date)" +%s) - now))" 12 13
}

@test "virtual hosts, base paths and absolute forms are understood" {
  start_cloud --anonymous '{"base_path": "/base/path"}'
  seed_object bucket k "$(new_file 20)"
  BASE=http://bucket.s3.localhost:$CLOUD_PORT plain GET /k
  assert_same body file-20
  plain GET /base/path/bucket/k
  assert_same body file-20
  http_proxy=$CLOUD_URL BASE=http://bucket.s3.localhost plain GET /k
  assert_same body file-20
  assert_eq "$(request 3 .target)" http://bucket.s3.localhost/k
}

@test "it is a proxy too: CONNECT opens a tunnel or refuses" {
  start_cloud --anonymous '{"proxy_auth": "u:p", "rules": [
    {"op": "connect", "nth": 2, "status": 502}]}'
  seed_object bucket k "$(new_file 20)"
  plain GET /bucket/k -p -x "http://u:p@127.0.0.1:$CLOUD_PORT"
  assert_same body file-20
  plain GET /bucket/k -p -x "http://u:p@127.0.0.1:$CLOUD_PORT"
  assert_eq "$curled" 56
  plain GET /bucket/k -p -x "http://127.0.0.1:$CLOUD_PORT"
  assert_eq "$curled $(request 4 .status)" "56 407"
  assert_eq "$(requests connect) $(requests get)" "3 1"
}

@test "connections are told apart in the log" {
  start_cloud --anonymous
  seed_object bucket k "$(new_file 1)"
  plain GET /bucket/k "$CLOUD_URL/bucket/k" -o body2
  plain GET /bucket/k
  assert_eq "$(jq -r .conn "$CLOUD_DIR/log.ndjson" | tr '\n' ' ')" "1 1 2 "
}

@test "a misspelt scenario stops the cloud" {
  local text
  for text in '{"rulez": []}' '{"rules": [{"op": "putt"}]}' '{"rules": [{"hang": 1}]}' \
    '{"rules": [{"nth": "x"}]}' '{"rules": [{"close_at": "body"}]}' 'nonsense'; do
    printf '%s' "$text" >scenario
    run "$PYTHON" "$HARNESS_TOP/tests/cloud/cloud.py" --dir "$T/c" --scenario scenario
    assert_eq "$status" 1
    assert_contains "$output" 'cloud.py: '
  done
}

@test "presigned URLs are good until they expire" {
  local url
  UNSIGNED_OK=1
  [ -x /usr/bin/aws ] || skip 'no awscli'
  start_cloud
  seed_object bucket k "$(new_file 1)"
  url=$(presign 60)
  run -0 curl -sf -o body "$url"
  run -22 curl -sf -o body "${url/bucket\/k/bucket/x}"
  run -22 curl -sf -o body "$(presign 0)"
}

# presign SECONDS: a presigned URL by awscli.
presign() {
  env -i PATH="$PATH" HOME="$T/home" AWS_ACCESS_KEY_ID="$TEST_KEY" \
    AWS_SECRET_ACCESS_KEY="$TEST_SECRET" AWS_DEFAULT_REGION=us-east-1 \
    /usr/bin/aws --endpoint-url "$CLOUD_URL" s3 presign s3://bucket/k --expires-in "$1"
}
