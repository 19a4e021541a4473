#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 1, repairs: what is mended and sent again at once, without a wait,
# without a retry; and what ends because it was refused twice with the same.

load ../lib/harness
load policy

# mended ATTEMPTS REPAIRS: a success that took no wait and no retry.
mended() {
  ends 0 ok
  assert_json result attempts "$1"
  assert_json result repairs "$2"
  assert_json result retries 0
  assert_json result waited_ms 0
  assert_eq "$(sleeps)" ''
}

# region_signed: the region each request was signed for.
region_signed() {
  headers Authorization | grep -o '/[a-z0-9-]*/s3/' | cut -d/ -f2 | paste -sd' '
}

# --- credentials --------------------------------------------------------------

KEYS='"keys": {"AKIDOLD": {"secret": "old-secret-value", "token": "old-token-value",
    "expired": true},
  "AKIDNEW": {"secret": "new-secret-value", "token": "new-token-value"},
  "AKIDTOO": {"secret": "too-secret-value", "token": "too-token-value",
    "expired": true}}'

# credentials NAME: the file has the key AKIDNAME now.
credentials() {
  mkdir -p "$T/home/.aws"
  printf '[default]\naws_access_key_id = AKID%s\naws_secret_access_key = %s\naws_session_token = %s\n' \
    "$1" "${1,,}-secret-value" "${1,,}-token-value" >"$T/home/.aws/credentials"
}

# by_file OPTION...: a run with the file's credentials.
by_file() { put -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY "$@"; }

# by_file_meanwhile NAME OPTION...: the file changes while the first answer is
# on its way (in real time).
by_file_meanwhile() {
  local name=$1
  shift
  credentials OLD
  new_file 1000 "$T/source" >/dev/null
  start_ank -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput-fake "$@" \
    "$T/source" s3://bucket/k
  await_requests 1
  credentials "$name"
  wait_ank
}

# bats test_tags=valgrind
@test "an expired token is mended with the credentials that the file has by now" {
  SETTINGS=$KEYS rules '{"nth": 1, "delay_ms": 400}'
  by_file_meanwhile NEW --retries 0
  mended 2 1
  assert_eq "$(told verdict)" 'reauth ok'
  assert_eq "$(told next)" 'repair done'
  assert_eq "$(told why)" 'reauth -'
  assert_eq "$(told code)" 'ExpiredToken -'
  assert_eq "$(headers x-amz-security-token)" 'old-token-value new-token-value'
  stored k
}

@test "an expired token with unchanged credentials ends at once, exit 4" {
  SETTINGS=$KEYS rules
  credentials OLD
  by_file k --retries 5
  ends 4 credentials
  assert_json result attempts 1
  assert_eq "$(sleeps)" ''
  run_key ankget-fake -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY k
  ends 4 credentials
  put AWS_ACCESS_KEY_ID=AKIDOLD AWS_SECRET_ACCESS_KEY=old-secret-value \
    AWS_SESSION_TOKEN=old-token-value k
  ends 4 credentials
  assert_eq "$(requests)" 3
}

@test "new credentials that have expired too end it" {
  SETTINGS=$KEYS rules '{"nth": 1, "delay_ms": 400}'
  by_file_meanwhile TOO
  ends 4 credentials
  assert_json result attempts 2
  assert_json result repairs 1
  assert_eq "$(told code)" 'ExpiredToken ExpiredToken'
}

@test "a credentials file that has become unreadable ends it with the answer" {
  SETTINGS=$KEYS rules '{"nth": 1, "delay_ms": 400}'
  credentials OLD
  new_file 1000 "$T/source" >/dev/null
  start_ank -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput-fake \
    "$T/source" s3://bucket/k
  await_requests 1
  echo '[nonsense' >"$T/home/.aws/credentials"
  wait_ank
  ends 4 credentials
  assert_json result attempts 1
}

@test "the credentials that came later are secrets as well" {
  SETTINGS=$KEYS rules '{"nth": 1, "delay_ms": 400}' \
    '{"nth": 2, "s3_error": "InvalidRequest", "message": "new-token-value, new-secret-value!"}'
  by_file_meanwhile NEW
  ends 8 rejected
  assert_json result attempts 2
  if grep -e new-token -e new-secret "$REPORT" "$ERR"; then return 1; fi
}

# --- the clock ----------------------------------------------------------------

# bats test_tags=valgrind
@test "a clock that is wrong is mended by the server's Date, for the run" {
  SETTINGS='"clock": {"offset": 3600, "fake": true}' \
    rules '{"nth": 2, "status": 503}'
  put k --retries 1
  ends 0 ok
  assert_eq "$(told verdict)" 'reclock transient ok'
  assert_json result repairs 1
  assert_json result retries 1
  assert_eq "$(headers x-amz-date | cut -d' ' -f1)" 20231114T221320Z
  assert_eq "$(headers x-amz-date | cut -d' ' -f2)" 20231114T231320Z
  assert_contains "$(headers x-amz-date | cut -d' ' -f3)" 20231114T23132
  stored k
}

@test "a clock an hour fast is mended too, with --retries 0 and every method" {
  SETTINGS='"clock": {"offset": -3600, "fake": true}' rules
  seed
  get k --retries 0
  mended 2 1
  put k2 --retries 0 --no-retry-on 4xx
  mended 2 1
}

@test "skewed again with the corrected clock is final" {
  rules '{"s3_error": "RequestTimeTooSkewed"}'
  put k
  ends 5 denied
  assert_json result attempts 2
  assert_json result repairs 1
}

@test "skewed without a Date to go by is final" {
  rules '{"s3_error": "RequestTimeTooSkewed", "headers": {"Date": null}}'
  put k
  ends 5 denied
  assert_json result attempts 1
  assert_json result repairs 0
}

# --- the region (case 56) -----------------------------------------------------

EUROPE='"bucket_regions": {"bucket": "eu-west-1"}'

@test "a wrong region is mended: 400 with <Region> to PUT and GET (case 56)" {
  SETTINGS=$EUROPE rules
  seed
  put k2 --retries 0 --no-retry-on 4xx
  mended 2 1
  assert_eq "$(region_signed)" 'us-east-1 eu-west-1'
  assert_eq "$(told verdict)" 'redirect ok'
  assert_eq "$(told status)" '400 200'
  assert_same "$(stored_object bucket k2)" "$T/source"
  get k --retries 0
  mended 2 1
  assert_same "$T/got" "$T/object"
}

@test "a wrong region is mended: 301 with x-amz-bucket-region, by every method (case 56)" {
  SETTINGS=$EUROPE rules '{"nth": [1, 3, 5], "s3_error": "PermanentRedirect",
    "headers": {"x-amz-bucket-region": "eu-west-1"}}'
  put k --retries 0
  mended 2 1
  stored k
  get k --retries 0
  mended 2 1
  facts k --retries 0
  mended 2 1
  assert_eq "$(region_signed | cut -d' ' -f1-4)" 'us-east-1 eu-west-1 us-east-1 eu-west-1'
}

@test "HEAD is told the region by a header alone (case 56)" {
  SETTINGS="$EUROPE, \"region_header\": true" rules
  seed
  facts k --retries 0
  mended 2 1
  assert_eq "$(region_signed)" 'us-east-1 eu-west-1'
}

# bats test_tags=valgrind
@test "HEAD that is told nothing asks for the bucket's region first (case 56)" {
  SETTINGS=$EUROPE rules
  seed
  facts k --retries 0
  mended 3 1
  assert_eq "$(logged op)" 'head head_bucket head'
  assert_eq "$(told op)" 'head region head'
  assert_eq "$(region_signed)" 'us-east-1 us-east-1 eu-west-1'
  assert_json result size 1000
}

@test "a redirect without a region asks for it, PUT and GET" {
  SETTINGS=$EUROPE rules '{"op": "put", "nth": 1, "status": 301}' \
    '{"op": "get", "nth": 1, "status": 301}'
  put k --retries 0
  mended 3 1
  assert_eq "$(logged op)" 'put head_bucket put'
  stored k
  get k --retries 0
  mended 3 1
}

@test "a bucket that does not tell its region leaves the answer as it is" {
  rules '{"op": "head", "status": 400}' \
    '{"op": "head_bucket", "headers": {"x-amz-bucket-region": null}}' \
    '{"op": "put", "status": 301}'
  facts k
  ends 8 rejected
  assert_json result why region_unknown
  assert_json result attempts 2
  put k
  ends 8 rejected
  assert_json result attempts 2
}

@test "a request for the region that is refused leaves the answer as it is" {
  rules '{"op": "head", "status": 400}' '{"op": "head_bucket", "status": 404}'
  facts k
  ends 8 rejected
  assert_json result attempts 2
  assert_contains "$(cat "$ERR")" 'answered 400'
}

@test "a request for the region goes through the same policy (case 81)" {
  SETTINGS=$EUROPE rules '{"op": "head_bucket", "nth": [1, 2], "status": 503}'
  seed
  facts k
  ends 0 ok
  assert_json result attempts 5
  assert_json result retries 2
  SETTINGS=$EUROPE rules '{"op": "head_bucket", "status": 503}'
  seed
  facts k
  ends 10 unavailable
  assert_json result attempts 4
  assert_eq "$(logged op)" 'head head_bucket head_bucket head_bucket'
}

@test "a throttled request for the region says when to come back" {
  SETTINGS=$EUROPE rules '{"op": "head_bucket", "status": 503, "headers": {"Retry-After": "400"}}'
  facts k
  ends 11 throttled
  assert_json result throttled_seconds 400
  assert_json result attempts 2
}

@test "a request for the region is inside the deadline (case 23)" {
  SETTINGS=$EUROPE rules '{"op": "head_bucket", "hang_at": "status"}'
  facts k --deadline 7s --timeout-ms 0
  ends 13 deadline
  assert_json result elapsed_ms 7000
  assert_eq "$(logged op)" 'head head_bucket'
}

@test "the same region told again is final" {
  rules '{"s3_error": "AuthorizationHeaderMalformed", "fields": {"Region": "us-east-1"}}'
  put k
  ends 8 rejected
  assert_json result attempts 1
}

@test "regions that point at one another end" {
  rules '{"nth": "1-", "s3_error": "PermanentRedirect", "headers": {"x-amz-bucket-region": "eu-west-1"}}'
  put k
  ends 8 rejected
  assert_json result attempts 2
  UNSIGNED_OK=1
  rules '{"nth": [1, 3, 5, 7], "status": 301, "headers": {"x-amz-bucket-region": "eu-west-1"}}' \
    '{"nth": [2, 4, 6, 8], "status": 301, "headers": {"x-amz-bucket-region": "us-east-1"}}'
  put k
  ends 8 rejected
  assert_json result attempts 2
}

@test "a region that is no name is not followed" {
  rules '{"status": 301, "headers": {"x-amz-bucket-region": "evil.example/x"}}'
  put k
  ends 8 rejected
  assert_json result attempts 1
}

# --- another place (case 55) --------------------------------------------------

@test "307 to another port: signed for it, with the full body, by every method (case 55)" {
  local moved='"status": 307, "headers": {"Location": "http://127.0.0.1:{port2}{path}"}'
  rules "{\"op\": \"put\", \"nth\": 1, $moved}" "{\"op\": \"get\", \"nth\": 1, $moved}" \
    "{\"op\": \"head\", \"nth\": 1, $moved}"
  new_file 300000 "$T/source" >/dev/null
  put k --retries 0 --no-retry-on 3xx
  mended 2 1
  assert_eq "$(headers Host)" "127.0.0.1:$CLOUD_PORT 127.0.0.1:$CLOUD_PORT2"
  assert_eq "$(logged body_len)" '300000 300000'
  assert_eq "$(logged signature)" 'ok ok'
  stored k
  get k --retries 0
  mended 2 1
  assert_same "$T/got" "$T/source"
  facts k --retries 0
  mended 2 1
  assert_eq "$(logged listener)" 'port port2 port port2 port port2'
}

@test "307 to another host is not followed, nor told our signature (case 55)" {
  local where
  for where in 'http://localhost:{port2}{path}' 'http://evil127.0.0.1:{port2}/' \
    'http://127.0.0.1@localhost:{port2}/' 'http://10.0.0.1:{port2}/' '//x' '' ; do
    rules "{\"nth\": 1, \"status\": 307, \"headers\": {\"Location\": \"$where\"}}" \
      '{"op": "head_bucket", "headers": {"x-amz-bucket-region": null}}'
    put k
    ends 8 rejected
    assert_eq "$(logged listener | tr ' ' '\n' | sort -u)" port
    refute_stored k
  done
}

@test "307 from https to http is not followed (case 55)" {
  make_certificates
  CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
  rules '{"status": 307, "headers": {"Location": "http://127.0.0.1:{port}{path}"}}'
  put k --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem"
  ends 8 rejected
  assert_eq "$(logged tls)" true
}

@test "307 round and round ends (case 55)" {
  rules '{"nth": [1, 3, 5, 7, 9], "status": 307, "headers": {"Location": "http://127.0.0.1:{port2}/"}}' \
    '{"nth": [2, 4, 6, 8, 10], "status": 307, "headers": {"Location": "http://127.0.0.1:{port}/"}}'
  put k
  ends 8 rejected
  assert_json result attempts 2
  rules '{"status": 307, "headers": {"Location": "http://127.0.0.1:{port}/"}}'
  put k
  ends 8 rejected
  assert_json result attempts 1
}

@test "after a 307 the retries go to the new place" {
  rules '{"nth": 1, "status": 307, "headers": {"Location": "http://127.0.0.1:{port2}/"}}' \
    '{"nth": [2, 3], "status": 503}'
  put k
  ends 0 ok
  assert_json result attempts 4
  assert_json result retries 2
  assert_eq "$(logged listener)" 'port port2 port2 port2'
}

# --- a checksum header --------------------------------------------------------

@test "a 400 that asks for Content-MD5 gets it, for the rest of the run" {
  SETTINGS='"require_checksum": true' rules '{"nth": 2, "status": 503}'
  put k
  ends 0 ok
  assert_eq "$(told verdict)" 'add_checksum transient ok'
  assert_json result repairs 1
  assert_json result retries 1
  local md5
  md5=$(openssl md5 -binary "$T/source" | base64)
  assert_eq "$(headers Content-MD5)" "- $md5 $md5"
  stored k
}

@test "Content-MD5 asked for is a repair, with --retries 0 too" {
  SETTINGS='"require_checksum": true' rules
  put k --retries 0 --no-retry-on 4xx
  mended 2 1
}

@test "asked for Content-MD5 twice is final" {
  rules '{"s3_error": "InvalidRequest", "message": "Missing required header for this request: Content-MD5"}'
  put k
  ends 8 rejected
  assert_json result attempts 2
  get k
  ends 8 rejected
  assert_json result attempts 1
}

# --- all of them --------------------------------------------------------------

@test "one request may need several repairs" {
  SETTINGS="$EUROPE, \"require_checksum\": true, \"clock\": {\"offset\": 7200, \"fake\": true}" \
    rules '{"nth": 1, "status": 307, "headers": {"Location": "http://127.0.0.1:{port2}/"}}'
  put k --retries 0
  mended 5 4
  assert_eq "$(told verdict | tr ' ' '\n' | sort | paste -sd' ')" \
    'add_checksum ok reclock redirect redirect'
  stored k
}

@test "a repair obeys the deadline: when it has passed, that is how it ends" {
  local step
  SETTINGS=$EUROPE rules
  # Each look at the clock takes a while, so the deadline falls everywhere.
  for step in 50 100 150 200 300 400 600 900 1300; do
    put ANK_FAKE_STEP="$step" k --retries 0 --deadline 2s
    case $status in
      0) assert_json result attempts 2 ;;
      13) assert_json result outcome deadline ;;
      *) return 1 ;;
    esac
  done
}
