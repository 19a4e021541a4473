#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# ankget --continue: a download goes on where an earlier run stopped, when what
# is there is provably the object's, and is never seen under its name before.

load ../lib/harness
load bytes
load continue

bats_require_minimum_version 1.5.0

# etag: that of $T/object.
etag() { printf '"%s"' "$(md5sum <"$T/object" | cut -d' ' -f1)"; }

# summed N: the first GET falls silent behind N bytes, and tells a checksum.
summed() {
  cut_at "$1" ", \"headers\": {\"x-amz-checksum-sha256\":
    \"$(openssl dgst -sha256 -binary "$T/object" | base64)\"}"
}

# --- going on -----------------------------------------------------------------

@test "a killed download goes on: only the missing bytes are asked for" {
  cloud "$(cut_at 600000)"
  seed 1000000
  echo old >out
  get_killed
  assert_eq "$(cat out)" old
  get_again
  got
  assert_json result resumed_from 600000
  assert_json result bytes 1000000
  assert_eq "$(request_header 2 Range)" bytes=600000-
  assert_eq "$(request_header 2 If-Match)" "$(etag)"
  assert_eq "$(request 2 .status)" 206
  assert_eq "$(requests)" 2
  assert_careful
}

@test "a note whose writer was killed is gone when all is there, or nothing is kept" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  printf '{"etag"' >.out.ank-part.json.new
  get_again
  got
  assert_json result resumed_from 600000
  printf '{"etag"' >.gone.ank-part.json.new
  run_ank ankget -C s3://bucket/gone gone
  assert_exit 6
  assert_no_leftovers
}

# bats test_tags=valgrind
@test "a run that fails or is interrupted keeps what it has, and the next goes on" {
  cloud "$(cut_at 300000)" '{"op": "get", "nth": "2-3", "close_at": 200000}'
  seed 1000000
  start_ank ankget -C s3://bucket/k "$T/out"
  await_hang
  await_size "$T/.out.ank-part"
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_eq "$(stat -c %s .out.ank-part)" 300000
  get_again --retries 0
  assert_exit 10
  assert_json result resumed_from 300000
  get_again --retries 0
  assert_exit 10
  assert_json result resumed_from 500000
  [ ! -e out ]
  get_again
  got
  assert_json result resumed_from 700000
}

@test "without --continue nothing is kept and what is there is let alone" {
  cloud "$(cut_at 300000)"
  seed 1000000
  get_killed
  run_ank ankget s3://bucket/k out
  assert_exit 0
  assert_same out object
  assert_json result resumed_from ''
  assert_eq "$(stat -c %s .out.ank-part)" 300000
  run_ank ankget s3://bucket/none out2
  assert_eq "$(find . -name '.out2*')" ''
}

@test "all bytes there but not their place: the last one is asked for again" {
  cloud "$(cut_at 900)"
  seed 1000
  get_killed
  cp object .out.ank-part
  get_again
  got
  assert_eq "$(request_header 2 Range)" bytes=999-
}

@test "an object of 0 bytes, and one that comes at once" {
  cloud
  seed 0
  get_again
  got
  seed 1000
  get_again
  got
  assert_json result resumed_from ''
  assert_eq "$(requests)" 2
}

@test "a failure with nothing fetched leaves nothing" {
  cloud
  get_again
  assert_exit 6
  assert_no_leftovers
  [ ! -e out ]
}

@test "a refusal takes nothing away from what is there" {
  cloud "$(cut_at 300000)" '{"op": "get", "nth": 2, "status": 403}'
  seed 1000000
  get_killed
  get_again
  assert_exit 5
  get_again
  got
  assert_json result resumed_from 300000
}

@test "mode, symbolic link and long names are as without" {
  local name
  name=$(printf 'é%.0s' {1..127})x
  cloud "$(cut_at 300000)" '{"op": "get", "key": "long", "nth": 1, "hang_at": 300000}'
  seed 1000000
  seed 1000000 long
  mkdir d
  echo old >d/real
  chmod 604 d/real
  ln -s d/real out
  start_ank ankget -C s3://bucket/k out
  await_hang
  await_size d/.real.ank-part
  assert_eq "$(stat -c %a d/.real.ank-part)" 600
  kill -KILL "$ANK_PID"
  wait_ank
  get_again
  assert_exit 0
  assert_same d/real object
  assert_json result resumed_from 300000
  assert_eq "$(stat -c %a d/real) $(readlink out)" '604 d/real'
  run_ank ankget -C --retries 0 --stall-timeout 300ms s3://bucket/long "$name"
  assert_exit 10
  run_ank ankget -C s3://bucket/long "$name"
  assert_exit 0
  assert_json result resumed_from 300000
  assert_same "$name" object
  assert_no_leftovers
}

# --- what is there is proved ----------------------------------------------------

@test "the checksum is that of all bytes, those of the earlier run too" {
  new_file 1000000 object >/dev/null
  cloud "$(summed 600000)"
  seed 1000000
  get_killed
  get_again
  got
  assert_json result checksum "sha256:$(sha256sum <object | cut -d' ' -f1)"
  assert_json result resumed_from 600000
}

@test "bytes that were damaged meanwhile are found and fetched anew" {
  new_file 1000000 object >/dev/null
  cloud "$(summed 600000)"
  seed 1000000
  get_killed
  printf x | dd of=.out.ank-part bs=1 seek=1000 conv=notrunc status=none
  get_again
  got
  assert_eq "$(jq -rs 'map(select(.event == "attempt") | .why // "-") | join(" ")' \
    "$REPORT")" 'checksum_mismatch -'
  assert_json result resumed_from ''
}

@test "an object that changed is fetched from its beginning, also with --retries 0" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  new_file 900000 object 9 >/dev/null
  seed_object bucket k object
  get_again --retries 0
  got
  assert_eq "$(requests)" 3
  assert_json result resumed_from ''
  assert_eq "$(json attempt why 1)" object_changed
}

@test "an object that became shorter than what is there is fetched anew" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  new_file 500 object 9 >/dev/null
  seed_object bucket k object
  get_again
  got
}

@test "a server that ignores the range sends all, and what is there is passed over" {
  cloud "$(cut_at 600000)" '{"op": "get", "nth": 2, "range": "ignore"}'
  seed 1000000
  get_killed
  get_again
  got
  assert_json result resumed_from 600000
}

@test "after a loss of power only bytes that were synced count" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  # another start of the machine: the file's end may be zeros
  sed -i 's/"boot":"[^"]*"/"boot":"other"/' .out.ank-part.json
  truncate -s 900000 .out.ank-part
  get_again
  got
  assert_json result resumed_from ''
  assert_eq "$(request_header 2 Range || true)" null
}

@test "what a run synced before the loss of power counts" {
  cloud '{"op": "get", "nth": 1, "close_at": 600000}'
  seed 1000000
  get_again --retries 0
  assert_exit 10
  sed -i 's/"boot":"[^"]*"/"boot":"other"/' .out.ank-part.json
  truncate -s 900000 .out.ank-part
  get_again
  got
  assert_json result resumed_from 600000
}

@test "bytes without a note, or with a torn one, are fetched anew, and why" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  truncate -s -5 .out.ank-part.json
  get_again
  got
  warned partial_damaged
  echo mine >.out.ank-part
  get_again
  got
  warned partial_damaged
  assert_eq "$(requests)" 3
}

@test "another object, version or place into the same file: fetched anew, and why" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  seed 500000 other
  run_ank ankget -C s3://bucket/other out
  got
  warned partial_other_object
}

@test "a longer file than the object is not trusted" {
  cloud "$(cut_at 600000)"
  seed 1000000
  get_killed
  truncate -s 1000001 .out.ank-part
  get_again
  got
  warned partial_damaged
}

@test "an object that nothing tells from another is not kept" {
  cloud '{"op": "get", "nth": 1, "close_at": 600000,
    "headers": {"ETag": null, "Last-Modified": null, "x-amz-request-id": "1"}}'
  seed 1000000
  get_again --retries 0
  assert_exit 10
  assert_no_leftovers
}

# --- the file -----------------------------------------------------------------

@test "a second run of the same download ends at once and says why" {
  local first
  cloud "$(cut_at 300000)"
  seed 1000000
  start_ank ankget -C --report first s3://bucket/k "$T/out"
  await_hang
  await_size "$T/.out.ank-part"
  first=$ANK_PID
  get_again
  ANK_PID=$first
  assert_exit 3
  assert_human 'another run fetches this file'
  assert_json result why partial_held
  assert_eq "$(requests)" 1
  kill -KILL "$ANK_PID"
  wait "$ANK_PID" || true
  ANK_PID=
  get_again
  got
  assert_json result resumed_from 300000
}

@test "a link or a file of two names in its place is not written to" {
  cloud
  seed 1000
  echo mine >victim
  ln -s victim .out.ank-part
  get_again
  got
  assert_eq "$(cat victim)" mine
  ln victim .out.ank-part
  get_again
  got
  assert_eq "$(cat victim)" mine
}

@test "another user's file in its place is refused, and let alone" {
  [ "$(id -u)" = 0 ] || skip 'only root can give files away'
  cloud
  seed 1000
  echo theirs >.out.ank-part
  chown 65534 .out.ank-part
  get_again
  assert_exit 3
  assert_human .out.ank-part
  assert_eq "$(cat .out.ank-part)" theirs
  assert_eq "$(requests)" 0
}

@test "a full disk keeps what was fetched" {
  cloud
  seed 1000000
  printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 400\nexec "$@"\n' >limited
  chmod +x limited
  ANK_WRAP=$T/limited get_again
  assert_exit 3
  [ ! -e out ]
  get_again
  got
  assert_json result resumed_from 409600
}

@test "to a stream, of a range or of the facts alone nothing can be continued" {
  cloud
  seed 10
  run_ank ankget -C s3://bucket/k
  assert_usage --continue
  run_ank ankget -C s3://bucket/k -
  assert_usage --continue
  run_ank ankget -C --range 1- s3://bucket/k out
  assert_usage --range
  run_ank ankget -C -I s3://bucket/k
  assert_usage --head
  run_ank ankget -C s3://bucket/k /dev/null
  assert_usage 'no regular file'
  mkfifo fifo
  run_ank ankget -C s3://bucket/k fifo
  assert_usage 'no regular file'
  run_ank ANK_CONTINUE=1 ankget s3://bucket/k
  assert_usage ANK_CONTINUE
}
