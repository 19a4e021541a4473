#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Blobs are fetched from Azure.

load ../lib/harness

bats_require_minimum_version 1.5.0

URL=az://ankacct/bucket/k

azure_cloud() {
  start_cloud --fake "$(jq -cn --argjson more "${1:-{\}}" \
    '{service: "azure"} + $more')"
}

get() { run_ank ankget-fake "$@"; }

# seeded [CONTENT-MD5]: a blob of 100000 bytes, the file "file".
seeded() {
  new_file 100000 file >/dev/null
  seed_object bucket k file "$(jq -cn --arg md5 "${1-}" \
    '{etag: "\"0x8D1\""} + if $md5 == "" then {} else {content_md5: $md5} end')"
}

@test "a blob is fetched whole" {
  azure_cloud
  seeded "$(openssl md5 -binary "$(new_file 100000)" | base64)"
  get "$URL" out
  assert_exit 0
  assert_same out file
  assert_eq "$(requests)" 1
  assert_json result etag '"0x8D1"'
}

@test "a body that ends early is gone on with, by x-ms-range and ETag" {
  azure_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 50000}]}'
  seeded
  get "$URL" out
  assert_exit 0
  assert_same out file
  assert_eq "$(request_header 2 x-ms-range)" "bytes=50000-"
  assert_eq "$(request_header 2 if-match)" '"0x8D1"'
}

@test "a blob that changed meanwhile is not mixed" {
  azure_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 50000},
    {"op": "get", "nth": 2, "replace_object": {"flip": true}}]}'
  seeded
  get "$URL"
  [ "$status" -ne 0 ]
  assert_json attempt code ConditionNotMet
}

@test "bytes that differ from Content-MD5 do not pass, in pieces neither" {
  azure_cloud
  seeded "$(openssl md5 -binary <<<other | base64)"
  get "$URL" out
  assert_exit 9
  [ ! -e out ]
  azure_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 50000}]}'
  seeded "$(openssl md5 -binary <<<other | base64)"
  get "$URL" out
  assert_exit 9
}

@test "ranges, but none from the end" {
  azure_cloud
  seeded
  get --range 10-19 "$URL" out
  assert_exit 0
  assert_same out <(tail -c +11 file | head -c 10)
  get --range -5 "$URL" out
  assert_exit 2
  assert_contains "$(<"$ERR")" "begins at the end"
}

@test "an archived blob is no matter of trying again" {
  azure_cloud '{"rules": [{"op": "get", "s3_error": "BlobArchived"}]}'
  seeded
  get "$URL" out
  assert_exit 8
  assert_eq "$(requests)" 1
  assert_json attempt code BlobArchived
  assert_contains "$(<"$ERR")" "another tier"
}

@test "a HEAD has no body: the code stands in its header" {
  azure_cloud
  get -I "$URL"
  assert_exit 6
  assert_json attempt code BlobNotFound
  get -I az://ankacct/nobucket/k
  assert_exit 6
  assert_json attempt code ContainerNotFound
}

@test "what is told of a blob" {
  azure_cloud
  new_file 10 file >/dev/null
  run_ank ankput-fake --storage-class Cool --metadata a=1 file "$URL"
  get -I "$URL"
  assert_exit 0
  assert_json result size 10
  assert_json result storage_class Cool
  assert_eq "$(jq -c 'select(.event == "result") | .metadata' "$REPORT")" '{"a":"1"}'
}

@test "a large blob comes in several ranges" {
  azure_cloud
  new_file 20000000 file >/dev/null
  seed_object bucket k file
  get -P 4 "$URL" out
  assert_exit 0
  assert_same out file
}
