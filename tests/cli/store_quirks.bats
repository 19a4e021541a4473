#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Stores that are known to part ways with S3, known by the host of --endpoint:
# conditions that are ignored or refused, the size and number of parts, where
# the bucket stands.

load ../lib/harness
load policy
load parts

# at HOST KEY OPTION...: $T/source to that store, which is the cloud in truth;
# the bucket in the host or in the path, as the store has it.
at() {
  local host=$1
  put "$2" --endpoint "http://$host:$CLOUD_PORT" \
    --resolve "$host:$CLOUD_PORT:127.0.0.1" \
    --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" "${@:3}"
}

gcs=storage.googleapis.com
r2=acc.r2.cloudflarestorage.com
b2=s3.us-west-004.backblazeb2.com
fastly=eu-central-1.object.fastlystorage.app

domains="\"domains\": [\"$gcs\", \"s3.wasabisys.com\", \"s3.fr-par.scw.cloud\"]"

# A store that ignores conditions, for which the cloud must be told.
ignoring() { SETTINGS=$domains,'"ignore_conditions": true' rules "$@"; }

two() { source_of $((5 * MIB + 100)); }

# piped HOST OPTION...: $T/source through a pipe.
piped() {
  local host=$1
  run_ank ankput-fake --endpoint "http://$host:$CLOUD_PORT" \
    --resolve "$host:$CLOUD_PORT:127.0.0.1" "${@:2}" - s3://bucket/k \
    < <(cat "$T/source")
}

@test "a condition that is ignored: it looks first, stores, and is told as not guarded" {
  ignoring
  at "$gcs" k --no-clobber
  ends 0 ok
  assert_eq "$(ops)" 'head put'
  assert_json result guarded false
  stored k
}

@test "a condition that is ignored: what is there is seen before a byte is sent" {
  ignoring
  seed_object bucket k "$(new_file 1000 "$T/other" 9)"
  at "$gcs" k --no-clobber
  ends 7 exists
  assert_eq "$(ops)" 'head get'
  assert_eq "$(json result guarded)" ''
  assert_same "$(stored_object bucket k)" "$T/other"
}

@test "a condition that is ignored: the same bytes are there already" {
  ignoring
  at "$gcs" k
  at "$gcs" k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(ops)" 'put head get'
}

@test "a condition that is ignored: a denied look is passed over, and told" {
  ignoring '{"op": "head", "s3_error": "AccessDenied"}'
  at "$gcs" k --no-clobber
  ends 0 ok
  assert_eq "$(ops)" 'head put'
  assert_json result guarded false
}

@test "a condition that is ignored: of a stream, too" {
  ignoring
  source_of 1000
  seed_object bucket k "$(new_file 900 "$T/other" 9)"
  run_ank ankput-fake --endpoint "http://$gcs:$CLOUD_PORT" \
    --resolve "bucket.$gcs:$CLOUD_PORT:127.0.0.1" --no-clobber \
    - s3://bucket/k < <(cat "$T/source")
  ends 7 exists
  assert_eq "$(ops)" head
}

@test "conditions of one's own that are ignored: told as not guarded" {
  local option
  ignoring
  for option in --if-match=\"x\" --if-none-match='*'; do
    at "$gcs" k "$option"
    ends 0 ok
    assert_json result guarded false
  done
  at "$gcs" k
  assert_eq "$(json result guarded)" ''
}

@test "a condition that is known to be refused: rejected, and nothing is sent" {
  rules
  at "$b2" k --no-clobber
  ends 8 rejected
  assert_json result why condition_refused
  assert_contains "$(json result message)" backblaze
  two
  at "$gcs" k --no-clobber --part-size 5M --multipart-threshold 0
  ends 8 rejected
  assert_json result why condition_refused
  at "$b2" k --no-clobber --dry-run
  ends 8 rejected
  assert_eq "$(requests)" 0
}

@test "a condition that is obeyed, or a store that is not known: no look, nothing told" {
  rules
  at "$r2" k --no-clobber
  ends 0 ok
  put k2 --no-clobber
  ends 0 ok
  assert_eq "$(ops)" 'put put'
  assert_eq "$(json result guarded)" ''
}

@test "parts of one size: a stream's do not grow, and all but the last are as long" {
  rules
  source_of $((22 * MIB + 5))
  piped "$r2" --part-size 5M --multipart-threshold 0 --parallel 2
  ends 0 ok
  assert_eq "$(part_log body_len)" \
    "$((5 * MIB)) $((5 * MIB)) $((5 * MIB)) $((5 * MIB)) $((2 * MIB + 5))"
  stored k
}

@test "parts of one size: without a wish as large as fit the memory" {
  rules
  source_of $((22 * MIB))
  piped "$r2" --buffer-limit 40M --parallel 3
  ends 0 ok
  assert_eq "$(part_log body_len)" "$((10 * MIB)) $((10 * MIB)) $((2 * MIB))"
}

@test "parts of one size: what cannot fit is refused before a byte is read" {
  rules
  source_of 10
  piped "$r2" --expected-size 5T
  ends 2 usage
  assert_contains "$(json result message)" --buffer-limit
  piped "$r2" --expected-size 6T
  ends 2 usage
  assert_eq "$(requests)" 0
}

@test "a store without uploads in parts: one request whatever the threshold" {
  rules
  source_of $((6 * MIB))
  at "$fastly" k --multipart-threshold 0 --part-size 5M
  ends 0 ok
  piped "$fastly" --multipart-threshold 0
  ends 0 ok
  assert_eq "$(ops)" 'put put'
  stored k
}

@test "a store without uploads in parts: what is too much for one is refused" {
  rules
  source_of $((6 * MIB))
  piped "$fastly" --buffer-limit 5M
  ends 3 local
  assert_contains "$(json result message)" --buffer-limit
  piped "$fastly" --buffer-limit 5M --expected-size 6M
  ends 2 usage
  rm "$T/source"
  truncate -s 6G "$T/source"
  at "$fastly" k
  ends 3 local
  assert_eq "$(requests)" 0
}

@test "a store of a thousand parts, and one that wants large ones" {
  rules
  rm -f "$T/source"
  truncate -s 70M "$T/source"
  at gateway.storjshare.io k
  ends 0 ok
  assert_eq "$(part_log body_len)" "$((64 * MIB)) $((6 * MIB))"
  truncate -s 6T "$T/source"
  at s3.fr-par.scw.cloud k
  ends 3 local
  assert_contains "$(json result message)" 5000000000000
}

@test "the bucket stands where the store has it, unless it is said otherwise" {
  SETTINGS=$domains rules
  at s3.wasabisys.com k
  at s3.wasabisys.com k --addressing path
  at "$r2" k
  ends 0 ok
  assert_eq "$(headers host)" "bucket.s3.wasabisys.com:$CLOUD_PORT s3.wasabisys.com:$CLOUD_PORT $r2:$CLOUD_PORT"
}
