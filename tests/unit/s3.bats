#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/target, cloud/prov_s3: addresses, requests and answers of S3.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "the key of an address is taken byte for byte" {
  table target
}

@test "a key that ends in a slash gets the file's base name" {
  table target-complete
}

@test "a request goes where bucket, region and endpoint say" {
  table endpoint
}

@test "a request says what the options ask, and no more" {
  table build
}

@test "a redirect leads through our own endpoint rule only" {
  table relocate
}

@test "an answer of S3 means what policy and code table say" {
  table s3-read
}

@test "a Content-Range is read to the letter" {
  table content-range
}

@test "the awkward keys of the SDK become the SDK's path and host" {
  cases s3_sigv4_sdk 'select(.key and .request.query_string == "" and
      (.request.host | test("amazonaws"))) |
    ["s3://\(.bucket)/\(.key | esc | gsub(" "; "\\s")) region=\(.region) addressing=\(
      if .addressing == "path" then "path" else "virtual" end)",
     "GET \(.request.scheme)://\(.request.host)\(.request.path) \(.region)",
     .name]' >"$BATS_TEST_TMPDIR/keys"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/keys")" -ge 30 ]
  rows endpoint <"$BATS_TEST_TMPDIR/keys"
}
