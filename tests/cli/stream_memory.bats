#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# A stream is longer than the memory that it may take.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

# What the program takes beside the parts: its libraries, buffers, the slice
# that is hashed.
BESIDE=$((20 * 1024))

# peak LIMIT-KIB OPTION...: 600 MB go up within it.
peak() {
  local most=$1
  shift
  ! grep -q __asan_init "$ANK_BUILD/ankput" || skip 'a sanitizer keeps what is freed'
  ank_prepare ankput "$@" - s3://bucket/k
  head -c 600000000 /dev/zero | "$PYTHON" -c '
import resource, subprocess, sys
code = subprocess.call(sys.argv[3:], stdout=open(sys.argv[1], "wb"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[2], "w"))
sys.exit(code)' "$OUT" "$T/peak" "${ANK_COMMAND[@]}"
  assert_eq "$(tail -n 1 "$OUT" | jq .bytes)" 600000000
  assert_between "$(<"$T/peak")" 1 $((most + BESIDE))
}

@test "600 MB in the memory of five parts by default" {
  start_cloud '{"discard": true}'
  peak $((5 * 8 * 1024))
}

@test "600 MB within a small buffer limit, with more in parallel than fit" {
  start_cloud '{"discard": true}'
  peak $((16 * 1024)) --buffer-limit 16M --parallel 8
}

@test "a limit for one part alone" {
  start_cloud '{"discard": true}'
  peak $((8 * 1024)) --buffer-limit 8M --part-size 8M
}

@test "slow parts hold the producer back" {
  start_cloud '{"discard": true, "rules": [{"op": "part", "nth": "1-6", "delay_ms": 300},
    {"op": "part", "nth": "7-8", "status": 503}]}'
  peak $((24 * 1024)) --buffer-limit 24M --parallel 2
}
