#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Whatever happens to the file that runs share: a transfer that would end well
# ends well, one that would fail fails as it would, and neither waits for long.

load ../lib/harness
load policy
load faults

bats_require_minimum_version 1.5.0

teardown() {
  [ -z "${HOLDER-}" ] || release_holder
  [ -z "${NOBODY-}" ] || rm -rf "/var/tmp/ank-$NOBODY"
  chmod -R u+rwx "$T" 2>/dev/null || true
  harness_teardown
}

# --- the file ------------------------------------------------------------------

@test "undisturbed, or without a file or its folder: not a word" {
  servers
  disturbed '' true
  disturbed '' rm "$S"
  disturbed '' rm -r "$D"
  recovered
}

@test "empty, random, too large: one warning, and the next run has a good one" {
  servers
  disturbed state_damaged truncate -s 0 "$S"
  recovered
  disturbed state_damaged truncate -s 1G "$S"
  recovered
  disturbed state_damaged dd if=/dev/urandom of="$S" bs=5000 count=1 status=none
  recovered
  disturbed state_damaged dd if=/dev/zero of="$S" bs=5000 count=1 status=none
  recovered
}

# torn BYTES: a run against each server with only so much of the file.
torn() {
  local bucket
  for bucket in well:0 ill:10; do
    head -c "$1" "$T/kept" >"$S" || return 1
    KEY=$((KEY + 1)) status=0
    ank_prepare "${STATE[@]}" ankput-fake "$T/source" "s3://${bucket%:*}/$KEY"
    "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" || status=$?
    assert_exit "${bucket#*:}" || return 1
    assert_between "$(grep -c '"warning"' "$OUT" || true)" 0 1 || return 1
    assert_between "$(grep -c warning: "$ERR" || true)" 0 1 || return 1
    assert_eq "$(head -n 1 "$S")" '{"ank_state":1}' || return 1
  done
}

@test "torn at any byte: one warning at most, and the next run has a good one" {
  local at size
  servers
  place && sed -i 2d "$S" && keep
  size=$(stat -c %s "$S")
  for ((at = 1; at < size; at += 7)); do torn "$at"; done
  assert_eq "$(requests)" $((KEY * 2))
  recovered
}

# bats test_tags=valgrind
@test "a newer version is left as it is" {
  newer() { sed -i '1s/1/2/' "$S" && keep; }
  servers
  disturbed state_version newer
  assert_same "$S" "$T/kept"
}

@test "one that we may not read, mode 0000, is replaced" {
  servers
  bound
  disturbed state_damaged chmod 0 "$S"
  recovered
}

@test "one that others may write is refused" {
  servers
  disturbed state_refused chmod g+w "$S"
  disturbed state_refused chmod o+w "$S"
}

@test "another user's is refused, and stays" {
  [ "$(id -u)" = 0 ] || skip 'only root gives files away'
  servers
  disturbed state_refused chown 12345 "$S"
  assert_eq "$(stat -c %u "$S")" 12345
}

@test "links, a FIFO, a socket, a folder, a device: refused, never written" {
  aside() { mv "$S" "$D/aside" && keep_aside && "$@"; }
  keep_aside() { cp -p "$D/aside" "$T/kept"; }
  servers
  disturbed state_refused aside ln -s aside "$S"
  assert_same "$D/aside" "$T/kept"
  disturbed state_refused aside ln "$D/aside" "$S"
  assert_same "$D/aside" "$T/kept"
  disturbed state_refused aside ln -s nothing "$S"
  [ ! -e "$D/nothing" ]
  disturbed state_refused aside mkfifo "$S"
  disturbed state_refused aside mkdir "$S"
  disturbed state_refused aside "$PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$S"
  STATE=(ANK_STATE_FILE=/dev/null)
  disturbed state_refused true
  [ ! -e /dev/null.lock ]
  STATE=(ANK_STATE_FILE=/dev/full)
  disturbed state_refused true
}

@test "a link or a folder in the lock's place: nothing is stored, and that is all" {
  servers
  disturbed state_not_updated ln -s "$S" "$S.lock"
  disturbed state_not_updated mkdir "$S.lock"
  disturbed state_not_updated mkfifo "$S.lock"
  disturbed state_not_updated mkdir "$S.new"
}

# --- its folder ------------------------------------------------------------------

@test "a folder that cannot be made: a word in the report, to a person after a failure" {
  servers
  mkdir "$T/nowhere" && chmod 500 "$T/nowhere"
  bound
  STATE=(ANK_STATE_FILE="$T/nowhere/ank/state.ndjson")
  disturbed state_absent true
  ARGS=(--retries 0) ILL_REQUESTS=1
  disturbed state_absent true
}

@test "a file in the folder's place, or a name too long" {
  servers
  : >"$T/file"
  STATE=(ANK_STATE_FILE="$T/file/state.ndjson")
  disturbed state_refused true
  STATE=(ANK_STATE_FILE="$T/$(printf '%0300d' 0)")
  disturbed state_refused true
}

@test "a folder that we may not write, or not enter" {
  servers
  bound
  disturbed state_not_updated chmod 500 "$D"
  disturbed state_refused chmod 0 "$D"
}

# --- disks -----------------------------------------------------------------------

# Where the file says that the breaker is open, nobody can ever say anything
# else: as if it were closed.

# on_disk OPTIONS COMMAND FIELDS: on a small tmpfs.
on_disk() {
  place "$3" && keep && mounted "$1" "$2" || return 1
  disturbed state_not_updated true
}

@test "a disk that is read-only, full, or without inodes" {
  local fields
  servers
  place && keep
  mounted size=64k || skip 'mounting is not allowed here; see the next'
  for fields in '' "$(open_since "$FAKE_NOW" 60000)"; do
    on_disk size=64k "mount -o remount,bind,ro '$D'" "$fields"
    on_disk size=4k : "$fields"
    on_disk nr_inodes=2 : "$fields"
    on_disk nr_inodes=3 ": >'$S.lock'" "$fields"
  done
}

@test "the same where the system calls say so" {
  local fields
  servers
  for fields in '' "$(open_since "$FAKE_NOW" 60000)"; do
    failing EROFS "$D" "$S.lock" "$S.new" || skip 'nothing can be traced here'
    disturbed state_not_updated place "$fields"
    failing ENOSPC "$S.new"
    disturbed state_not_updated place "$fields"
  done
  failing EDQUOT "$S.lock"
  disturbed state_not_updated true
}

@test "a rename that fails, and bytes that cannot be written" {
  servers
  injecting -P "$S.new" -e inject=rename:error=EXDEV ||
    skip 'nothing can be traced here'
  disturbed state_not_updated true
  injecting -P "$S.new" -e inject=write:error=ENOSPC
  disturbed state_not_updated true
  [ ! -e "$S.new" ]
  injecting -P "$S" -e inject=read:error=EIO
  disturbed state_damaged true
}

# --- its place -------------------------------------------------------------------

# kept_in PATH: the last run's state is there, and only there.
kept_in() {
  grep -q "$CLOUD_URL/$BUCKET" "$1/state.ndjson" && rm -r "$1"
}

@test "no HOME, and homes that are none" {
  servers
  another_uid || skip 'no other user can be played here'
  STATE=(-HOME)
  disturbed '' true
  kept_in "/var/tmp/ank-$NOBODY"
  STATE=(HOME=)
  disturbed '' true
  kept_in "/var/tmp/ank-$NOBODY"
  STATE=(HOME=relative)
  disturbed '' true
  kept_in "/var/tmp/ank-$NOBODY"
  [ ! -e relative ]
}

@test "/var/tmp/ank-UID that is not ours, or open to others, is no place" {
  servers
  another_uid || skip 'no other user can be played here'
  mkdir -m 777 "/var/tmp/ank-$NOBODY"
  STATE=(-HOME)
  disturbed state_no_place true
  assert_eq "$(ls "/var/tmp/ank-$NOBODY")" ''
  rmdir "/var/tmp/ank-$NOBODY"
  ln -s "$T" "/var/tmp/ank-$NOBODY"
  disturbed state_no_place true
  rm "/var/tmp/ank-$NOBODY"
}

@test "HOME=/nonexistent is not made, whatever slashes follow, nor a folder of /" {
  local home
  servers
  [ ! -e /nonexistent ] && [ ! -e /.local ] || skip 'somebody has made these'
  for home in /nonexistent /nonexistent/ /nonexistent// //nonexistent / //; do
    STATE=(HOME="$home")
    disturbed state_absent true
    [ ! -e /nonexistent ]
    [ ! -e /.local ]
  done
}

@test "folders by XDG and by systemd; a relative one or an empty entry is passed over" {
  servers
  STATE=(XDG_STATE_HOME=relative)
  disturbed '' true
  kept_in "$T/home/.local/state/ank"
  STATE=(XDG_STATE_HOME="$T/xdg" STATE_DIRECTORY=)
  disturbed '' true
  kept_in "$T/xdg/ank"
  STATE=(XDG_STATE_HOME="$T/xdg" STATE_DIRECTORY="$T/sys:$T/more")
  disturbed '' true
  kept_in "$T/sys"
  for name in ":$T/more" relative; do
    STATE=(XDG_STATE_HOME="$T/xdg" STATE_DIRECTORY="$name")
    disturbed '' true
    kept_in "$T/xdg/ank"
  done
  [ ! -e relative ]
  [ ! -e /state.ndjson ]
}

@test "root makes no folder in one that it does not own" {
  [ "$(id -u)" = 0 ] || skip 'for root alone'
  servers
  chown 12345 "$T/home"
  STATE=(HOME="$T/home")
  disturbed state_absent true
  assert_eq "$(ls -A "$T/home")" ''
  mkdir -p "$T/home/.local/state/ank"
  chown -R 12345 "$T/home"
  disturbed state_absent true
  assert_eq "$(find "$T/home" -type f)" ''
}

@test "a user whom no list knows" {
  servers
  another_uid || skip 'no other user can be played here'
  STATE=(XDG_STATE_HOME="$T/xdg")
  mkdir -m 777 "$T/xdg"
  disturbed '' true
  assert_eq "$(stat -c %a "$T/xdg/ank/state.ndjson")" 600
}

# --- locks -----------------------------------------------------------------------

@test "a stopped process has the lock: two seconds in real time, one warning" {
  REAL=1 servers
  PROGRAM=ankput ARGS=(--retries 0) ILL_REQUESTS=1
  place
  stopped_holder
  keep
  for bucket in well ill; do
    transfer "$bucket"
    unaffected state_not_updated
    assert_between "$TOOK" 1900 6000
  done
  assert_same "$S" "$T/kept"
  release_holder
  PATIENCE=1000
  recovered
}

@test "waiting for the lock is inside the deadline" {
  REAL=1 servers
  PROGRAM=ankput ARGS=(--retries 0 --deadline 300ms) ILL_REQUESTS=1 PATIENCE=900
  place
  stopped_holder
  for bucket in well ill; do
    transfer "$bucket"
    unaffected state_not_updated
  done
}

@test "no lock can be had at all" {
  servers
  for error in ENOLCK EOPNOTSUPP EINVAL; do
    injecting -P "$S.lock" -e "inject=flock:error=$error" ||
      skip 'nothing can be traced here'
    disturbed state_not_updated true
  done
}

@test "the lock's file is deleted while it is waited for" {
  REAL=1 servers
  place
  stopped_holder
  start_ank "${STATE[@]}" ankput "$T/source" "s3://well/1"
  await_requests 1
  rm "$S.lock"
  release_holder
  wait_ank
  KEY=1 BUCKET=well TOOK=0
  unaffected
  assert_contains "$(cat "$S")" '"success_at"'
}

# --- clocks ----------------------------------------------------------------------

# stamped WALL-MS [LENGTH]: a breaker that opened then, a lease and a hold-off.
stamped() {
  place "$(open_since "$1" "$2"),\"lease_at\":$1,\"lease_ms\":45000,\"holder\":77,\"hold_at\":$1,\"hold_ms\":300000,\"success_at\":$1"
}

# at_times WALL-MS [LENGTH]: that is over, or never was: nobody waits for it. A
# probe that fails opens the breaker once more.
at_times() {
  stamped "$@" && transfer well && unaffected || return 1
  stamped "$@" && transfer ill && unaffected breaker_opened
}

@test "a clock that was set back or ahead by an hour, and stamps of 2106" {
  servers
  at_times $((FAKE_NOW + 3600000))
  at_times $((FAKE_NOW - 3600000))
  at_times 4294967296000
  stamped 4294967296000 9007199254740991
  transfer well && unaffected
}

# --- words -----------------------------------------------------------------------

@test "a warning is given once in a run with many attempts, and -s silences it" {
  servers
  ARGS=(--retries 9) ILL_REQUESTS=10
  disturbed state_not_updated mkdir "$S.new"
  ARGS=(-s)
  place && chmod g+w "$S"
  transfer well
  assert_exit 0
  assert_json warning why state_refused
  assert_eq "$(cat "$ERR")" ''
}

@test "an object on standard output stays as it is, the warning is in the report" {
  servers
  place
  transfer well
  chmod g+w "$S"
  run_ank "${STATE[@]}" ankget-fake "s3://well/$KEY"
  assert_exit 0
  assert_same "$OUT" "$T/source"
  assert_json warning why state_refused
  assert_eq "$(grep -vc '^{' "$ERR" || true)" 0
}
