#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/sign_v4, cloud/sign_azure: the published signatures, stage by stage.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

# In jq: a case as a line for "ank-test sign-v4", and its three stages.
line='
  def word: (. // "") | esc | gsub(" "; "\\s");
  def headers: map("\(.[0]): \(.[1] | gsub("[\r\n]+"; " "))") | join("\n");
  def seen: utf8bytes | map(
    if . == 10 then "\\n" elif . == 92 then "\\\\"
    elif . < 32 or . > 126 then "\\x" + hex else [.] | implode end) | join("");
  def line(path): "method=\(.request.method) host=\(.request.host // "") " +
    "path=\(path | word) query=\(.request.query_string | word) " +
    "header=\(.request.headers | headers | word) region=\(.region) " +
    "service=\(.service) date=\(.date) id=\(.credentials.access_key_id) " +
    "secret=\(.credentials.secret_access_key | word)";
  def stages: [.canonical_request, .string_to_sign, .authorization] |
    join("\n--\n") | seen;'

# The S3 files: all of the request is signed as it stands.
s3_cases() {
  cases "$1" "$line"'
    select((.request.query_string // "") | contains("X-Amz-Signature") or
      contains("X-Amz-Algorithm") | not) |
    [line(.request.path) + " token=\(.credentials.session_token | word)" +
      " body=\(.request.body_utf8 | word)" +
      (if .request.payload_mode == "signed" then ""
       elif .request.payload_mode == "unsigned" then " payload=UNSIGNED-PAYLOAD"
       else " payload=\(.request.payload_mode)" end),
     (.expect | stages), .name]'
}

@test "what is refused is not signed" {
  table sign-v4
}

@test "what is altered on its way is not signed" {
  local plain='method=GET host=h path=/ region=r date=20130524T000000Z id=a secret=b'
  local name
  {
    printf '%s\n' "$plain header=x-signed:1"
    for name in Accept-Encoding Cache-Control Connection Expect \
      From Keep-Alive Max-Forwards Pragma Proxy-Authorization Referer \
      Sec-Fetch-Mode TE Trailer Transfer-Encoding Upgrade User-Agent \
      X-Amzn-Trace-Id; do
      printf '%s\n' "$plain header=$name:1\\nx-signed:1"
    done
  } | answers sign-v4 | sort -u >"$BATS_TEST_TMPDIR/seen"
  cat "$BATS_TEST_TMPDIR/seen"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/seen")" = 1 ]
  grep -q 'host;x-amz-content-sha256;x-amz-date;x-signed' "$BATS_TEST_TMPDIR/seen"
}

@test "the worked examples of the S3 manual come out to the byte" {
  s3_cases s3_doc_examples >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 4 ] # the fifth is presigned
  rows sign-v4 <"$BATS_TEST_TMPDIR/all"
}

@test "the requests of AWS's SDK come out to the byte" {
  s3_cases s3_sigv4_sdk >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 62 ]
  rows sign-v4 <"$BATS_TEST_TMPDIR/all"
}

# S3 folds no path, so the cases that fold one are for other services. The
# suite's paths are raw; encoding one is what the provider does for keys.
@test "the general suite comes out to the byte, but for folded paths" {
  cases aws_sigv4_suite "$line"'
    def encoded: utf8bytes | map([.] | if .[0] < 128 and
        (implode | test("[A-Za-z0-9._~/-]")) then implode
        else "%" + (.[0] | hex | ascii_upcase) end) | join("");
    def folds: .options.normalize_path and
      (.request.path | test("//|/\\.{1,2}(/|$)"));
    select(folds | not) |
    [line(.request.path | encoded) + " body=\(.request.body | word)" +
      (if .options.omit_session_token then ""
       else " token=\(.credentials.session_token | word)" end) +
      (if .options.sign_body then "" else " unsent=" end),
     (.expect_header | stages), .name]' >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 36 ]
  rows sign-v4 <"$BATS_TEST_TMPDIR/all"
}

# In jq: a case as a line for "ank-test sign-azure". The body's length is signed
# as the transfer sends it, so no header tells it.
azure_cases() {
  cases "$1" "$line"'
    select(.request) |
    ["method=\(.request.method) host=h path=\(.request.path | word) " +
      "query=\(.request.query_string | word) id=\(.account) " +
      "secret=\(.account_key_b64) date=\(.date_header | word) header=" +
      (.request.headers | map(select(.[0] != "content-length")) | headers |
        word) +
      " body=\((.request.body_b64 // "") | @base64d | word)",
     ([.expect.string_to_sign, .expect.authorization] | join("\n--\n") | seen),
     .name]'
}

@test "the requests of Azure's SDK come out to the byte" {
  azure_cases azure_sharedkey_sdk >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 38 ]
  rows sign-azure <"$BATS_TEST_TMPDIR/all"
}

@test "each place of the string that Azure signs holds what its page says" {
  azure_cases azure_sharedkey_rules >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 9 ]
  rows sign-azure <"$BATS_TEST_TMPDIR/all"
}

# The tenth has no request, but its string can be had from one.
@test "a published signature comes out with Azure's emulator key" {
  cases azure_sharedkey_rules 'select(.request | not) |
    ["method=GET path=container query=restype=container id=\(.account) " +
      "header=x-ms-version:2015-12-11 secret=\(.account_key_b64) " +
      "date=Fri,\\s23\\sSep\\s2011\\s01:37:34\\sGMT",
     "\(.expect.string_to_sign | esc)\\n--\\n\(.expect.authorization)"]' |
    rows sign-azure
}

@test "Azure's headers are sorted as its service sorts them" {
  table sign-azure
}

@test "a SAS in any form becomes the one that Azure takes" {
  table sas
}

@test "the first difference between two signed texts is told, but no secret" {
  table sign-diff
}

# A case of gcs_hmac names its algorithm; the dialect goes before what it sets.
@test "requests with a Google HMAC key come out to the byte" {
  cases gcs_hmac "$line"'
    [(if .algorithm == "GOOG4-HMAC-SHA256" then "dialect=gcs " else "" end) +
      (.credentials.access_key_id = .credentials.access_id |
       .credentials.secret_access_key = .credentials.secret |
       line(.request.path)) + " body=\(.request.body_utf8 | word)" +
      (if .request.payload_mode == "signed" then ""
       else " payload=\(.request.payload_mode)" end),
     (.expect | stages), .name]' >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 10 ]
  rows sign-v4 <"$BATS_TEST_TMPDIR/all"
}

# They are signed URLs, by RSA: all but the signature itself is compared, and
# what the URL tells is in the query already. These hosts are signed without
# their port; what we send is signed with it. In the last case the string to
# sign holds the digest of another canonical request than the one beside it.
@test "what Google signs of a URL comes out to the byte" {
  cases gcs_v4_signed_urls "$line"'
    def part(n): .expectedCanonicalRequest | split("\n")[n];
    def stamp: .expectedStringToSign | split("\n")[1];
    def given: (.headers // {}) | to_entries |
      map("\(.key): \(.value)") | join("\n") | word;
    select(.description != "Universe domain with virtual hosted style") |
    [("dialect=gcs algorithm=GOOG4-RSA-SHA256 undated= unsent= id=a secret=b " +
      "region=auto date=\(stamp) method=\(.method) " +
      "host=\(.expectedUrl | capture("//(?<h>[^/:]*)").h) path=\(part(1)) " +
      "query=\(.expectedUrl | capture("[?](?<q>.*)&X-Goog-Signature=").q) " +
      "payload=\(.expectedCanonicalRequest | split("\n")[-1]) " +
      "header=\(given)"),
     ([.expectedCanonicalRequest, .expectedStringToSign] |
       join("\n--\n") | seen), .description]' >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 28 ]
  rows sign-v4 <"$BATS_TEST_TMPDIR/all"
}
