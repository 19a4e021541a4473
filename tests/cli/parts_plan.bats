#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Uploads in parts: where the object is cut, how many parts at once, what is
# told of them.

load ../lib/harness
load policy
load parts

@test "up to the threshold one request, a byte more and it travels in parts" {
  rules
  source_of $((6 * MIB))
  put k --multipart-threshold 6M
  ends 0 ok
  assert_eq "$(ops)" put
  stored k
  source_of $((6 * MIB + 1))
  put k2 --multipart-threshold 6M --part-size 5M
  ends 0 ok
  assert_eq "$(ops | tr ' ' '\n' | sort | uniq -c | awk '{print $1, $2}' | paste -sd' ')" \
    '1 complete 1 create 2 part 1 put'
  assert_eq "$(part_log body_len)" "$((5 * MIB)) $((MIB + 1))"
  stored k2
  assert_json result bytes $((6 * MIB + 1))
  assert_contains "$(json result etag)" '-2"'
}

@test "the default threshold is 16 MiB, the default part 8 MiB" {
  rules
  source_of $((16 * MIB))
  put k
  assert_eq "$(ops)" put
  source_of $((16 * MIB + 1))
  put k2
  ends 0 ok
  assert_eq "$(part_log body_len)" "$((8 * MIB)) $((8 * MIB)) 1"
  stored k2
}

@test "exactly N parts, one byte less, one byte more (case 31)" {
  local more
  rules
  for more in -1 0 1; do
    source_of $((10 * MIB + more))
    up "k$more"
    ends 0 ok
    stored "k$more"
  done
  assert_eq "$(jq -rs 'map(select(.op == "part")) | group_by(.key)
    | map(length) | join(" ")' "$CLOUD_DIR/log.ndjson")" '2 2 3'
}

@test "0 bytes are one request whatever the threshold (case 31)" {
  rules
  source_of 0
  up k
  ends 0 ok
  assert_eq "$(ops)" put
  stored k
  assert_json result bytes 0
}

@test "each part is told with its number, signed and hashed as careful clients do" {
  rules
  source_of $((11 * MIB))
  up k --metadata a=b --content-type text/x
  ends 0 ok
  assert_eq "$(parts_told part)" '1 2 3'
  assert_eq "$(parts_told attempt)" '1 1 1'
  assert_eq "$(op_told create part)$(op_told complete part)" --
  assert_json result attempts 5
  assert_json result retries 0
  assert_eq "$(requests)" 5
  assert_careful
  assert_eq "$(stored_meta bucket k '.headers["content-type"] // .headers["Content-Type"]')" text/x
  stored k
  assert_eq "$(uploads)" ''
}

# In flight at once are as many as the connections they use.
@test "--parallel N parts at once, never more" {
  local n
  for n in 1 2 3; do
    rules '{"op": "part", "delay_ms": 150}'
    source_of $((26 * MIB))
    up k --parallel "$n"
    ends 0 ok
    assert_eq "$(jq -s 'map(select(.op == "part") | .conn) | unique | length' \
      "$CLOUD_DIR/log.ndjson")" "$n"
    assert_eq "$(part_requests)" 6
    stored k
    stop_clouds
  done
}

@test "--dry-run of what travels in parts: how it is cut, without a byte read" {
  rules
  # Hashing it would take a minute.
  truncate -s 20G "$T/source"
  put k --dry-run
  ends 0 ok
  assert_json result dry_run true
  assert_json result parts 2560
  assert_json result part_size $((8 * MIB))
  assert_json result url "$CLOUD_URL/bucket/k?uploads="
  assert_eq "$(json result checksum)" ''
  assert_json result elapsed_ms 0
  truncate -s 1000 "$T/source"
  put k --dry-run
  assert_eq "$(json result parts)$(json result part_size)" ''
  assert_eq "$(requests)" 0
}

@test "a file in parts has the checksum of its parts in its result, a stream that of its bytes" {
  rules
  source_of $((5 * MIB + 1))
  up k
  ends 0 ok
  assert_eq "$(json result checksum)" "sha256:$({
    head -c $((5 * MIB)) "$T/source" | openssl dgst -sha256 -binary
    tail -c 1 "$T/source" | openssl dgst -sha256 -binary
  } | sha256sum | cut -d' ' -f1)-2"
  run_ank ankput-fake --part-size 5M - s3://bucket/k < <(cat "$T/source")
  assert_json result checksum "sha256:$(sha256sum <"$T/source" | cut -d' ' -f1)"
  assert_eq "$(requests complete)" 2
}

@test "a part size that no part may have is refused before a request" {
  rules
  source_of $((6 * MIB))
  put k --multipart-threshold 0 --part-size 4M
  ends 2 usage
  assert_contains "$(cat "$ERR")" --part-size
  assert_eq "$(requests)" 0
}

@test "what no single request may hold travels in parts, whatever the threshold (case 51)" {
  rules '{"op": "create", "s3_error": "AccessDenied"}'
  truncate -s 6G "$T/source"
  put k --multipart-threshold 7G
  ends 5 denied
  assert_eq "$(ops)" create
}

@test "--limit-rate is of the run, not of each part" {
  local began
  start_cloud
  source_of $((11 * MIB))
  began=$(now_ms)
  run_ank ankput --no-state --part-size 5M --multipart-threshold 0 \
    --limit-rate 4M "$T/source" s3://bucket/k
  assert_exit 0
  assert_between $(($(now_ms) - began)) 2000 9000
  stored k
}

@test "a large file takes no more memory than a small one" {
  ! grep -q __asan_init "$ANK_BUILD/ankput" || skip 'a sanitizer keeps what is freed'
  SETTINGS='"discard": true' rules
  truncate -s 300M "$T/source"
  ANK_WRAP="/usr/bin/time -f %M -o $T/rss" up k
  ends 0 ok
  assert_between "$(tail -n 1 "$T/rss")" 1000 65536
}
