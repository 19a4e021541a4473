#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 6: what became of an upload whose answer was lost is asked, by one
# HEAD, and known but for the cases in which nobody can tell (case 40).

load ../lib/harness
load policy
load parts

# lost OP: each answer to OP is lost, the work done.
lost() { printf '{"op": "%s", "store": true, "close_at": "status"}' "$1"; }
# dropped OP: the requests get nowhere.
dropped() { printf '{"op": "%s", "store": false, "close_at": "status"}' "$1"; }

# --- in one request --------------------------------------------------------------

@test "PUT: stored, every answer lost: success, confirmed by one HEAD" {
  rules "$(lost put)"
  put k
  ends 0 ok
  assert_json result confirmed_by head
  assert_json result bytes 1000
  assert_json result etag "\"$(md5sum <"$T/source" | cut -d' ' -f1)\""
  assert_eq "$(requests put) $(requests head)" '3 1'
  stored k
}

@test "PUT: an empty object where nobody listens was not sent: unavailable, no HEAD" {
  local at
  at=http://127.0.0.1:$(closed_port)
  : >"$T/source"
  put k --endpoint "$at"
  ends 10 unavailable
  assert_eq "$(told op)" 'put put put'
  # Nor was the beginning of an upload in parts, which has no body.
  new_file 1000000 "$T/source" >/dev/null
  put k --endpoint "$at" --multipart-threshold 100K
  ends 10 unavailable
  assert_eq "$(told op) $(json result leftover)" 'create create create '
}

@test "PUT: the first answer lost, the second there: no HEAD" {
  rules '{"op": "put", "nth": 1, "store": true, "close_at": "status"}'
  put k
  ends 0 ok
  assert_eq "$(ops)" 'put put'
  assert_eq "$(json result confirmed_by)" ''
}

@test "PUT: lost and not stored: unavailable, after one HEAD" {
  rules "$(dropped put)"
  put k
  ends 10 unavailable
  assert_eq "$(requests put) $(requests head) $(requests get)" '3 1 0'
  assert_eq "$(json result confirmed_by)" ''
}

@test "PUT: lost, and another object is there: unavailable" {
  rules "$(dropped put)"
  seed 999
  put k
  ends 10 unavailable
  assert_eq "$(requests put) $(requests head) $(requests get)" '3 1 0'
}

@test "PUT: lost, an object of our size is there: it is read back" {
  rules "$(dropped put)"
  seed 1000
  put k
  ends 10 unavailable
  assert_eq "$(requests head) $(requests get)" '1 1'
  new_file 1000 "$T/source" >/dev/null
  seed_object bucket k2 "$T/source"
  put k2
  ends 0 ok
  assert_json result confirmed_by head
  assert_eq "$(requests head) $(requests get)" '2 2'
}

@test "PUT: a checksum of the store's decides without reading" {
  rules "$(dropped put)" '{"op": "head", "headers": {"x-amz-checksum-sha256":
    "'"$(new_file 1000 "$T/source" >/dev/null; openssl dgst -sha256 -binary "$T/source" | base64)"'"}}'
  seed 1000
  put k
  ends 0 ok
  assert_eq "$(requests head) $(requests get)" '1 0'
}

@test "PUT: the HEAD fails: unknown" {
  local answer
  for answer in '"status": 403' '"status": 503' '"close_at": "status"'; do
    rules "$(lost put)" "{\"op\": \"head\", $answer}"
    put k
    ends 14 unknown
    assert_contains "$(json result message)" 'the answer was lost'
    stop_clouds
  done
}

@test "PUT: the read-back fails: unknown" {
  local answer
  for answer in '"status": 403' '"status": 503' '"close_at": 500'; do
    rules "$(lost put)" "{\"op\": \"get\", $answer}"
    put k
    ends 14 unknown
    stop_clouds
  done
}

@test "PUT: the HEAD is asked within the deadline" {
  rules "$(lost put)" '{"op": "head", "hang_at": "status"}'
  put k --deadline 5s --retries 0
  assert_between "$(json result elapsed_ms)" 0 5100
  ends 14 unknown
}

@test "PUT: larger than what is read back: unknown when only the size agrees" {
  SETTINGS='"discard": true' rules "$(lost put)"
  truncate -s 65M "$T/source"
  put k --multipart-threshold 100M --retries 0
  ends 14 unknown
  assert_eq "$(requests get)" 0
}

@test "PUT: sent in part alone, or answered: nothing is asked" {
  rules '{"op": "put", "close_at": "request:500000"}'
  source_of 5000000
  put k
  ends 10 unavailable
  assert_eq "$(requests head)" 0
  stop_clouds
  rules '{"op": "put", "status": 503}'
  put k
  ends 10 unavailable
  assert_eq "$(requests head)" 0
}

@test "PUT: never connected: nothing is asked" {
  put k --endpoint "http://127.0.0.1:$(closed_port)"
  ends 10 unavailable
  assert_eq "$(attempts)" 3
}

@test "PUT on a stale connection that broke is an attempt like a lost one" {
  rules "$(lost put)"
  put k --retries 0
  ends 0 ok
  assert_json result confirmed_by head
}

@test "PUT: an empty object is confirmed, too" {
  rules "$(lost put)"
  source_of 0
  put k
  ends 0 ok
  assert_json result confirmed_by head
}

@test "PUT: denied in the end, after a lost answer: denied" {
  rules '{"op": "put", "nth": 1, "store": false, "close_at": "status"}' \
    '{"op": "put", "s3_error": "AccessDenied"}'
  put k
  ends 5 denied
  assert_eq "$(requests head)" 0
}

# --- in parts ---------------------------------------------------------------------
# A completion goes out on a kept connection: the first loss is a stale one, and
# done again without a retry.

two() { source_of $((5 * MIB + 100)); }

@test "completion: done, every answer lost: success, confirmed by one HEAD" {
  rules "$(lost complete)"
  two
  up k
  ends 0 ok
  assert_json result confirmed_by head
  assert_json result bytes $((5 * MIB + 100))
  assert_contains "$(json result etag)" '-2"'
  assert_eq "$(requests complete) $(requests head) $(requests abort) $(requests get)" '4 1 0 0'
  assert_eq "$(json result aborted)" ''
  stored k
}

@test "completion: done, the answer lost, then NoSuchUpload: success (case 40)" {
  SETTINGS='"complete_again": 404' \
    rules '{"op": "complete", "nth": 1, "store": true, "close_at": "status"}'
  two
  up k
  ends 0 ok
  assert_json result confirmed_by head
  assert_eq "$(requests complete) $(requests head) $(requests abort) $(requests create)" \
    '2 1 0 1'
  stored k
}

@test "completion: a 500 that worked, then NoSuchUpload: success (case 40)" {
  SETTINGS='"complete_again": 404' \
    rules '{"op": "complete", "nth": 1, "store": true, "status": 500}'
  two
  up k
  ends 0 ok
  assert_json result confirmed_by head
  assert_eq "$(requests create)" 1
  stored k
}

@test "completion: silence after white space, then NoSuchUpload: success" {
  SETTINGS='"complete_again": 404' \
    rules '{"op": "complete", "nth": 1, "store": true, "early_200": true, "close_at": 40}'
  two
  up k
  ends 0 ok
  assert_json result confirmed_by head
  stored k
}

@test "completion: the answer lost, then NoSuchUpload and nothing there: a new upload" {
  rules '{"op": "complete", "nth": 1, "store": false, "close_at": "status"}' \
    '{"op": "complete", "nth": 2, "abort_upload": true}'
  two
  up k
  ends 0 ok
  assert_eq "$(requests create) $(requests head)" '2 1'
  assert_eq "$(json result confirmed_by)" ''
  stored k
}

@test "completion: lost and not done: unavailable, aborted" {
  rules "$(dropped complete)"
  two
  up k
  ends 10 unavailable
  assert_eq "$(requests complete) $(requests head) $(requests abort)" '4 1 1'
  nothing_left k
}

@test "completion: lost, the HEAD fails: unknown, and the upload is left and named" {
  rules "$(dropped complete)" '{"op": "head", "status": 403}'
  two
  up k
  ends 14 unknown
  assert_eq "$(requests abort)" 0
  assert_json result aborted false
  assert_json result upload_id "$(uploads)"
}

@test "completion: lost, the old object of the same size is there: read back, unavailable" {
  rules "$(dropped complete)"
  two
  seed $((5 * MIB + 100))
  up k
  ends 10 unavailable
  assert_eq "$(requests head) $(requests get)" '1 1'
  assert_json result aborted true
}

@test "completion: lost, the last run's object is there, too large to be read: unavailable" {
  SETTINGS='"discard": true' rules '{"op": "complete", "nth": "2-", "store": false, "close_at": "status"}'
  truncate -s 65M "$T/source"
  put k
  ends 0 ok
  FAKE_SEED=2 put k
  ends 10 unavailable
  assert_eq "$(requests head) $(requests get)" '1 0'
  assert_json result aborted true
}

@test "completion: lost, somebody's object of that size is there, too large: unknown" {
  SETTINGS='"discard": true' rules '{"op": "complete", "store": false, "close_at": "status"}'
  truncate -s 65M "$T/source"
  put k --multipart-threshold 100M
  ends 0 ok
  put k
  ends 14 unknown
  assert_eq "$(requests abort)" 0
  assert_json result upload_id "$(uploads)"
}

@test "completion: lost, then a throttle that is too long: throttled, the upload is kept" {
  rules '{"op": "complete", "nth": 1, "store": true, "close_at": "status"}' \
    '{"op": "complete", "nth": 2, "status": 503, "headers": {"Retry-After": "900"}}'
  two
  up k
  ends 11 throttled
  assert_eq "$(requests abort) $(requests head)" '0 0'
  assert_json result aborted false
  [ -n "$(json result upload_id)" ]
}

@test "completion: done, the answer lost, then a condition of one's own fails: success" {
  SETTINGS='"complete_again": 412' rules "$(lost complete | sed 's/{/{"nth": 1, /')"
  two
  up k --if-none-match '*'
  ends 0 ok
  assert_json result confirmed_by head
  assert_eq "$(uploads)" ''
  stored k
}

@test "cut off by the deadline when all was sent: told that it may be stored" {
  local op
  source_of $((5 * MIB + 100))
  for op in put complete; do
    rules "{\"op\": \"$op\", \"store\": true, \"hang_at\": \"status\"}"
    if [ "$op" = put ]; then put k --deadline 3s; else up k --deadline 3s; fi
    ends 13 deadline
    assert_json result why may_be_stored
    assert_contains "$(cat "$ERR")" 'may have been stored'
    stop_clouds
  done
  rules '{"op": "put", "hang_at": "request:1000"}'
  put k --deadline 3s --stall-timeout 0
  ends 13 deadline
  assert_json result why ''
}

@test "the nonce is in the metadata of an upload in parts alone, or with --no-clobber" {
  rules
  two
  put small
  assert_eq "$(stored_meta bucket small '.headers | keys | map(select(test("nonce"))) | length')" 0
  up k --metadata a=b
  assert_eq "$(stored_meta bucket k '.headers | with_entries(.key |= ascii_downcase)
    | .["x-amz-meta-anknonce"] | test("^[0-9a-f]{32}$")')" true
  assert_eq "$(stored_meta bucket k '.headers | with_entries(.key |= ascii_downcase) | .["x-amz-meta-a"]')" b
}
