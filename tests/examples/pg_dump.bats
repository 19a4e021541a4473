#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/pg-dump.sh and pg-dump.cron
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load examples

# pg_dump BODY: a pg_dump that does this; its file is $file.
pg_dump() {
  printf '%s\n' '#!/bin/sh' 'for word; do case $word in --file=*) file=${word#--file=} ;; esac; done' \
    "$1" >"$T/bin/pg_dump"
  chmod +x "$T/bin/pg_dump"
}

# dump [NAME=VALUE...]
dump() {
  run_example "$@" "$examples/pg-dump.sh" shop s3://bucket/shop
}

# left: the files of the dump folder, but for the lock.
left() { (cd "$T/dumps" && find . -type f ! -name '*.lock' | sort | sed 's#^\./##'); }

# stored: how many objects the cloud has.
stored() { find "$CLOUD_DIR/objects" -name '*.json' | wc -l; }

@test "a dump is uploaded, removed here, and nothing is said" {
  start_cloud --fake
  pg_dump 'echo whole >"$file"'
  dump
  assert_exit 0
  silent
  assert_eq "$(left)" ''
  assert_eq "$(stored)" 1
  [[ $(request 1 .key) =~ ^shop/shop-[0-9]{8}T[0-9]{6}Z\.dump$ ]]
  assert_eq "$(cat "$(stored_object bucket "$(request 1 .key)")")" whole
}

@test "a dump that fails half way leaves neither file nor object" {
  start_cloud --fake
  pg_dump 'echo half >"$file"; echo "pg_dump: lost" >&2; exit 1'
  dump
  assert_exit 1
  assert_eq "$(cat "$ERR")" 'pg_dump: lost'
  assert_eq "$(left)" ''
  assert_eq "$(requests)" 0
}

@test "a dump that is interrupted leaves neither file nor object" {
  start_cloud --fake
  # the shell waits for its child before it heeds the signal
  pg_dump 'echo half >"$file"; kill -TERM "$PPID"'
  dump
  assert_exit 143
  assert_eq "$(left)" ''
  # killed, it leaves a hidden file, which the next run removes
  pg_dump 'echo half >"$file"; kill -KILL "$PPID"'
  dump
  assert_exit 137
  assert_eq "$(left)" .shop.new
  pg_dump 'echo whole >"$file"'
  dump
  assert_exit 0
  assert_eq "$(left)" ''
  assert_eq "$(requests)" 1
}

@test "a dump that could not be stored stays, and the next run stores both" {
  start_cloud --fake '{"rules": [{"op": "put", "nth": "1-3", "s3_error": "InternalError"}]}'
  pg_dump 'echo whole >"$file"'
  dump ANK_NO_BREAKER=1
  assert_exit 10
  assert_eq "$(wc -l <"$ERR")" 1
  assert_eq "$(left | wc -l)" 1
  mv "$T"/dumps/shop-*.dump "$T/dumps/shop-20200101T000000Z.dump"
  dump ANK_NO_BREAKER=1
  assert_exit 0
  silent
  assert_eq "$(left)" ''
  assert_eq "$(stored)" 2
}

@test "the dumps of another database are left alone" {
  start_cloud --fake
  touch "$T/dumps/shop-2-20200101T000000Z.dump" "$T/dumps/shop-notes.dump"
  pg_dump 'echo whole >"$file"'
  dump
  assert_exit 0
  assert_eq "$(left)" $'shop-2-20200101T000000Z.dump\nshop-notes.dump'
  assert_eq "$(stored)" 1
}

@test "two runs do not meet" {
  start_cloud --fake
  pg_dump 'echo whole >"$file"'
  exec 8>"$T/dumps/.shop.lock"
  flock -n 8
  dump
  assert_exit 1
  assert_contains "$(cat "$ERR")" 'another run'
  assert_eq "$(requests)" 0
}

@test "the line of cron runs the script, with its variables" {
  local line variables
  start_cloud --fake
  pg_dump 'echo whole >"$file"'
  mkdir -p "$T/home/.aws"
  printf '[backup]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
    "$TEST_KEY" "$TEST_SECRET" >"$T/home/.aws/credentials"
  mapfile -t variables < <(grep -E '^AWS_[A-Z]+=' "$examples/pg-dump.cron")
  line=$(sed -n 's/^[0-9 ]*\*.* postgres \(.*\)/\1/p' "$examples/pg-dump.cron")
  line=${line/'/usr/share/doc/ank/examples'/"'$examples'"}
  line=${line/s3:\/\/backups/s3:\/\/bucket}
  # cron takes an unescaped % for the end of the line
  [[ $line != *%* ]]
  run_example -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY "${variables[@]}" sh -c "$line"
  assert_exit 0
  silent
  assert_eq "$(stored)" 1
  assert_contains "$(request_header 1 Authorization)" "$TEST_KEY/"
  assert_contains "$(request_header 1 Authorization)" /eu-central-1/
}
