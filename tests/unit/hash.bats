#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/hash: digests, checksums, HMAC, base64.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "digests and checksums give the published answers, in pieces too" {
  table hash
}

@test "the CRC of two stretches in a row comes from those of each" {
  table combine
}

@test "HMAC-SHA256 gives the answers of RFC 4231" {
  table hmac-sha256
}

@test "base64 is that of RFC 4648" {
  table base64
}

@test "base64 that is not canonical is refused and leaves the buffer alone" {
  table unbase64
}

@test "base64 of long data goes there and back" {
  table base64-long
}

# sums ALG: rows of the vectors, for "hash-base64".
sums() {
  cases checksums "select(.input_b64) |
    [\"$1 \" + .input_b64, (.$1_hex // \"\") + \" \" + .$1_b64, .name]"
}

# long_sums ALG: the vectors whose input is a rule, for "hash".
long_sums() {
  cases checksums 'def rule: if startswith("4099 bytes")
      then [range(4099) | (. * 7 + 3) % 256 | "\\x" + hex] | join("")
      else "a" * (capture("repeated (?<n>[0-9]+) times").n | tonumber) end;
    select(.input_rule) | ["'"$1"' " + (.input_rule | rule),
      (.'"$1"'_hex // "") + " " + .'"$1"'_b64, .name]'
}

@test "the collected checksums are those of the SDKs" {
  for alg in crc32 crc32c crc64nvme md5 sha256; do
    sums "$alg" | rows hash-base64
    long_sums "$alg" | rows hash
  done
}

@test "the collected SHA-1 sums are those of the SDKs" {
  sums sha1 >"$BATS_TEST_TMPDIR/all"
  cut -f 1 "$BATS_TEST_TMPDIR/all" | answers hash-base64 | cut -d ' ' -f 2 |
    paste - "$BATS_TEST_TMPDIR/all" |
    awk -F '\t' '" " $1 != $3 { print; bad++ } END { exit NR == 0 || bad }'
}

@test "Azure's CRC-64 is the same value in little-endian order" {
  cases checksums 'select(.input_b64) |
    [.input_b64, .azure_crc64_b64, .name]' | rows azure-crc64
}
