#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankput: what an object's options become on the wire and in the store.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# put ARG...: ten bytes to s3://bucket/k.
put() {
  run_ank ankput "$@" "$(new_file 10 "$T/source")" s3://bucket/k
}

# meta NAME: a header kept with the object.
meta() { stored_meta bucket k ".headers[\"$1\"] // \"\""; }

@test "the plainest request has no header that a compatible store may refuse (case 69)" {
  cloud
  put
  assert_exit 0
  assert_eq "$(request 1 '[.headers[][0] | ascii_downcase] | sort | join(" ")')" \
    "authorization content-length host user-agent x-amz-content-sha256 x-amz-date"
  assert_eq "$(request_header 1 content-length)" 10
  assert_eq "$(request_header 1 x-amz-content-sha256)" \
    "$(sha256sum <"$T/source" | cut -d' ' -f1)"
  assert_careful
}

@test "an empty object has a length of 0 and the hash of nothing" {
  cloud
  : >"$T/empty"
  run_ank ankput "$T/empty" s3://bucket/k
  assert_exit 0
  assert_eq "$(request_header 1 content-length)" 0
  assert_eq "$(request_header 1 x-amz-content-sha256)" \
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
  assert_stored k "$T/empty"
}

# bats test_tags=valgrind
@test "options of the object are stored with it" {
  cloud
  put --content-type 'text/plain; charset=utf-8' --metadata a=1 \
    --metadata 'B-c=x = y' --storage-class STANDARD_IA --sse AES256 \
    -H 'Cache-Control: max-age=5' --header='Content-Disposition: attachment'
  assert_exit 0
  assert_eq "$(meta content-type)" 'text/plain; charset=utf-8'
  assert_eq "$(meta x-amz-meta-a)" 1
  assert_eq "$(meta x-amz-meta-b-c)" 'x = y'
  assert_eq "$(meta x-amz-storage-class)" STANDARD_IA
  assert_eq "$(meta x-amz-server-side-encryption)" AES256
  assert_eq "$(meta cache-control)" max-age=5
  assert_eq "$(meta content-disposition)" attachment
  assert_careful
}

@test "--sse aws:kms=KEY names the key, and an ETag that is no MD5 is no fault (case 70)" {
  cloud
  put --sse aws:kms=arn:aws:kms:x:1:key/2
  assert_exit 0
  assert_eq "$(meta x-amz-server-side-encryption)" aws:kms
  assert_eq "$(meta x-amz-server-side-encryption-aws-kms-key-id)" \
    arn:aws:kms:x:1:key/2
  [ "$(json result etag)" != "\"$(md5sum <"$T/source" | cut -d' ' -f1)\"" ]
}

# bats test_tags=valgrind
@test "-H @FILE reads header lines: comments, empty lines and CRLF are nothing" {
  cloud
  printf '# about\n\nX-Amz-Meta-One: 1\r\nX-Amz-Meta-Two:   two words  \nCache-Control: no-store' >"$T/lines"
  put -H @"$T/lines" -H 'X-Amz-Meta-Three:'
  assert_exit 0
  assert_eq "$(meta x-amz-meta-one)" 1
  assert_eq "$(meta x-amz-meta-two)" 'two words'
  assert_eq "$(meta cache-control)" no-store
  assert_eq "$(request_header 1 x-amz-meta-three)" ''
  assert_careful
}

@test "a bad line of -H @FILE is named with its number" {
  cloud
  printf 'A: b\nno colon here\n' >"$T/lines"
  put -H @"$T/lines"
  assert_usage "--header: $T/lines line 2: "
  printf 'A: b\0B: c\n' >"$T/lines"
  put -H @"$T/lines"
  assert_usage "--header: $T/lines line 1: line break or NUL in the value of A"
  put -H @"$T/missing"
  assert_usage "--header: $T/missing: No such file"
  put -H @"$T"
  assert_usage "--header: $T: is not a regular file"
}

@test "headers that ank sets itself may not be given, in any case" {
  local name
  cloud
  for name in Host authorization CONTENT-LENGTH Transfer-Encoding Connection \
    Expect range Date X-Amz-Date x-amz-content-sha256 X-AMZ-Security-Token; do
    put -H "$name: x"
    assert_usage "--header: $name"
  done
}

@test "header lines that could become two are refused" {
  local line
  cloud
  for line in $'A: b\nEvil: 1' $'A: b\rEvil: 1' 'no-colon' ': no name' \
    'sp ace: x' $'t\tab: x' 'ü: x' ''; do
    put -H "$line"
    assert_usage --header
  done
}

@test "bad metadata is refused: no '=', no name, a name or value that cannot travel" {
  local pair
  cloud
  for pair in novalue =x 'a b=c' 'a=ü' $'a=\tb' $'a=b\nc'; do
    put --metadata "$pair"
    assert_usage --metadata
  done
}

@test "--sse takes the modes there are" {
  cloud
  put --sse ROT13
  assert_usage "--sse: 'ROT13'"
  put --sse aws:kms=
  assert_usage --sse
  put --sse aws:kms:dsse
  assert_exit 0
  assert_eq "$(request_header 1 x-amz-server-side-encryption)" aws:kms:dsse
}

@test "--content-type wins over the same header given by -H, and goes once" {
  cloud
  put -H 'content-type: a/b' --content-type c/d
  assert_exit 0
  assert_eq "$(request 1 '[.headers[] | select(.[0] | ascii_downcase == "content-type") | .[1]] | join(",")')" c/d
  assert_careful
}

@test "--if-none-match '*' stores only what is not there" {
  cloud
  put --if-none-match '*'
  assert_exit 0
  echo other >"$T/other"
  run_ank ankput --if-none-match '*' "$T/other" s3://bucket/k
  assert_exit 7
  assert_json result outcome exists
  assert_json attempt status 412
  assert_json attempt code PreconditionFailed
  assert_stored k "$T/source"
  assert_eq "$(requests)" 2
}

@test "--if-match stores only over the object it names" {
  cloud
  put
  put --if-match '"00000000000000000000000000000000"'
  assert_exit 7
  put --if-match "$(md5sum <"$T/source" | sed 's/ .*/"/; s/^/"/')"
  assert_exit 0
  run_ank ankput --if-match '"x"' "$T/source" s3://bucket/none
  assert_exit 6
  assert_eq "$(requests)" 4
}

# Amazon's own names through a proxy, which is this cloud.
aws() {
  CLOUD_SETTINGS='"domains": ["s3.us-east-1.amazonaws.com"]' cloud
  ANK_ENV=(ANK_PROXY="$CLOUD_URL"
    ANK_ENDPOINT=http://s3.us-east-1.amazonaws.com)
}

@test "Amazon's own hosts get the digest as x-amz-checksum-sha256 too" {
  aws
  put
  assert_exit 0
  assert_eq "$(request_header 1 host)" bucket.s3.us-east-1.amazonaws.com
  assert_eq "$(request_header 1 x-amz-checksum-sha256)" \
    "$(openssl dgst -sha256 -binary "$T/source" | base64)"
  assert_eq "$(stored_meta bucket k .checksums.sha256)" \
    "$(request_header 1 x-amz-checksum-sha256)"
  assert_contains "$(request 1 .target)" http://bucket.s3.us-east-1.amazonaws.com/k
  assert_stored k "$T/source"
  assert_careful
  assert_json result provider s3
}

@test "Amazon's own hosts are asked for checksums, and they are compared" {
  aws
  put
  run_ank ankget s3://bucket/k "$T/back"
  assert_exit 0
  assert_eq "$(request_header 2 x-amz-checksum-mode)" ENABLED
  assert_json result checksum "sha256:$(sha256sum <"$T/source" | cut -d' ' -f1)"
  assert_same "$T/back" "$T/source"
}

@test "a bucket whose name has dots stands in the path of Amazon's hosts" {
  CLOUD_SETTINGS='"buckets": ["my.bucket"], "domains": ["none"]' cloud
  ANK_ENV=(ANK_PROXY="$CLOUD_URL" ANK_ENDPOINT=http://s3.us-east-1.amazonaws.com)
  run_ank ankput "$(new_file 10)" s3://my.bucket/k
  assert_exit 0
  assert_eq "$(request_header 1 host)" s3.us-east-1.amazonaws.com
  assert_contains "$(request 1 .target)" /my.bucket/k
}

# bats test_tags=valgrind
@test "a store that wants a checksum gets Content-MD5, once and for the rest" {
  CLOUD_SETTINGS='"require_checksum": true' cloud
  put
  assert_exit 0
  assert_eq "$(requests)" 2
  assert_json attempt verdict add_checksum 1
  assert_json result repairs 1
  assert_json result retries 0
  assert_eq "$(request_header 2 content-md5)" \
    "$(openssl dgst -md5 -binary "$T/source" | base64)"
  assert_stored k "$T/source"
}

@test "--no-sign sends no signature and needs no credentials" {
  start_cloud --anonymous
  new_file 10 "$T/source" >/dev/null
  run_ank -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput --no-sign \
    "$T/source" s3://bucket/k
  assert_exit 0
  refute request_header 1 authorization
  assert_stored k "$T/source"
}

@test "--dry-run hashes and signs, says where to, and sends nothing" {
  cloud
  put --dry-run
  assert_exit 0
  assert_json result dry_run true
  assert_json result url "$CLOUD_URL/bucket/k"
  assert_json result attempts 0
  assert_json result checksum "sha256:$(sha256sum <"$T/source" | cut -d' ' -f1)"
  assert_eq "$(json result bytes)" ''
  assert_eq "$(requests)" 0
  run_ank ankput --dry-run "$T/missing" s3://bucket/k
  assert_exit 3
  run_ank -AWS_ACCESS_KEY_ID ankput --dry-run "$T/source" s3://bucket/k
  assert_exit 4
  assert_eq "$(requests)" 0
}
