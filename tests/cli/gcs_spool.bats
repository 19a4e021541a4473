#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# gs://: a long stream under a condition, signed by HMAC keys: kept on disk, and
# sent in one request.

load ../lib/harness
load bytes
load stream
load gcs

bats_require_minimum_version 1.5.0

BIG=700001

# keyed [SCENARIO]: the store, asked with keys; what is kept goes to $T/tmp.
keyed() {
  gcs_cloud --fake "$@"
  by_key
  mkdir -p tmp
  ANK_ENV+=(TMPDIR="$T/tmp")
}

# put [OPTION...]: the file f through a pipe, when nothing is there.
put() {
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat f | run_piped ankput-fake --no-clobber --part-size 256K "$@" - gs://bucket/k ||
    return 1
  status=$(<"$T/status")
}

# kept_nothing: what was kept is gone, and nothing was sent.
kept_nothing() {
  assert_eq "$(requests)" 0
  assert_eq "$(ls -A tmp)" ''
}

# bats test_tags=valgrind
@test "it is one signed request with length and checksums, and no file stays" {
  keyed
  new_file "$BIG" f >/dev/null
  put
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(requests put) $(requests create)" "1 0"
  assert_eq "$(request_header 1 x-goog-hash)" "crc32c=$(crc32c_of f)"
  assert_eq "$(request_header 1 x-goog-content-sha256)" "$(sha256sum <f | cut -d' ' -f1)"
  assert_eq "$(request_header 1 x-goog-if-generation-match)" 0
  assert_eq "$(request_header 1 content-length)" "$BIG"
  assert_json result bytes "$BIG"
  assert_json result checksum "$(digest f)"
  assert_eq "$(ls -A tmp)" ''
}

@test "another attempt reads it again" {
  keyed '{"rules": [{"op": "put", "nth": 1, "status": 503},
    {"op": "put", "nth": 2, "rst_at": "request:400000"}]}'
  new_file "$BIG" f >/dev/null
  put --deadline 1h
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(requests put)" 3
}

@test "a large one is looked for first: the same is settled, another is kept" {
  keyed
  new_file "$BIG" f >/dev/null
  put --multipart-threshold 300K
  assert_exit 0
  assert_eq "$(requests head) $(requests put)" "1 1"
  put --multipart-threshold 300K
  assert_exit 0
  assert_json result settled same_object
  cp f g
  new_file "$BIG" f 2 >/dev/null
  FAKE_SEED=2
  put --multipart-threshold 300K
  assert_exit 7
  assert_eq "$(requests put)" 1
  run_ank ankput-fake --no-clobber --multipart-threshold 300K f gs://bucket/k
  assert_exit 7
  assert_eq "$(requests put)" 1
  assert_same g "$(stored_object bucket k)"
}

@test "a generation is such a condition, too" {
  local generation
  keyed
  new_file "$BIG" f >/dev/null
  seed_object bucket k f
  run_ank ankget-fake -I gs://bucket/k
  generation=$(json result version_id)
  cat f f | run_piped ankput-fake --if-match "$generation" --part-size 256K - gs://bucket/k
  cat f f | run_piped ankput-fake --if-match 1 --part-size 256K - gs://bucket/k
  assert_eq "$(requests put) $(<status)" "2 7"
  assert_same <(cat f f) "$(stored_object bucket k)"
}

@test "nothing is sent of a command that fails, nor of bytes that were not promised" {
  keyed
  new_file "$BIG" f >/dev/null
  run_ank ankput-fake --no-clobber --part-size 256K gs://bucket/k -- sh -c 'cat f; exit 3'
  assert_exit 3
  assert_json result producer_exit 3
  put --expect-sha256 "$(printf %064d 1)"
  assert_exit 9
  put --expected-size 700000
  assert_exit 3
  put --expected-size 700002
  assert_exit 3
  kept_nothing
  run_ank ankput-fake --no-clobber --part-size 256K --expected-size "$BIG" \
    --expect-sha256 "$(sha256sum <f | cut -d' ' -f1)" gs://bucket/k -- cat f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
}

@test "what has no room ends as local, says where, and sends nothing" {
  keyed
  new_file "$BIG" f >/dev/null
  printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 400\nexec "$@"\n' >limited
  chmod +x limited
  ANK_WRAP=$T/limited put
  assert_exit 3
  assert_human "$T/tmp"
  assert_human TMPDIR
  kept_nothing
  ANK_ENV+=(TMPDIR="$T/none")
  put
  assert_exit 3
  assert_human "$T/none: No such file or directory"
  run_ank ankput-fake --no-clobber --expected-size 900000T gs://bucket/k -- touch ran
  assert_exit 3
  assert_human "$T/none"
  ANK_ENV+=(TMPDIR="$T/tmp")
  run_ank ankput-fake --no-clobber --expected-size 900000T gs://bucket/k -- touch ran
  assert_exit 3
  assert_human 'has no room for'
  [ ! -e ran ]
  kept_nothing
}

@test "few bytes need no place" {
  keyed
  ANK_ENV+=(TMPDIR="$T/none")
  new_file 262144 f >/dev/null
  put
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
}

@test "time passes and signals come while it is read" {
  local signal
  keyed
  new_file "$BIG" f >/dev/null
  mkfifo never
  feed ankput --no-clobber --part-size 256K --deadline 500ms - gs://bucket/k
  cat f >&8
  wait_ank
  exec 8>&-
  assert_exit 13
  feed ankput --no-clobber --part-size 256K - gs://bucket/k
  cat f >&8
  asleep
  kill -TERM "$ANK_PID"
  wait_ank
  exec 8>&-
  assert_exit 143
  kept_nothing
}

@test "memory holds one chunk of it" {
  local peak
  ! grep -q __asan_init "$ANK_BUILD/ankput" || skip 'a sanitizer keeps what is freed'
  keyed '{"discard": true}'
  ank_prepare ankput --no-clobber --buffer-limit 2M - gs://bucket/k
  head -c 100000000 /dev/zero | "$PYTHON" -c '
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:], stdout=open(sys.argv[1], "wb"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$OUT" "${ANK_COMMAND[@]}" >peak
  assert_eq "$(tail -n 1 "$OUT" | jq .bytes)" 100000000
  assert_between "$(<peak)" 1 $((22 * 1024))
}
