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

@test "an upload is completed by the document that names its parts" {
  table complete-body
}

@test "a page of an upload's parts is read whole or not at all" {
  table parts-page
}

@test "what is known of a store is found by its host" {
  table quirk
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

# In jq: a case of the SDK as a line for "endpoint" or "sign-built".
upload='
  def word: (. // "") | esc | gsub(" "; "\\s");
  def op: {POST: (if .request.query | has("uploads") then "create"
      else "complete" end), PUT: "part", DELETE: "abort"}[.request.method];
  def line: "s3://\(.bucket)/\(.key | word) region=\(.region) addressing=\(
      if .addressing == "path" then "path" else "virtual" end) op=\(op)" +
    " upload=\(.request.query.uploadId | word)" +
    " part=\(.request.query.partNumber // 0)";
  select(.request.query | type == "object" and
    (has("uploads") or has("uploadId")) and (has("max-parts") | not)) |'

@test "the uploads of the SDK become the SDK's paths and queries" {
  cases s3_sigv4_sdk "$upload"'
    [line, "\(.request.method) \(.request.scheme)://\(.request.host)" +
      "\(.request.path)?\(.request.query_string) \(.region)", .name]' \
    >"$BATS_TEST_TMPDIR/uploads"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/uploads")" = 5 ]
  rows endpoint <"$BATS_TEST_TMPDIR/uploads"
}

@test "a chosen checksum has the SDK's header and value" {
  # Named beside it, x-amz-sdk-checksum-algorithm is the SDK's own business.
  cases s3_sigv4_sdk 'select(.name == "put-checksum-crc32c-md5") |
    ["s3://\(.bucket)/\(.key) region=\(.region) op=put checksum=crc32c" +
       " crc32c=364b3fb7 md5=900150983cd24fb0d6963f7d28e17f72",
     "PUT \(.request.scheme)://\(.request.host)\(.request.path) \(.region)" +
       ([.request.headers[] | select(.[0] | IN("content-md5",
           "x-amz-checksum-crc32c")) | " | \(.[0] |
         sub("content-md5"; "Content-MD5")): \(.[1])"] | add), .name]' |
    rows build
}

# The SDK signs Content-Length where it sends one and names its parts' digests
# otherwise, so of the five these are those that can be the same.
@test "completion and abort are signed as the SDK signs them" {
  cases s3_sigv4_sdk "$upload"'
    select(.name == "complete-multipart" or .name == "abort-multipart") |
    [line + " id=\(.credentials.access_key_id)" +
      " secret=\(.credentials.secret_access_key) date=\(.date)" +
      " sha256=\(.expect.x_amz_content_sha256)" +
      (.request.headers | map(select(.[0] == "if-none-match") |
        " if-none-match=\(.[1])") | add // ""),
     (.expect | [.canonical_request, .string_to_sign, .authorization] |
       join("\n--\n") | gsub("\n"; "\\n")), .name]' \
    >"$BATS_TEST_TMPDIR/uploads"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/uploads")" = 2 ]
  rows sign-built <"$BATS_TEST_TMPDIR/uploads"
}
