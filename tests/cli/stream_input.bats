#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankput - URL: whatever standard input is, its bytes become the object.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

@test "a few bytes through a pipe are one PUT, retried with the same bytes (case 1)" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "s3_error": "SlowDown"}' \
    '{"op": "put", "nth": 2, "rst_at": "request:1000"}'
  from "$(new_file 300000 "$T/source")"
  came "$T/source"
  assert_eq "$(ops)" 'put put put'
  assert_eq "$(request 1 .body_sha256)" "$(request 3 .body_sha256)"
}

# bats test_tags=valgrind
@test "an empty stream is an object of 0 bytes (case 31)" {
  FAKE=1 cloud
  from "$(new_file 0 "$T/source")"
  came "$T/source"
  assert_eq "$(ops)" put
  assert_eq "$(request_header 1 content-length)" 0
}

@test "/dev/null is an object of 0 bytes, too" {
  FAKE=1 cloud
  run_ank ankput-fake - s3://bucket/k </dev/null
  came /dev/null
}

@test "closed standard input is an error, and nothing is sent" {
  FAKE=1 cloud
  run_ank ankput-fake - s3://bucket/k <&-
  assert_exit 3
  assert_json result outcome local
  assert_human 'standard input is closed'
  assert_eq "$(requests)" 0
}

@test "a file goes up whatever is with standard input" {
  FAKE=1 cloud
  run_ank ankput-fake "$(new_file 10 "$T/source")" s3://bucket/k <&-
  came "$T/source"
}

# only …: run_ank without a check of the report, whose reader would not start.
only() {
  ank_prepare "$@"
  status=0
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" || status=$?
}

@test "a directory is refused, and what cannot be read" {
  FAKE=1 cloud
  only ankput-fake - s3://bucket/k <"$T"
  assert_exit 3
  assert_human '-: is a directory'
  exec 7>"$T/write-only"
  only ankput-fake - s3://bucket/k <&7
  exec 7>&-
  assert_exit 3
  assert_human '-: '
  assert_eq "$(requests)" 0
}

# bats test_tags=valgrind
@test "a regular file is taken from where it stands, and read again on a retry" {
  FAKE=1 cloud '{"op": "put", "nth": 1, "s3_error": "InternalError"}'
  new_file 300000 "$T/whole" >/dev/null
  tail -c +100001 "$T/whole" >"$T/source"
  { dd bs=100000 count=1 of=/dev/null status=none &&
    run_ank ankput-fake - s3://bucket/k; } <"$T/whole"
  came "$T/source"
  assert_eq "$(ops)" 'put put'
}

@test "a regular file in parts starts where it stands, each part read again" {
  FAKE=1 cloud '{"op": "part", "part": 2, "nth": 1, "s3_error": "SlowDown"}'
  new_file $((12 * MIB)) "$T/whole" >/dev/null
  tail -c +1048577 "$T/whole" >"$T/source"
  { dd bs=1M count=1 of=/dev/null status=none &&
    run_ank ankput-fake --multipart-threshold 6M --part-size 5M - s3://bucket/k
  } <"$T/whole"
  assert_exit 0
  assert_stored k "$T/source"
  assert_eq "$(sizes)" "$((5 * MIB)) $((5 * MIB)) $MIB"
}

@test "a regular file has been read to its end afterwards, as by any reader" {
  FAKE=1 cloud
  new_file 5000 "$T/source" >/dev/null
  { run_ank ankput-fake - s3://bucket/k && cat >"$T/rest"; } <"$T/source"
  came "$T/source"
  assert_eq "$(wc -c <"$T/rest")" 0
}

@test "a regular file that stands at its end or beyond is an empty object" {
  FAKE=1 cloud
  new_file 5000 "$T/source" >/dev/null
  { cat >/dev/null && run_ank ankput-fake - s3://bucket/k; } <"$T/source"
  came /dev/null
  # shellcheck disable=SC2094 # that is the point
  { cat >/dev/null && truncate -s 100 "$T/source" &&
    run_ank ankput-fake - s3://bucket/k; } <"$T/source"
  came /dev/null
}

@test "a file of /proc tells no size; its bytes are stored all the same" {
  FAKE=1 cloud
  cat /proc/version >"$T/source"
  run_ank ankput-fake - s3://bucket/k </proc/version
  came "$T/source"
}

@test "as FILE it is refused: it is not an empty object" {
  FAKE=1 cloud
  run_ank ankput-fake /proc/version s3://bucket/k
  assert_exit 3
  assert_human '/proc/version: does not tell its size'
  assert_eq "$(requests)" 0
}

@test "what a device gives is a stream" {
  FAKE=1 cloud
  head -c $((9 * MIB)) /dev/zero >"$T/source"
  from "$T/source"
  came "$T/source"
  assert_eq "$(sizes)" "$((8 * MIB)) $MIB"
}

# with_input KIND FILE: standard input is one end of a pair that does not block,
# and the other end writes slowly, in small pieces.
with_input() {
  "$PYTHON" -c '
import os, socket, subprocess, sys, threading
kind, path, out, err, command = *sys.argv[1:5], sys.argv[5:]
data = open(path, "rb").read()
if kind == "socket":
    a, b = socket.socketpair()
    theirs, ours = a.detach(), b.detach()
elif kind == "terminal":
    import pty, tty
    ours, theirs = pty.openpty()
else:
    theirs, ours = os.pipe()
    os.set_blocking(theirs, False)
p = subprocess.Popen(command, stdin=theirs, stdout=open(out, "wb"), stderr=open(err, "wb"))
os.close(theirs)
for i in range(0, len(data), 7001):
    piece = data[i:i + 7001]
    while piece:
        piece = piece[os.write(ours, piece):]
if kind == "terminal":
    os.write(ours, b"\x04")
    code = p.wait(20)
else:
    os.close(ours)
    code = p.wait(20)
sys.exit(code if code >= 0 else 128 - code)' "$@"
}

@test "a pipe that does not block, and a socket" {
  local kind
  FAKE=1 cloud
  new_file 700000 "$T/source" >/dev/null
  for kind in pipe socket; do
    ank_prepare ankput-fake - s3://bucket/k
    status=0
    with_input "$kind" "$T/source" "$OUT" "$ERR" "${ANK_COMMAND[@]}" || status=$?
    check_report
    came "$T/source"
    rm "$(stored_object bucket k)"
  done
}

@test "a terminal is read until its end of file" {
  FAKE=1 cloud
  printf 'one\ntwo\n' >"$T/source"
  ank_prepare ankput-fake - s3://bucket/k
  status=0
  with_input terminal "$T/source" "$OUT" "$ERR" "${ANK_COMMAND[@]}" || status=$?
  check_report
  came "$T/source"
}

@test "a stream that breaks off with an error stores nothing" {
  FAKE=1 cloud
  # Reading one's own memory at 0 is an I/O error.
  run_ank ankput-fake - s3://bucket/k </proc/self/mem
  assert_exit 3
  assert_json result outcome local
  assert_human '-: Input/output error'
  assert_eq "$(requests)" 0
}

@test "with - a key that ends in a slash is the key; without a key it is refused" {
  FAKE=1 cloud
  printf x >"$T/source"
  run_ank ankput-fake - s3://bucket/dir/ <"$T/source"
  assert_exit 0
  assert_stored dir/ "$T/source"
  assert_json result key dir/
  run_ank ankput-fake - s3://bucket/ <"$T/source"
  assert_exit 2
  assert_human 'the key is missing'
  run_ank ankput-fake s3://bucket/run/ -- printf x
  assert_exit 0
  assert_stored run/ "$T/source"
  assert_eq "$(requests)" 2
}

@test "a file of that name is ./-" {
  FAKE=1 cloud
  printf dash >"$T/-"
  run_ank ankput-fake ./- s3://bucket/k </dev/null
  came "$T/-"
}

@test "the report goes to standard output, a line for each attempt" {
  FAKE=1 cloud
  from "$(new_file 10 "$T/source")"
  assert_eq "$(jq -r .event "$OUT" | tr '\n' ' ')" 'attempt result '
  assert_eq "$(cat "$ERR")" ''
}

@test "a dry run neither reads nor sends nor runs anything" {
  FAKE=1 cloud
  new_file 20 "$T/source" >/dev/null
  { cat >/dev/null; run_ank ankput-fake --dry-run - s3://bucket/k; } <"$T/source"
  feed ankput-fake --dry-run - s3://bucket/k
  wait_ank
  exec 8>&-
  assert_exit 0
  assert_json result dry_run true
  assert_contains "$(json result url)" /bucket/k
  run_ank ankput-fake --dry-run s3://bucket/k -- touch "$T/ran"
  assert_exit 0
  assert_json result dry_run true
  [ ! -e "$T/ran" ]
  assert_eq "$(requests)" 0
}
