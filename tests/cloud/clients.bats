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
