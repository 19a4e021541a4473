#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/pg-dump-stream.sh
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load examples

# pg_dump BODY: a pg_dump that does this.
pg_dump() {
  printf '%s\n' '#!/bin/sh' "$1" >"$T/bin/pg_dump"
  chmod +x "$T/bin/pg_dump"
}

dump() { run_example "$examples/pg-dump-stream.sh" shop s3://bucket/shop/; }

# objects: how many the cloud has; unfinished: uploads that are neither
# completed nor aborted.
objects() { find "$CLOUD_DIR/objects" -name '*.json' | wc -l; }
unfinished() { uploads | wc -l; }

@test "a dump goes straight into the bucket, and nothing is said" {
  start_cloud --fake
  pg_dump 'printf "%s " whole "$@"'
  dump
  assert_exit 0
  silent
  assert_eq "$(objects)" 1
  [[ $(request 1 .key) =~ ^shop/shop-[0-9]{8}T[0-9]{6}Z\.dump$ ]]
  assert_eq "$(cat "$(stored_object bucket "$(request 1 .key)")")" 'whole --format=custom shop '
  assert_eq "$(find "$T/dumps" -type f)" ''
}

@test "a dump that fails half way leaves nothing in the bucket, however long it was" {
  start_cloud --fake
  pg_dump 'echo half; echo "pg_dump: lost" >&2; exit 1'
  dump
  assert_exit 3
  assert_eq "$(head -n 1 "$ERR")" 'pg_dump: lost'
  assert_eq "$(requests)" 0
  pg_dump 'head -c 10M /dev/zero; exit 1'
  dump
  assert_exit 3
  assert_eq "$(objects)" 0
  assert_eq "$(unfinished)" 0
}

@test "a dump that is interrupted leaves nothing, and no pg_dump" {
  start_cloud --fake
  pg_dump 'echo $$ >"$DUMP_DIR/pid"; echo half; kill -TERM "$PPID"; exec sleep 300'
  dump
  assert_exit 143
  assert_eq "$(objects)" 0
  run ! kill -0 "$(<"$T/dumps/pid")"
}

@test "a busy server is waited for" {
  start_cloud --fake '{"rules": [{"op": "put", "nth": "1-2", "s3_error": "SlowDown"}]}'
  pg_dump 'echo whole'
  dump
  assert_exit 0
  silent
  assert_eq "$(objects)" 1
}

@test "without its operands it says how it is called" {
  run_example "$examples/pg-dump-stream.sh" shop
  assert_exit 2
  assert_contains "$(cat "$ERR")" usage
}
