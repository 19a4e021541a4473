#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Keys are bytes: what is stored is what was said, whatever the bytes, in both
# styles of addressing; or nothing is sent.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

KEYS=(
  # case 61
  "a=b/c+d e%20f*@:!'()~&;,\$.bin" 'ü/日本.bin' %2B a% '+' ' ' 'a b' '%' %00
  '"quotes"' "it's" 'back\slash' '<xml>&amp;' 'a|b^c`d{e}f[g]' 'a_b-c.d~e'
  'a:b' '*' 'a;b=c' '😀' 'http://x/y'
  # case 62
  /x a//b a/ ./a a/../b .. a/. . '?' '#' a?b=c a#b / // //x a/b/ '../../etc'
  '?versionId=1' '?uploads' 'a%2Fb' '%2e%2e/x' './' '../'
)

# round_trip: each key goes up and comes back in one style; the store has it
# under exactly these bytes.
round_trip() {
  local key n=0
  for key in "${KEYS[@]}"; do
    n=$((n + 1))
    printf '%s' "$n:$key" >source
    run_ank ankput "$@" source "s3://bucket/$key"
    assert_exit 0
    [[ $key != */ ]] || key=${key}source # a folder to ankput
    assert_stored "$key" source
    assert_eq "$(json result key)" "$key"
    run_ank ankget "$@" "s3://bucket/$key" back
    assert_exit 0
    assert_same back source
  done
  run_ank ankget -I "$@" "s3://bucket/$key"
  assert_json result size "$(stat -c %s source)"
  assert_eq "$(requests)" $((2 * n + 1))
  assert_eq "$(wc -l <"$CLOUD_DIR/objects/index")" "$n"
  assert_careful
}

@test "keys go byte for byte in the path (cases 61, 62)" {
  cloud
  round_trip
}

@test "keys go byte for byte under a virtual host (cases 61, 62)" {
  cloud
  ANK_ENV=(ANK_ENDPOINT="http://s3.localhost:$CLOUD_PORT")
  round_trip --addressing virtual --resolve "bucket.s3.localhost:$CLOUD_PORT:127.0.0.1"
  assert_eq "$(jq -r '.headers[] | select(.[0] == "Host")[1]' "$CLOUD_DIR/log.ndjson" | sort -u)" \
    "bucket.s3.localhost:$CLOUD_PORT"
}

@test "keys that end in / are fetched as they are" {
  local key
  cloud
  for key in a/ / // a/../; do
    seed 33 "$key"
    run_ank ankget "s3://bucket/$key" back
    assert_exit 0
    assert_same back "$T/object"
    assert_json result key "$key"
  done
  assert_careful
}

@test "every byte a key can have goes byte for byte, UTF-8 or not" {
  local n byte key
  cloud
  for ((n = 1; n < 256; n += 9)); do
    key=
    for ((byte = n; byte < n + 9 && byte < 256; byte++)); do
      key+=$(printf '\\x%02x' "$byte")
    done
    key=$(printf '%bx' "$key")
    printf '%s' "$n" >source
    run_ank ankput source "s3://bucket/k$key"
    assert_exit 0
    assert_stored "k$key" source
  done
  assert_careful
}

@test "a key that is not UTF-8 is told in base64 too, on every line" {
  local key=$'latin-\xe9\xff.bin'
  cloud
  seed 10 "$key"
  run_ank ankget "s3://bucket/$key" out
  assert_exit 0
  assert_eq "$(json result key_b64 | base64 -d)" "$key"
  assert_eq "$(json attempt key_b64 | base64 -d)" "$key"
  assert_contains "$(json attempt url)" 'latin-%E9%FF.bin'
  run_ank ankget -I "s3://bucket/ü"
  assert_eq "$(json result key_b64)" ''
}

@test "quotes, line breaks and control characters in a key leave the report valid" {
  local key=$'a"b\\c\nd\te\x01\x1b[31m\x7f'
  cloud
  seed 10 "$key"
  run_ank ankget "s3://bucket/$key" out
  assert_exit 0
  assert_eq "$(jq -r 'select(.event == "result").key' "$REPORT")" "$key"
  assert_eq "$(wc -l <"$REPORT")" 2
  run_ank ankget --report none "s3://bucket/none$key" out
  assert_exit 6
  assert_eq "$(tr -dc '\001-\011\013-\037\177' <"$ERR" | wc -c)" 0
}

@test "a key of 1,024 bytes is taken, one of 1,025 refused before a request" {
  local key
  cloud
  key=$(printf 'ü%.0s' {1..512})
  seed 10 "$key"
  run_ank ankget "s3://bucket/$key" out
  assert_exit 0
  assert_same out "$T/object"
  run_ank ankput "$T/object" "s3://bucket/${key}x"
  assert_exit 2
  assert_contains "$(json result message)" '1025 bytes'
  run_ank ankget "s3://bucket/${key}x" out
  assert_exit 2
  assert_eq "$(requests)" 1
}

@test "a URL without a key, or of no bucket, is refused" {
  local url
  cloud
  for url in s3://bucket s3://bucket/ s3:// s3:/// s3:///k s3://bu%63ket/k \
    's3://a b/k' s3://../k s3://./k 's3://b?x/k' 's3://b#/k' 's3://b:80/k' \
    's3://u@b/k' s3:/bucket/k S3://bucket/k file:///x bucket/k '' \
    "s3://$(printf 'b%.0s' {1..256})/k"; do
    run_ank ankget "$url" out
    assert_exit 2
    assert_json result outcome usage
    assert_human ''
  done
  assert_eq "$(requests)" 0
}

@test "a base path of the endpoint is kept, and signed" {
  CLOUD_SETTINGS='"base_path": "/store/v1"' cloud
  seed 10 a//b
  run_ank ankget --endpoint "$CLOUD_URL/store/v1" s3://bucket/a//b out
  assert_exit 0
  assert_same out "$T/object"
  assert_eq "$(request 1 .target)" /store/v1/bucket/a//b
  run_ank ankget --endpoint "$CLOUD_URL/store/v1/" s3://bucket/a//b out
  assert_exit 0
  assert_eq "$(request 2 .target)" /store/v1/bucket/a//b
  assert_careful
}
