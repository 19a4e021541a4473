#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankput: the bytes of a file become the object, or nothing does.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# put SIZE: a file of that size goes up whole, in one request.
put() {
  run_ank ankput "$(new_file "$1" "$T/source")" "s3://bucket/size-$1"
  assert_exit 0
  assert_stored "size-$1" "$T/source"
  assert_json result bytes "$1"
  assert_json result ok true
  assert_json result attempts 1
  assert_json attempt bytes_sent "$1"
  assert_json result checksum "sha256:$(sha256sum <"$T/source" | cut -d' ' -f1)"
}

@test "files of 0 bytes, of 1 and of sizes around each buffer arrive whole" {
  local size n=0
  cloud
  for size in 0 1 16383 16384 16385 65535 65536 65537 262144 1048575 1048576 \
    1048577 3333333; do
    put "$size"
    n=$((n + 1))
    assert_eq "$(request "$n" .body_len)" "$size"
  done
  assert_eq "$(requests)" "$n"
  assert_careful
}

# bats test_tags=valgrind
@test "each attempt carries all bytes again, with the same hash" {
  local i
  FAKE=1 cloud '{"op": "put", "nth": 1, "s3_error": "InternalError",
            "headers": {"Connection": "close"}}' \
    '{"op": "put", "nth": 2, "rst_at": "request:200000"}'
  run_ank ankput-fake "$(new_file 700001 "$T/source")" s3://bucket/k
  assert_exit 0
  assert_stored k "$T/source"
  assert_eq "$(requests)" 3
  for i in 1 3; do
    assert_eq "$(request "$i" .body_sha256)" "$(sha256sum <"$T/source" | cut -d' ' -f1)"
  done
  assert_json result attempts 3
  assert_json result retries 2
}

# The file changes: while it is hashed, between attempts, while it is sent.

# await_open FILE: until the program has it open.
await_open() {
  local i
  for ((i = 0; i < 500; i++)); do
    ! readlink "/proc/$ANK_PID"/fd/* 2>/dev/null | grep -qx "$1" || return 0
    sleep 0.01
  done
  return 1
}

@test "a file that changes while it is hashed is not sent at all" {
  local change
  cloud
  for change in 'touch -d 2020-01-01' 'truncate -s 500M' 'truncate -s 300M'; do
    truncate -s 400M "$T/source"
    start_ank ankput --multipart-threshold 1G "$T/source" s3://bucket/k
    await_open "$T/source"
    $change "$T/source"
    wait_ank
    assert_exit 3
    assert_json result outcome local
    assert_contains "$(json result message)" "$T/source: "
    assert_json result attempts 0
  done
  assert_eq "$(requests)" 0
}

# Time stands still for the program until the file "go" is there, so that the
# change always comes first.
# bats test_tags=valgrind
@test "a file that grows between two attempts is not stored" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "hang_at": "status", "store": false}'
  new_file 5000 "$T/source" >/dev/null
  start_ank ANK_FAKE_HANG="$T/go" ankput-fake --upload-timeout-ms 5000 "$T/source" \
    s3://bucket/k
  await_hang
  echo more >>"$T/source"
  touch "$T/go"
  wait_ank
  assert_exit 3
  assert_json result outcome local
  assert_contains "$(json result message)" "$T/source: changed"
  refute_stored k
  assert_eq "$(requests)" 1
}

@test "a file touched between two attempts, same bytes, is not stored" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "hang_at": "status", "store": false}'
  new_file 5000 "$T/source" >/dev/null
  start_ank ANK_FAKE_HANG="$T/go" ankput-fake --upload-timeout-ms 5000 "$T/source" \
    s3://bucket/k
  await_hang
  touch -d '2020-01-01' "$T/source"
  touch "$T/go"
  wait_ank
  assert_exit 3
  assert_json result outcome local
  refute_stored k
  assert_eq "$(requests)" 1
}

# A server that reads slowly gives time to change the file while it is sent.
await_spool() {
  local i
  for ((i = 0; i < 500; i++)); do
    [ ! -s "$CLOUD_DIR/spool/1" ] || return 0
    sleep 0.01
  done
  return 1
}

sending() {
  cloud '{"op": "put", "read_ms": 20, "read_bytes": 262144}'
  new_file 8000000 "$T/source" >/dev/null
  start_ank ankput "$T/source" s3://bucket/k
  await_spool
}


@test "a file that becomes shorter while it is sent is not stored" {
  sending
  truncate -s 4000000 "$T/source"
  wait_ank
  assert_exit 3
  assert_json result outcome local
  assert_contains "$(json result message)" "$T/source: "
  assert_eq "$(requests)" 1
  refute_stored k
  assert_eq "$(attempts)" 1
}

@test "a file that is written while it is sent is not stored" {
  sending
  printf x | dd of="$T/source" bs=1 seek=7999999 conv=notrunc status=none
  wait_ank
  assert_exit 3
  assert_json result outcome local
  assert_contains "$(json result message)" "$T/source: changed"
  assert_eq "$(requests)" 1
  refute_stored k
}

@test "a file replaced by another of its name is sent as it was opened" {
  sending
  cp "$T/source" "$T/old"
  echo other >"$T/new" && mv "$T/new" "$T/source"
  wait_ank
  assert_exit 0
  assert_stored k "$T/old"
}

@test "a directory, a FIFO, a device and a missing file are refused at once" {
  local source
  cloud
  mkdir "$T/dir" && mkfifo "$T/fifo"
  for source in "$T/dir" "$T/fifo" /dev/null "$T/missing" "$T/dir/x/y"; do
    ANK_TIMEOUT=5 run_ank ankput "$source" s3://bucket/k
    assert_exit 3
    assert_json result outcome local
    assert_human "$source"
  done
  assert_eq "$(requests)" 0
}

@test "a file that may not be read is refused, with its name and the reason" {
  cloud
  new_file 10 "$T/secret" >/dev/null
  chmod 000 "$T/secret"
  unprivileged run_ank ankput "$T/secret" s3://bucket/k
  assert_exit 3
  assert_human "$T/secret: Permission denied"
  assert_eq "$(requests)" 0
}

@test "a URL ending in / takes the file's base name" {
  cloud
  mkdir d
  new_file 9 d/name.bin >/dev/null
  run_ank ankput d/name.bin s3://bucket/a/b/
  assert_exit 0
  assert_stored a/b/name.bin d/name.bin
  run_ank ankput d/name.bin s3://bucket/
  assert_exit 0
  assert_stored name.bin d/name.bin
  run_ank ankput d/name.bin s3://bucket
  assert_exit 0
  assert_json result key name.bin
}

@test "a symlink's target is what goes up" {
  cloud
  new_file 99 "$T/real" >/dev/null
  ln -s real "$T/link"
  run_ank ankput "$T/link" s3://bucket/k
  assert_exit 0
  assert_stored k "$T/real"
}

@test "the sum a PUT's answer tells is compared, and a wrong one is retried" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "headers": {"x-amz-checksum-sha256":
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}'
  run_ank ankput-fake "$(new_file 1000 "$T/source")" s3://bucket/k
  assert_exit 0
  assert_eq "$(requests)" 2
  assert_json attempt verdict integrity 1
  assert_json attempt why checksum_mismatch 1
  assert_stored k "$T/source"
}

# bats test_tags=valgrind
@test "a sum that stays wrong ends as integrity" {
  FAKE=1 cloud '{"op": "put", "headers": {"x-amz-checksum-sha256":
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}'
  run_ank ankput-fake "$(new_file 1000)" s3://bucket/k
  assert_exit 9
  assert_json result outcome integrity
  assert_json result why checksum_mismatch
  assert_contains "$(cat "$ERR")" checksum
  assert_eq "$(requests)" 3
}

@test "a composite sum in a PUT's answer is not taken for one of the bytes" {
  cloud '{"op": "put", "headers": {"x-amz-checksum-sha256":
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=-3"}}'
  run_ank ankput "$(new_file 1000)" s3://bucket/k
  assert_exit 0
  assert_eq "$(requests)" 1
}

@test "200 with an Error document is no success" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "status": 200, "store": false,
    "body": "<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>oops</Message></Error>"}'
  run_ank ankput-fake "$(new_file 1000 "$T/source")" s3://bucket/k
  assert_exit 0
  assert_eq "$(requests)" 2
  assert_json attempt status 200 1
  assert_json attempt code InternalError 1
  assert_json attempt verdict transient 1
  assert_stored k "$T/source"
}

# bats test_tags=valgrind
@test "200 with an Error document to the end is a failure" {
  FAKE=1 cloud '{"op": "put", "status": 200, "store": false,
    "body": "<Error><Code>InternalError</Code></Error>"}'
  run_ank ankput-fake "$(new_file 1000)" s3://bucket/k
  assert_exit 10
  assert_eq "$(requests)" 3
  assert_human InternalError
}

@test "a body the server says it received otherwise is retried, then integrity" {
  FAKE=1 cloud '{"op": "put", "s3_error": "XAmzContentSHA256Mismatch"}'
  run_ank ankput-fake "$(new_file 1000)" s3://bucket/k
  assert_exit 9
  assert_json result outcome integrity
  assert_eq "$(requests)" 3
}

@test "nothing but the named file is read: standard input stays (case 25)" {
  cloud
  new_file 1000 "$T/source" >/dev/null
  mkfifo "$T/never"
  exec 7<>"$T/never"
  echo input >&7
  ANK_TIMEOUT=5 run_ank ankput "$T/source" s3://bucket/k <&7
  assert_exit 0
  read -r -t 1 -u 7 line
  assert_eq "$line" input
  exec 7>&-
}

@test "files with odd names go up: spaces, newline, leading dash, not UTF-8" {
  local name
  cloud
  for name in 'a b' $'new\nline' ./-dash $'latin\xe9' '"quotes"' '%41'; do
    new_file 77 "$name" >/dev/null
    run_ank ankput "$name" s3://bucket/odd
    assert_exit 0
    assert_stored odd "$name"
  done
  run_ank ankput -- -dash s3://bucket/odd2
  assert_exit 0
  assert_stored odd2 ./-dash
}
