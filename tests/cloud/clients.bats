#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# Clients that others wrote, against the fake cloud: what they sign it accepts,
# what they put it keeps, and they read its errors.

load ../lib/harness

bats_require_minimum_version 1.5.0

AWKWARD='a=b/c+d e%20f*@:!~&;,$/ü 日本.bin'

# aws ARG...: Debian's awscli, knowing nothing but the cloud and the key.
aws() {
  [ -x /usr/bin/aws ] || skip 'no awscli'
  env -i PATH=/usr/bin:/bin HOME="$T/home" LC_ALL=C.UTF-8 \
    AWS_ACCESS_KEY_ID="$TEST_KEY" AWS_SECRET_ACCESS_KEY="$TEST_SECRET" \
    AWS_SESSION_TOKEN="${TOKEN-}" AWS_DEFAULT_REGION="${REGION:-us-east-1}" \
    AWS_MAX_ATTEMPTS=2 /usr/bin/aws --endpoint-url "$CLOUD_URL" "$@"
}

# s3cmd_ ARG...: the same for s3cmd, which signs the host and port it is given.
s3cmd_() {
  [ -x /usr/bin/s3cmd ] || skip 'no s3cmd'
  env -i PATH=/usr/bin:/bin HOME="$T/home" LC_ALL=C.UTF-8 \
    /usr/bin/s3cmd -c /dev/null --access_key="$TEST_KEY" \
    --secret_key="$TEST_SECRET" --no-ssl --host="127.0.0.1:$CLOUD_PORT" \
    --host-bucket="127.0.0.1:$CLOUD_PORT" --region=us-east-1 "$@"
}

@test "awscli puts, heads, gets and deletes an object with an awkward key" {
  start_cloud
  new_file 70000 f >/dev/null
  aws s3api put-object --bucket bucket --key "$AWKWARD" --body f \
    --metadata a=b --storage-class STANDARD_IA >put.json
  assert_same f "$(stored_object bucket "$AWKWARD")"
  aws s3api head-object --bucket bucket --key "$AWKWARD" >head.json
  assert_eq "$(jq -r '"\(.ContentLength) \(.Metadata.a) \(.StorageClass)"' head.json)" \
    "70000 b STANDARD_IA"
  aws s3api get-object --bucket bucket --key "$AWKWARD" --range bytes=5-9 part >get.json
  assert_eq "$(jq -r .ContentRange get.json)" "bytes 5-9/70000"
  aws s3api delete-object --bucket bucket --key "$AWKWARD"
  run -254 aws s3api get-object --bucket bucket --key "$AWKWARD" out
  assert_contains "$output" NoSuchKey
}

@test "awscli's session token and checksum are checked" {
  start_cloud '{"keys": {"AKIDANKTEST": {"secret": "s", "token": "tok/en+=="}}}'
  new_file 5000 f >/dev/null
  TEST_SECRET=s TOKEN=tok/en+== aws s3api put-object --bucket bucket --key k --body f \
    --content-md5 "$(openssl md5 -binary f | base64)" >put.json
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(request 1 .signature)" ok
}

@test "awscli retries a SlowDown" {
  start_cloud '{"rules": [{"nth": 1, "s3_error": "SlowDown"}]}'
  new_file 10 f >/dev/null
  aws s3api put-object --bucket bucket --key k --body f >put.json
  assert_eq "$(requests put)" 2
}

@test "awscli finds the region a bucket lives in" {
  start_cloud '{"bucket_regions": {"bucket": "eu-west-1"}, "region_header": true}'
  new_file 10 f >/dev/null
  aws s3api put-object --bucket bucket --key k --body f >put.json
  assert_same f "$(stored_object bucket k)"
}

@test "s3cmd puts and gets" {
  start_cloud
  new_file 70000 f >/dev/null
  s3cmd_ put f "s3://bucket/dir/s p+ü" >put.out
  assert_same f "$(stored_object bucket "dir/s p+ü")"
  s3cmd_ get "s3://bucket/dir/s p+ü" out >get.out
  assert_same f out
}

# config LINE...: awscli's settings for s3.
config() {
  mkdir -p "$T/home/.aws"
  printf '[default]\ns3 =\n' >"$T/home/.aws/config"
  printf '  %s\n' "$@" >>"$T/home/.aws/config"
}

@test "awscli uploads in parts above its threshold, and reads back" {
  start_cloud
  config 'multipart_threshold = 6MB' 'multipart_chunksize = 5MB'
  new_file 12000000 f >/dev/null
  aws s3 cp f "s3://bucket/$AWKWARD" --only-show-errors --metadata a=b
  assert_eq "$(requests create) $(part_requests) $(requests complete)" "1 3 1"
  assert_same f "$(stored_object bucket "$AWKWARD")"
  aws s3 cp "s3://bucket/$AWKWARD" out --only-show-errors
  assert_same f out
  aws s3api head-object --bucket bucket --key "$AWKWARD" >head.json
  [[ $(jq -r .ETag head.json) =~ ^\"[0-9a-f]{32}-3\"$ ]]
  assert_eq "$(jq -r .Metadata.a head.json) $(uploads)" "b "
}

@test "awscli begins, lists and aborts an upload" {
  local id n
  start_cloud '{"awkward_ids": true, "list_page": 2}'
  new_file 5242880 f >/dev/null
  aws s3api create-multipart-upload --bucket bucket --key "$AWKWARD" >create.json
  id=$(jq -r .UploadId create.json)
  for n in 1 2 3; do
    aws s3api upload-part --bucket bucket --key "$AWKWARD" --upload-id "$id" \
      --part-number $n --body f >part.json
  done
  aws s3api list-parts --bucket bucket --key "$AWKWARD" --upload-id "$id" >parts.json
  assert_eq "$(jq -c '[.Parts[] | .PartNumber, .Size]' parts.json)" \
    "[1,5242880,2,5242880,3,5242880]"
  assert_eq "$(requests list_parts)" 2
  aws s3api list-multipart-uploads --bucket bucket >uploads.json
  assert_eq "$(jq -r '.Uploads[] | .Key, .UploadId' uploads.json)" "$AWKWARD
$id"
  aws s3api abort-multipart-upload --bucket bucket --key "$AWKWARD" --upload-id "$id"
  assert_eq "$(uploads)" ""
  run -254 aws s3api list-parts --bucket bucket --key "$AWKWARD" --upload-id "$id"
  assert_contains "$output" NoSuchUpload
}

@test "awscli's checksums of parts and whole are those of the cloud" {
  start_cloud
  new_file 70000 f >/dev/null
  aws s3api create-multipart-upload --bucket bucket --key k \
    --checksum-algorithm SHA256 >create.json
  aws s3api upload-part --bucket bucket --key k --part-number 1 --body f \
    --upload-id "$(jq -r .UploadId create.json)" --checksum-algorithm SHA256 >part.json
  assert_eq "$(jq -r .ChecksumSHA256 part.json)" "$(openssl dgst -sha256 -binary f | base64)"
  jq '{Parts: [{PartNumber: 1, ETag, ChecksumSHA256}]}' part.json >list.json
  aws s3api complete-multipart-upload --bucket bucket --key k \
    --upload-id "$(jq -r .UploadId create.json)" \
    --multipart-upload file://list.json >done.json
  assert_eq "$(jq -r .ChecksumSHA256 done.json)" \
    "$(openssl dgst -sha256 -binary f | openssl dgst -sha256 -binary | base64)-1"
}

@test "awscli retries a completion that is an error inside a 200" {
  start_cloud '{"rules": [{"op": "complete", "nth": 1, "early_200": true,
    "error_in_200": "InternalError"}]}'
  config 'multipart_threshold = 5MB' 'multipart_chunksize = 5MB'
  new_file 7000000 f >/dev/null
  aws s3 cp f s3://bucket/k --only-show-errors
  assert_eq "$(requests complete)" 2
  assert_same f "$(stored_object bucket k)"
}

@test "s3cmd uploads in parts, lists and aborts" {
  local id
  start_cloud
  new_file 12000000 f >/dev/null
  s3cmd_ put --multipart-chunk-size-mb=5 f s3://bucket/dir/k >put.out
  assert_eq "$(part_requests)" 3
  assert_same f "$(stored_object bucket dir/k)"
  aws s3api create-multipart-upload --bucket bucket --key other >create.json
  id=$(uploads)
  s3cmd_ multipart s3://bucket >multipart.out
  assert_contains "$(cat multipart.out)" "$id"
  s3cmd_ listmp s3://bucket/other "$id" >parts.out
  s3cmd_ abortmp s3://bucket/other "$id" >abort.out
  assert_eq "$(uploads)" ""
}
