#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankget to a file: all of the object under its name, or what was there before.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

@test "objects of 0 bytes, of 1 and of sizes around each buffer arrive whole" {
  local size
  cloud
  for size in 0 1 16384 65536 262143 262144 262145 3333333; do
    seed "$size"
    run_ank ankget s3://bucket/k "$T/out"
    assert_exit 0
    assert_same "$T/out" "$T/object"
    assert_json result bytes "$size"
    assert_json result attempts 1
    assert_json result etag "\"$(md5sum <"$T/object" | cut -d' ' -f1)\""
  done
  assert_eq "$(requests)" 8
  assert_no_leftovers
  assert_careful
}

@test "until the end there is only a temporary file, beside the destination" {
  cloud '{"op": "get", "hang_at": 50000}'
  seed 100000
  echo old >"$T/out"
  start_ank ankget s3://bucket/k "$T/out"
  await_hang
  assert_eq "$(cat "$T/out")" old
  [[ $(basename "$T"/.out.ank-*) =~ ^\.out\.ank-[A-Za-z0-9]{6}$ ]]
  assert_eq "$(stat -c %a "$T"/.out.ank-*)" 600
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_eq "$(cat "$T/out")" old
  assert_no_leftovers
}

@test "a new file's mode is 0666 without the umask, an old one's is kept" {
  cloud
  seed 10
  umask 027
  run_ank ankget s3://bucket/k "$T/out"
  assert_eq "$(stat -c %a "$T/out")" 640
  chmod 604 "$T/out"
  run_ank ankget s3://bucket/k "$T/out"
  assert_exit 0
  assert_eq "$(stat -c %a "$T/out")" 604
}

@test "a symlink is followed: the file it names is replaced, the link stays" {
  cloud
  seed 10
  mkdir d
  echo old >d/real
  ln -s d/real link
  run_ank ankget s3://bucket/k link
  assert_exit 0
  assert_eq "$(readlink link)" d/real
  assert_same d/real "$T/object"
  assert_no_leftovers d
}

@test "a dangling symlink, also at the end of a chain, makes the file it names" {
  cloud
  seed 10
  mkdir d e
  ln -s d/b a
  ln -s ../e/c d/b
  run_ank ankget s3://bucket/k a
  assert_exit 0
  assert_same e/c "$T/object"
  assert_eq "$(readlink a) $(readlink d/b)" "d/b ../e/c"
}

@test "symlinks in a circle are refused before a request" {
  cloud
  seed 10
  ln -s b a
  ln -s a b
  run_ank ankget s3://bucket/k a
  assert_exit 3
  assert_eq "$(requests)" 0
  assert_human 'symbolic links'
}

@test "a name as long as a file name may be is written" {
  local name
  cloud
  seed 10
  name=$(printf 'é%.0s' {1..127})x
  run_ank ankget s3://bucket/k "$name"
  assert_exit 0
  assert_same "$name" "$T/object"
  run_ank ankget s3://bucket/k "${name}y"
  assert_exit 3
  assert_human 'File name too long'
  assert_eq "$(requests)" 1
}

# case 84: told before the first request, at once

@test "a destination that cannot be written is refused before a request (case 84)" {
  local place
  cloud
  seed 10
  mkdir dir
  for place in missing/x dir dir/ . .. / object/x; do
    run_ank ankget s3://bucket/k "$place"
    assert_exit 3
    assert_human "ankget: $place: "
  done
  run_ank ankget s3://bucket/k ''
  assert_exit 2
  assert_eq "$(requests)" 0
  assert_eq "$(find dir)" dir
}

@test "no permission, for the folder or for the file, is told before a request (case 84)" {
  cloud
  seed 10
  mkdir -m 755 closed open
  echo old >open/file
  chmod 777 open
  chmod 444 open/file
  unprivileged run_ank ankget s3://bucket/k closed/x
  assert_exit 3
  assert_human 'closed/x: Permission denied'
  unprivileged run_ank ankget s3://bucket/k open/file
  assert_exit 3
  assert_human 'open/file: Permission denied'
  assert_eq "$(cat open/file)" old
  assert_eq "$(requests)" 0
  assert_no_leftovers open
}

@test "a read-only file system is told before a request (case 84)" {
  cloud
  seed 10
  [ -e /proc/version ] || skip 'no /proc'
  run_ank ankget s3://bucket/k /proc/ank-test
  assert_exit 3
  assert_json result outcome local
  assert_eq "$(requests)" 0
}

@test "a full disk: local, errno's words, old file kept, no retry (case 83)" {
  cloud
  seed 100000
  echo old >"$T/out"
  run_limited s3://bucket/k "$T/out"
  assert_exit 3
  assert_json result outcome local
  assert_human "$T/out: File too large"
  assert_eq "$(cat "$T/out")" old
  assert_eq "$(requests)" 1
  assert_json attempt verdict failed
  assert_json attempt next stop
  assert_no_leftovers
}

# run_limited ARG...: ankget that may write files of 40 KiB.
run_limited() {
  printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 40\nexec "$@"\n' >limited
  chmod +x limited
  ANK_WRAP=$T/limited run_ank ankget "$@"
}

@test "a full file system: the same, with the space given back (case 83)" {
  [ "$(id -u)" = 0 ] || skip 'only root can mount'
  mkdir small
  mount -t tmpfs -o size=64k none small 2>/dev/null || skip 'nothing can be mounted'
  cloud
  seed 200000
  echo old >small/out
  run_ank ankget s3://bucket/k small/out
  umount -l small || true
  assert_exit 3
  assert_human 'No space left on device'
  assert_eq "$(requests)" 1
}

@test "/dev/full says no space, in place and without a retry (case 83)" {
  cloud
  seed 100000
  run_ank ankget s3://bucket/k /dev/full
  assert_exit 3
  assert_human '/dev/full: No space left on device'
  assert_eq "$(requests)" 1
  [ -c /dev/full ]
}

# bats test_tags=valgrind
@test "/dev/null and a FIFO are written in place" {
  cloud
  seed 300000
  run_ank ankget s3://bucket/k /dev/null
  assert_exit 0
  assert_json result bytes 300000
  [ -c /dev/null ]
  mkfifo fifo
  cat fifo >got &
  run_ank ankget s3://bucket/k fifo
  wait $!
  assert_exit 0
  assert_same got "$T/object"
  [ -p fifo ]
}

@test "a FIFO without a reader can be interrupted" {
  cloud
  seed 10
  mkfifo fifo
  start_ank ankget s3://bucket/k fifo
  await_blocked
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result outcome interrupted
  assert_eq "$(requests)" 0
}

# await_blocked: until the program sleeps in open() of a FIFO.
await_blocked() {
  local i
  for ((i = 0; i < 500; i++)); do
    refute grep -qs 'wait_for_partner\|fifo_open' "/proc/$ANK_PID/wchan" || return 0
    [ "$i" -lt 50 ] || [ "$(cut -d' ' -f3 "/proc/$ANK_PID/stat")" != S ] || return 0
    sleep 0.01
  done
}

@test "-o FILE is FILE; -o - and - are standard output" {
  cloud
  seed 1000
  run_ank ankget -o "$T/a" s3://bucket/k
  assert_exit 0
  assert_same a "$T/object"
  run_ank ankget s3://bucket/k -o -
  assert_exit 0
  assert_same "$OUT" "$T/object"
  run_ank ankget s3://bucket/k -
  assert_exit 0
  assert_same "$OUT" "$T/object"
  [ ! -e - ]
}

@test "two places for one object are refused" {
  cloud
  run_ank ankget s3://bucket/k a -o b
  assert_usage --output
  run_ank ankget -O s3://bucket/k a
  assert_usage --remote-name
  run_ank ankget -I s3://bucket/k a
  assert_usage --head
  run_ank ankget s3://bucket/k a b
  assert_usage URL
}

@test "-O names the file after the key's last part, and refuses what is none" {
  local key
  cloud
  seed 10 a/b/name
  seed 10 '-dash'
  seed 10 'a/...'
  run_ank ankget -O s3://bucket/a/b/name
  assert_exit 0
  assert_same name "$T/object"
  run_ank ankget -O s3://bucket/-dash
  assert_exit 0
  assert_same ./-dash "$T/object"
  run_ank ankget -O s3://bucket/a/...
  assert_exit 0
  assert_same ./... "$T/object"
  for key in a/ a/. a/.. . ..; do
    run_ank ankget -O "s3://bucket/$key"
    assert_exit 2
    assert_contains "$(json result message)" --remote-name
  done
  assert_eq "$(requests)" 3
}

@test "--create-dirs makes the folders, and only then" {
  cloud
  seed 10
  run_ank ankget s3://bucket/k x/y/z
  assert_exit 3
  run_ank ankget --create-dirs s3://bucket/k x/y/z
  assert_exit 0
  assert_same x/y/z "$T/object"
  run_ank ankget --create-dirs s3://bucket/k "$T/abs/file"
  assert_exit 0
  run_ank ankget --create-dirs s3://bucket/k "object/y/z"
  assert_exit 3
  assert_eq "$(requests)" 2
}

# bats test_tags=valgrind
@test "an answer of 304 leaves the file alone and is no failure" {
  cloud
  seed 1000
  echo old >"$T/out"
  run_ank ankget --if-none-match "\"$(md5sum <"$T/object" | cut -d' ' -f1)\"" \
    s3://bucket/k "$T/out"
  assert_exit 0
  assert_json result outcome not_modified
  assert_json result ok true
  assert_json attempt status 304
  assert_eq "$(cat "$T/out")" old
  assert_eq "$(wc -c <"$ERR")" 0
  assert_no_leftovers
  run_ank ankget --if-none-match '"other"' s3://bucket/k "$T/out"
  assert_exit 0
  assert_json result outcome ok
  assert_same "$T/out" "$T/object"
}

@test "--if-match fetches only the object it names" {
  cloud
  seed 1000
  run_ank ankget --if-match '"other"' s3://bucket/k "$T/out"
  assert_exit 7
  assert_json result outcome exists
  [ ! -e "$T/out" ]
  run_ank ankget --if-match "\"$(md5sum <"$T/object" | cut -d' ' -f1)\"" \
    s3://bucket/k "$T/out"
  assert_exit 0
  assert_eq "$(requests)" 2
}

# bats test_tags=valgrind
@test "a missing object leaves no file and no temporary one" {
  cloud
  run_ank ankget s3://bucket/none "$T/out"
  assert_exit 6
  [ ! -e "$T/out" ]
  assert_no_leftovers
  assert_eq "$(requests)" 1
}

@test "--version-id asks for that version" {
  CLOUD_SETTINGS='"versioning": true' cloud
  echo one >one
  echo two >two
  run_ank ankput one s3://bucket/k
  id=$(json result version_id)
  run_ank ankput two s3://bucket/k
  run_ank ankget --version-id "$id" s3://bucket/k out
  assert_exit 0
  assert_same out one
  assert_json result version_id "$id"
  assert_contains "$(request 3 .target)" "versionId=$id"
  run_ank ankget --version-id 'no such/&?version' s3://bucket/k out
  assert_exit 6
  assert_careful
}

# bats test_tags=valgrind
@test "--dry-run of a read makes no file and sends nothing" {
  cloud
  run_ank ankget --dry-run s3://bucket/a+b "$T/out"
  assert_exit 0
  assert_json result dry_run true
  assert_json result url "$CLOUD_URL/bucket/a%2Bb"
  [ ! -e "$T/out" ]
  assert_eq "$(requests)" 0
  assert_no_leftovers
}
