#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# gs://: objects in one request and in parts, by a token and by HMAC keys.

load ../lib/harness
load gcs

@test "a token and an HMAC key put, look and get" {
  local who
  gcs_cloud
  new_file 70000 f >/dev/null
  for who in by_token by_key; do
    $who
    run_ank ankput --metadata a=b f "gs://bucket/$who/a b+c~é"
    assert_exit 0
    assert_same f "$(stored_object bucket "$who/a b+c~é")"
    run_ank ankget -I "gs://bucket/$who/a b+c~é"
    assert_exit 0
    assert_json result size 70000
    run_ank ankget "gs://bucket/$who/a b+c~é" out
    assert_exit 0
    assert_same f out
  done
  assert_eq "$(request_header 1 authorization)" "Bearer $TOKEN"
  assert_contains "$(request_header 4 authorization)" 'GOOG4-HMAC-SHA256 '
  assert_contains "$(request_header 4 authorization)" /auto/storage/goog4_request
  assert_careful
}

@test "crc32c goes with the bytes, and the generation is told" {
  gcs_cloud
  by_token
  new_file 1000 f >/dev/null
  run_ank ankput f gs://bucket/k
  assert_eq "$(request_header 1 x-goog-hash)" "crc32c=$(crc32c_of f)"
  assert_json result version_id "$(stored_meta bucket k .generation)"
  assert_json attempt provider gcs
}

@test "an answer with another crc32c is no success" {
  gcs_cloud '{"rules": [{"op": "put", "headers": {"x-goog-hash": "crc32c=AAAAAA=="}},
    {"op": "get", "headers": {"x-goog-hash": "crc32c=AAAAAA=="}}]}'
  by_token
  new_file 1000 f >/dev/null
  run_ank ankput-fake f gs://bucket/k
  assert_exit 9
  seed_object bucket l f
  run_ank ankget-fake gs://bucket/l out
  assert_exit 9
  [ ! -e out ]
}

@test "what is stored packed comes as it is stored" {
  gcs_cloud
  by_token
  new_file 9000 f >/dev/null
  gzip -c f >f.gz
  run_ank ankput -H 'Content-Encoding: gzip' f.gz gs://bucket/k
  run_ank ankget gs://bucket/k out
  assert_exit 0
  assert_same f.gz out
  assert_eq "$(request_header 2 accept-encoding)" gzip
  run_ank ankget --range 5-9 gs://bucket/k part
  assert_same <(tail -c +6 f.gz | head -c 5) part
}

@test "what is unpacked on its way all the same is told" {
  gcs_cloud '{"rules": [{"op": "get", "headers": {"Content-Encoding": null}}]}'
  by_token
  new_file 9000 f >/dev/null
  gzip -c f >f.gz
  run_ank ankput -H 'Content-Encoding: gzip' f.gz gs://bucket/k
  run_ank ankget gs://bucket/k out
  assert_exit 0
  assert_json warning why transformed
}

@test "a read that was cut goes on with the same generation" {
  gcs_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 50000}]}'
  by_token
  new_file 90000 f >/dev/null
  seed_object bucket k f
  run_ank ankget-fake gs://bucket/k out
  assert_exit 0
  assert_same f out
  assert_eq "$(request_header 2 range)" bytes=50000-
  [ -n "$(request_header 2 x-goog-if-generation-match)" ]
}

@test "another generation in between is noticed" {
  gcs_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 50000},
    {"op": "get", "nth": 2, "replace_object": {"touch": true}}]}'
  by_token
  new_file 90000 f >/dev/null
  seed_object bucket k f
  run_ank ankget-fake gs://bucket/k
  assert_exit 9
  assert_eq "$(request 2 .status)" 412
}

@test "a 429 waits a second at least, whatever the dice say" {
  FAKE_DICE=0
  gcs_cloud '{"rules": [{"op": "put", "nth": 1, "s3_error": "SlowDown"}]}'
  by_token
  new_file 10 f >/dev/null
  run_ank ankput-fake f gs://bucket/k
  assert_exit 0
  assert_json attempt verdict throttled 1
  assert_between "$(slept)" 1000 1200
}

@test "a token that was refused is read anew, once" {
  UNSIGNED_OK=1
  gcs_cloud '{"tokens": {"old": {"expired": true}, "new": {}},
    "rules": [{"op": "put", "nth": 1, "delay_ms": 300}]}'
  printf 'old\n' >token
  ANK_ENV=(CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="$T/token")
  new_file 10 f >/dev/null
  run_ank ankput --retries 0 f gs://bucket/k
  assert_exit 5
  assert_eq "$(requests)" 1
  assert_json attempt verdict reauth
  gcs_cloud "$(<"$CLOUD_DIR/scenario.json")"
  start_ank ankput --retries 0 f gs://bucket/k
  until [ -s "$CLOUD_DIR/log.ndjson" ]; do kill -0 "$ANK_PID"; done
  printf 'new\n' >token
  wait_ank
  assert_exit 0
  assert_eq "$(requests)" 2
  assert_json result repairs 1
}

@test "a token is not sent over plain http but to loopback" {
  by_token
  new_file 10 f >/dev/null
  run_ank ankput --endpoint http://192.0.2.1:1 --retries 0 f gs://bucket/k
  assert_exit 4
  assert_contains "$(cat "$ERR" "$OUT")" https
}

@test "create-only and a generation are conditions of a write" {
  local generation
  gcs_cloud
  by_token
  new_file 10 f >/dev/null
  new_file 11 g >/dev/null
  run_ank ankput --no-clobber f gs://bucket/k
  assert_exit 0
  assert_eq "$(request_header 1 x-goog-if-generation-match)" 0
  generation=$(stored_meta bucket k .generation)
  run_ank ankput --no-clobber f gs://bucket/k
  assert_exit 0
  assert_json result settled same_object
  run_ank ankput --no-clobber g gs://bucket/k
  assert_exit 7
  run_ank ankput --if-match 1 g gs://bucket/k
  assert_exit 7
  run_ank ankput --if-match '"etag"' g gs://bucket/k
  assert_exit 2
  run_ank ankput --if-match "$generation" g gs://bucket/k
  assert_exit 0
  assert_same g "$(stored_object bucket k)"
  run_ank ankget --if-match "$generation" gs://bucket/k out
  assert_exit 7
  run_ank ankget --version-id abc gs://bucket/k out
  assert_exit 2
}

@test "an older generation is fetched by its number" {
  local first
  gcs_cloud '{"versioning": true}'
  by_token
  new_file 10 f >/dev/null
  new_file 11 g >/dev/null
  run_ank ankput f gs://bucket/k
  first=$(json result version_id)
  run_ank ankput g gs://bucket/k
  run_ank ankget --version-id "$first" gs://bucket/k out
  assert_exit 0
  assert_same f out
}

@test "large objects travel in parts, by token and by key" {
  local who
  gcs_cloud '{"min_part": 1}'
  new_file 3000000 f >/dev/null
  for who in by_token by_key; do
    $who
    run_ank ankput --multipart-threshold 1M --part-size 5M f "gs://bucket/$who"
    assert_exit 0
    assert_same f "$(stored_object bucket "$who")"
  done
  assert_eq "$(requests create) $(requests complete)" "2 2"
}

@test "an object of parts has the crc32c that they make, or is no success" {
  gcs_cloud '{"min_part": 1, "rules": [{"op": "complete", "key": "bad", "headers":
    {"x-goog-hash": "crc32c=AAAAAA=="}}]}'
  by_token
  new_file 6000000 f >/dev/null
  run_ank ankput --multipart-threshold 1M --part-size 5M f gs://bucket/good
  assert_exit 0
  assert_json result version_id "$(stored_meta bucket good .generation)"
  run_ank ankput-fake --multipart-threshold 1M --part-size 5M f gs://bucket/bad
  assert_exit 9
  assert_json result why checksum_mismatch
}

@test "STORAGE_EMULATOR_HOST needs no scheme" {
  gcs_cloud
  by_token
  new_file 10 f >/dev/null
  run_ank STORAGE_EMULATOR_HOST="127.0.0.1:$CLOUD_PORT" -ANK_ENDPOINT \
    ankput f gs://bucket/k
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
}

@test "keys are found in the boto file, a half of them is a mistake" {
  gcs_cloud
  new_file 10 f >/dev/null
  printf '[Boto]\nx = y\n[Credentials]\ngs_access_key_id = %s\ngs_secret_access_key = %s\n' \
    "$TEST_KEY" "$TEST_SECRET" >home/.boto
  run_ank ankput f gs://bucket/k
  assert_exit 0
  run_ank GS_ACCESS_KEY_ID=a ankput f gs://bucket/k
  assert_exit 4
  run_ank BOTO_CONFIG="$T/none" ankput f gs://bucket/k
  assert_exit 4
  rm home/.boto
  run_ank ankput f gs://bucket/k
  assert_exit 4
  assert_contains "$(cat "$ERR")" GOOGLE_OAUTH_ACCESS_TOKEN
}

@test "no secret is in a report, nor in what -v and --explain say" {
  gcs_cloud
  by_token
  new_file 10 f >/dev/null
  run_ank ankput -v --explain f gs://bucket/k
  assert_exit 0
  run cat "$OUT" "$ERR"
  [[ $output != *"$TOKEN"* ]]
}
