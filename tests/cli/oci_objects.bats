#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2016,SC1003
# SPDX-License-Identifier: MIT
# OCI Object Storage: objects there and back, in one request and in parts;
# what its answers mean.

load ../lib/harness
load ../cloud/oci

bats_require_minimum_version 1.5.0

# cloud [MEMBERS]: OCI, with the programs' credentials in place.
cloud() {
  start_cloud --fake "{\"service\": \"oci\"${1:+, $1}}"
  oci_config
}

# put FILE [OPTION...], get: of the object k.
put() { run_ank ankput-fake "$@" oci://anknamespace/bucket/k; }
get() { run_ank ankget-fake oci://anknamespace/bucket/k "$T/out"; }

ops() { jq -r .op "$CLOUD_DIR/log.ndjson" | paste -sd' '; }

@test "an object goes there and comes back, its bytes checked by their MD5" {
  cloud
  local file
  for size in 0 1 100000; do
    file=$(new_file "$size")
    put "$file"
    assert_exit 0
    get
    assert_exit 0
    assert_same "$file" "$T/out"
    assert_json result checksum "md5:$(md5sum <"$file" | cut -d' ' -f1)"
  done
  assert_eq "$(request_header 1 content-md5)" 1B2M2Y8AsgTpgAmY7PhCfg==
}

@test "BUCKET@NAMESPACE is the same place, and a namespace left out is asked for" {
  cloud
  run_ank ankput-fake "$(new_file 10)" oci://bucket@anknamespace/k
  assert_exit 0
  run_ank ankget-fake oci://bucket@/k "$T/out"
  assert_exit 0
  assert_eq "$(ops)" 'put namespace get'
  assert_json attempt op namespace 1
  run_ank ankput-fake "$(new_file 10)" "$(new_file 20)" oci://bucket@/below/
  assert_exit 0
  assert_eq "$(ops)" 'put namespace get namespace put put'
  run_ank ankput-fake --dry-run "$(new_file 10)" oci://bucket@/k
  assert_exit 2
}

@test "a namespace that was asked for is no request of the object's: open and marked end at once" {
  load breaker
  cloud '"rules": [{"op": "get", "status": 503}]'
  BUCKET=anknamespace/bucket
  was_opened 0
  run_ank ankget-fake oci://bucket@/k "$T/out"
  assert_exit 12
  assert_eq "$(slept)" 0
  nothing_known
  run_ank ankget-fake --policy restic --retries 0 oci://bucket@/k "$T/out"
  assert_exit 10
  run_ank ankget-fake --policy restic oci://bucket@/k "$T/out"
  assert_exit 12
  assert_json result why read_marked
  assert_eq "$(requests get)" 1
}

@test "a namespace that cannot be asked for ends the run" {
  cloud '"rules": [{"op": "namespace", "status": 503}]'
  run_ank ankput-fake "$(new_file 10)" oci://bucket@/k
  assert_exit 10
  assert_eq "$(ops)" 'namespace namespace namespace'
}

@test "keys travel byte for byte" {
  cloud
  local file key
  file=$(new_file 100)
  for key in 'a b' a//b /lead ../up a/../b 100%25 a+b 'q?x=1#y' $'caf\xc3\xa9' \
    "it's" '!$()*,;:@[]' '"\'; do
    run_ank ankput-fake "$file" "oci://anknamespace/bucket/$key"
    assert_exit 0
    assert_same "$file" "$(stored_object bucket "$key")"
    run_ank ankput-fake --multipart-threshold 1 "$file" "oci://anknamespace/bucket/$key"
    assert_exit 0
    assert_same "$file" "$(stored_object bucket "$key")"
    run_ank ankget-fake "oci://anknamespace/bucket/$key" "$T/out"
    assert_exit 0
    assert_same "$file" "$T/out"
  done
}

@test "a key that a document cannot hold is refused before the first request" {
  cloud
  run_ank ankput-fake --multipart-threshold 1 "$(new_file 10)" $'oci://anknamespace/bucket/\xff'
  assert_exit 2
  assert_eq "$(requests)" 0
}

@test "a large object travels in parts; documents are signed whole, parts are not" {
  cloud
  local file
  file=$(new_file 20000000)
  put "$file" --metadata a=b --content-type text/x --storage-class InfrequentAccess
  assert_exit 0
  assert_same "$file" "$(stored_object bucket k)"
  assert_eq "$(ops)" 'create part part part complete'
  assert_contains "$(request_header 1 authorization)" \
    '"date (request-target) host content-length content-type x-content-sha256"'
  assert_contains "$(request_header 2 authorization)" '"date (request-target) host"'
  assert_eq "$(request_header 1 content-type)" application/json
  run_ank ankget-fake -I oci://anknamespace/bucket/k
  assert_json result storage_class InfrequentAccess
  assert_eq "$(json result metadata | jq -r .a)" b
  get
  assert_exit 0
  assert_same "$file" "$T/out"
  assert_eq "$(uploads)" ''
}

@test "a commit whose sum is of other parts is no success" {
  cloud '"rules": [{"op": "complete", "headers": {"opc-multipart-md5": "XUFAKrxLKna5cZ2REBfFkg==-3"}}]'
  put "$(new_file 20000000)"
  assert_exit 9
  assert_json result why checksum_mismatch
}

@test "bytes that were changed on their way are sent again" {
  cloud '"rules": [{"op": "put", "nth": 1, "s3_error": "BadDigest"}]'
  put "$(new_file 10)"
  assert_exit 0
  assert_json attempt code UnmatchedContentMD5 1
  assert_json attempt verdict integrity 1
  assert_eq "$(requests put)" 2
}

@test "bytes that differ from the object's MD5 are not taken" {
  cloud '"rules": [{"op": "get", "headers": {"Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="}}]'
  put "$(new_file 10)"
  get
  assert_exit 9
  [ ! -e "$T/out" ]
}

@test "--no-clobber overwrites nothing, and settles what is ours" {
  cloud
  put "$(new_file 10)" --no-clobber
  assert_exit 0
  assert_eq "$(request_header 1 if-none-match)" '*'
  put "$(new_file 10)" --no-clobber
  assert_exit 0
  assert_json result settled same_object
  FAKE_SEED=2 put "$(new_file 10 other 2)" --no-clobber
  assert_exit 7
  FAKE_SEED=3 put "$(new_file 20000000)" --no-clobber
  assert_exit 7
  assert_same "$(new_file 10)" "$(stored_object bucket k)"
}

@test "an upload whose begin is refused is settled when the first look failed" {
  cloud '"rules": [{"op": "head", "nth": "1-3", "status": 503}]'
  seed_object bucket k "$(new_file 20000000)"
  put "$(new_file 20000000)" --no-clobber
  assert_exit 0
  assert_json result settled same_object
  assert_eq "$(requests part)" 0
}

@test "a race that is lost is run again; a throttle is waited for" {
  cloud '"rules": [{"op": "put", "nth": 1, "s3_error": "ConcurrentObjectUpdate"},
    {"op": "put", "nth": 2, "s3_error": "IncorrectState"}]'
  put "$(new_file 10)"
  assert_exit 0
  assert_json result retries 2
  stop_clouds
  cloud '"rules": [{"op": "put", "nth": 1, "s3_error": "SlowDown", "headers": {"Retry-After": "3"}}]'
  put "$(new_file 10)"
  assert_exit 0
  assert_json attempt code TooManyRequests 1
  assert_between "$(slept)" 3000 3300
}

@test "a 404 may mean that it is not allowed, which the failure says" {
  cloud
  get
  assert_exit 6
  assert_json attempt code ObjectNotFound
  assert_contains "$(<"$ERR")" 'no permission'
  run_ank ankget-fake oci://anknamespace/other/k "$T/out"
  assert_exit 6
  assert_json attempt code BucketNotFound
  run_ank ankget-fake -I oci://anknamespace/bucket/k
  assert_exit 6
}

@test "a clock that is off by more than five minutes is mended" {
  cloud '"clock": {"offset": 3600}'
  put "$(new_file 10)"
  assert_exit 0
  assert_json result repairs 1
  assert_json result retries 0
  assert_eq "$(requests)" 2
}

@test "credentials that are refused end the run at once" {
  UNSIGNED_OK=1
  cloud
  sed -i 's/^user=.*/user=ocid1.user.oc1..other/' "$T/home/.oci/config"
  put "$(new_file 10)"
  assert_exit 5
  assert_eq "$(requests)" 1
  assert_contains "$(<"$ERR")" 'ocid1.user.oc1..other'
}

@test "a commit whose answer was lost is found out" {
  cloud '"rules": [{"op": "complete", "nth": 1, "store": true, "close_at": "status"}]'
  put "$(new_file 20000000)"
  assert_exit 0
  assert_json result confirmed_by head
  assert_same "$(new_file 20000000)" "$(stored_object bucket k)"
}

@test "an upload that fails is aborted" {
  cloud '"rules": [{"op": "part", "part": 2, "status": 400}]'
  put "$(new_file 20000000)"
  assert_exit 8
  assert_json result aborted true
  assert_eq "$(uploads)" ''
}

@test "an upload is continued from the parts that are listed, page by page" {
  cloud '"list_page": 1, "awkward_ids": true, "rules": [{"op": "part", "part": 3, "nth": 1, "status": 400}]'
  local file
  file=$(new_file 30000000)
  put "$file" -C -P 1
  assert_exit 8
  put "$file" -C -P 1
  assert_exit 0
  assert_json result resumed_from 16777216
  assert_same "$file" "$(stored_object bucket k)"
  assert_eq "$(requests list_parts)" 2
  assert_eq "$(part_requests 1)" 1
}

@test "a download that broke goes on from the byte reached, of the same object" {
  cloud '"rules": [{"op": "get", "nth": 1, "close_at": 50000}]'
  put "$(new_file 100000)"
  get
  assert_exit 0
  assert_same "$(new_file 100000)" "$T/out"
  assert_eq "$(request_header 3 range)" bytes=50000-
  assert_eq "$(request_header 3 if-match)" "$(json result etag)"
}

@test "--explain shows the lines that are signed, and no secret" {
  cloud
  put "$(new_file 10)" --explain
  assert_exit 0
  assert_contains "$(<"$ERR")" '(request-target): put /n/anknamespace/b/bucket/o/k'
  run ! grep -q 'PRIVATE KEY' "$ERR" "$OUT"
}

@test "an archived object is no matter of trying again; S3 says so, too" {
  cloud '"rules": [{"op": "get", "status": 409, "body": "{\"code\": \"NotRestored\", \"message\": \"m\"}"}]'
  get
  assert_exit 8
  assert_contains "$(<"$ERR")" "restore it first"
  start_cloud --fake '{"rules": [{"op": "get", "s3_error": "InvalidObjectState"}]}'
  run_ank ankget-fake s3://bucket/k out
  assert_exit 5
  assert_contains "$(<"$ERR")" "restore it first"
  assert_eq "$(requests)" 1
}
