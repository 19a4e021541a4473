#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# policy.md 6: --no-clobber overwrites nothing, and finds its own object, or one
# of the same bytes, to be what was meant (cases 41, 42).

load ../lib/harness
load policy
load parts

# there FILE [KEY]: that object is there already.
there() { seed_object bucket "${2:-k}" "$1"; }

# untouched FILE [KEY]: and still is.
untouched() { assert_same "$(stored_object bucket "${2:-k}")" "$1"; }

two() { source_of $((5 * MIB + 100)); }

# other SIZE: a file of other bytes, printed.
other() { new_file "$1" "$T/other" 9; }

# --- in one request --------------------------------------------------------------

@test "nothing there: stored, with the condition and a nonce, no HEAD" {
  rules
  put k --no-clobber
  ends 0 ok
  assert_eq "$(ops)" put
  assert_eq "$(headers if-none-match)" '*'
  assert_contains "$(headers x-amz-meta-anknonce)" ''
  assert_eq "$(headers x-amz-meta-anknonce | tr -d '0-9a-f' | wc -c)" 1
  assert_eq "$(json result settled)" ''
  stored k
}

@test "the same bytes are there: success, same_object (a cron job that runs twice)" {
  rules
  put k
  put k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_json result bytes 1000
  assert_json result etag "\"$(md5sum <"$T/source" | cut -d' ' -f1)\""
  assert_eq "$(ops)" 'put put head get'
}

@test "another object is there: exists, untouched, nothing is read when the size tells" {
  rules
  there "$(other 999)"
  put k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(ops)" 'put head'
  untouched "$T/other"
}

@test "another object of the same size: read back, exists, untouched" {
  rules
  there "$(other 1000)"
  put k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(ops)" 'put head get'
  untouched "$T/other"
}

@test "a 412 is never retried, a 409 conflict is (case 42)" {
  rules '{"op": "put", "nth": 1, "s3_error": "ConditionalRequestConflict"}'
  put k --no-clobber
  ends 0 ok
  assert_json result retries 1
  stored k
  stop_clouds
  rules '{"op": "put", "s3_error": "ConditionalRequestConflict"}'
  put k --no-clobber
  ends 10 unavailable
  assert_eq "$(requests put)" 3
}

@test "412 about our own object after a lost answer: the nonce proves it (case 41)" {
  rules '{"op": "put", "nth": 1, "store": true, "close_at": "status"}'
  put k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(ops)" 'put put head'
  stored k
}

@test "the nonce proves even what cannot be compared otherwise" {
  SETTINGS='"discard": true' \
    rules '{"op": "put", "nth": 1, "store": true, "close_at": "status"}'
  truncate -s 65M "$T/source"
  put k --no-clobber --multipart-threshold 100M
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(ops)" 'put put head'
}

@test "an answer lost, and somebody else was faster: exists (case 41)" {
  rules '{"op": "put", "nth": 1, "store": false, "close_at": "status"}' \
    '{"op": "put", "nth": 2, "replace_object": {"text": "theirs"}}'
  there "$(other 1000)" another
  put k --no-clobber
  ends 7 exists
  assert_json result why other_object
}

@test "every answer lost, stored once: success" {
  rules '{"op": "put", "store": true, "close_at": "status"}'
  put k --no-clobber
  ends 0 ok
  stored k
}

@test "what cannot be compared exists: too large, or not to be read or asked" {
  local rule
  for rule in '{"op": "head", "status": 403}' '{"op": "get", "status": 403}' \
    '{"op": "get", "status": 503}'; do
    rules "$rule"
    put k
    put k --no-clobber
    ends 7 exists
    assert_json result why not_comparable
    stop_clouds
  done
  SETTINGS='"discard": true' rules
  truncate -s 65M "$T/source"
  put k --multipart-threshold 100M
  FAKE_SEED=2 put k --multipart-threshold 100M --no-clobber
  ends 7 exists
  assert_json result why not_comparable
  assert_eq "$(requests get)" 0
}

@test "a checksum that both have decides without reading" {
  new_file 1000 "$T/source" >/dev/null
  rules
  seed_object bucket k "$T/source" "$(jq -n --arg sum \
    "$(openssl dgst -sha256 -binary "$T/source" | base64)" \
    '{checksums: {sha256: $sum}}')"
  put k --no-clobber
  ends 0 ok
  assert_json result settled same_object
}

@test "the object is gone again when it is asked: exists, and says so" {
  rules '{"op": "head", "delete_object": true}'
  put k
  put k --no-clobber
  ends 7 exists
  assert_json result why not_there_any_more
}

@test "a store that refuses the condition: rejected, nothing stored" {
  local code
  for code in NotImplemented InvalidArgument; do
    rules "{\"has_header\": \"if-none-match\", \"s3_error\": \"$code\"}"
    put k --no-clobber
    ends 8 rejected
    assert_eq "$(ops)" put
    assert_contains "$(json result message)" "$code"
    refute_stored k
    stop_clouds
  done
}

@test "--no-clobber with metadata of one's own keeps both" {
  rules
  put k --no-clobber --metadata a=b
  ends 0 ok
  assert_eq "$(headers x-amz-meta-a)" b
  [ "$(headers x-amz-meta-anknonce)" != - ]
}

# --- in parts ---------------------------------------------------------------------

@test "in parts, nothing there: it looks first, and again before the completion" {
  rules
  two
  up k --no-clobber
  ends 0 ok
  assert_eq "$(ops)" 'head create part part head complete'
  assert_eq "$(headers if-none-match)" '- - - - - *'
  assert_eq "$(json result settled)" ''
  stored k
}

@test "in parts, the same bytes are there: success without an upload" {
  rules
  two
  up k
  FAKE_SEED=2 up k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_json result bytes $((5 * MIB + 100))
  assert_contains "$(json result etag)" '-2"'
  assert_eq "$(requests create) $(requests head) $(requests get)" '1 1 1'
}

@test "in parts, another object is there: exists, without an upload" {
  rules
  two
  there "$(other 999)"
  up k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(ops)" head
  there "$(other $((5 * MIB + 100)))"
  up k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(ops)" 'head head get'
  untouched "$T/other"
}

@test "in parts, too large to be compared: exists, not_comparable" {
  SETTINGS='"discard": true' rules
  truncate -s 65M "$T/source"
  put k
  FAKE_SEED=2 put k --no-clobber
  ends 7 exists
  assert_json result why not_comparable
  assert_eq "$(requests create) $(requests get)" '1 0'
}

@test "in parts, a checksum that both have decides, whatever the size; nothing is read" {
  local size crc
  for size in $((5 * MIB + 100)) $((65 * MIB)); do
    source_of "$size"
    rules
    put k --multipart-threshold 100M --checksum crc32c
    up k --no-clobber --checksum crc32c
    ends 0 ok
    assert_json result settled same_object
    printf x | dd of="$T/source" bs=1 seek=9 conv=notrunc 2>/dev/null
    up k --no-clobber --checksum crc32c
    ends 7 exists
    assert_json result why other_object
    assert_eq "$(ops)" 'put head head'
    stop_clouds
  done
}

@test "in parts, the digest of the parts decides when they are cut alike, whatever the size" {
  source_of $((65 * MIB))
  rules
  put k --part-size 30M --checksum sha256
  FAKE_SEED=2 put k --part-size 30M --checksum sha256 --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(requests create) $(requests get)" '1 0'
  # of parts cut elsewhere it says nothing
  FAKE_SEED=3 put k --part-size 24M --checksum sha256 --no-clobber
  ends 7 exists
  assert_json result why not_comparable
  printf x | dd of="$T/source" bs=1 seek=9 conv=notrunc 2>/dev/null
  FAKE_SEED=2 put k --part-size 30M --checksum sha256 --no-clobber
  ends 7 exists
  assert_json result why not_comparable
  assert_eq "$(requests create) $(requests get)" '1 0'
}

@test "a stream whose begin is refused is read on, to be compared" {
  local size why
  source_of $((6 * MIB))
  for size in 6291456:same_object:0 6291457:other_object:7 300:other_object:7; do
    IFS=: read -r size why code <<<"$size"
    rules '{"op": "head", "nth": 1, "status": 404}' '{"op": "create", "status": 412}'
    if [ "$code" = 0 ]; then there "$T/source"; else there "$(other "$size")"; fi
    run_ank ankput-fake --part-size 5M --no-clobber s3://bucket/k -- cat "$T/source"
    assert_exit "$code"
    assert_eq "$(json result settled)$(json result why)" "$why"
    assert_eq "$(requests create) $(part_requests)" '1 0'
    stop_clouds
  done
}

@test "in parts, an object that comes meanwhile is seen before the completion" {
  rules '{"op": "part", "part": 2, "replace_object": {"text": "theirs"}}'
  two
  up k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(requests complete) $(requests abort)" '0 1'
  assert_json result aborted true
  assert_eq "$(uploads)" ''
}

@test "in parts, one that comes behind the last look is met by the condition" {
  rules '{"op": "complete", "nth": 1, "replace_object": {"text": "theirs"}}'
  two
  up k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(requests complete) $(requests abort)" '1 1'
  assert_eq "$(uploads)" ''
}

@test "in parts, the same bytes came meanwhile: success, our parts are dropped" {
  two
  rules "{\"op\": \"complete\", \"nth\": 1, \"replace_object\": {\"file\": \"$T/source\"}}"
  up k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(uploads)" ''
  stored k
}

@test "in parts, 412 about our own object after a lost answer: the nonce proves it (case 41)" {
  SETTINGS='"complete_again": 412' \
    rules '{"op": "complete", "nth": 1, "store": true, "close_at": "status"}'
  two
  up k --no-clobber
  ends 0 ok
  assert_json result settled same_object
  assert_eq "$(requests abort) $(requests get)" '0 0'
  stored k
}

@test "in parts, a failed condition inside a 200 is one, too" {
  rules '{"op": "complete", "nth": 1, "error_in_200": "PreconditionFailed"}' \
    '{"op": "head", "nth": 3, "replace_object": {"text": "theirs"}}'
  two
  up k --no-clobber
  ends 7 exists
  assert_json result why other_object
  assert_eq "$(requests complete) $(requests abort)" '1 1'
}

@test "in parts, a denied HEAD is passed over" {
  rules '{"op": "head", "status": 403}'
  two
  up k --no-clobber
  ends 0 ok
  assert_eq "$(ops)" 'head create part part head complete'
  stored k
}

@test "in parts, a store that refuses the condition: rejected, aborted" {
  local code
  two
  for code in NotImplemented InvalidArgument; do
    rules "{\"op\": \"complete\", \"has_header\": \"if-none-match\", \"s3_error\": \"$code\"}"
    up k --no-clobber
    ends 8 rejected
    assert_contains "$(json result message)" "$code"
    nothing_left k
    stop_clouds
  done
}

@test "in parts, a conflict at the completion: a new upload, with the condition" {
  rules '{"op": "complete", "nth": 1, "s3_error": "ConditionalRequestConflict"}'
  two
  up k --no-clobber
  ends 0 ok
  assert_eq "$(requests create) $(requests complete) $(requests head)" '2 2 4'
  stored k
}
