#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/prov_oci: addresses, requests and answers of OCI Object Storage.
# shellcheck disable=SC2016 # jq has variables, too

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a request goes where namespace, region and endpoint say" {
  table oci-endpoint endpoint
}

@test "a request says what the options ask, in headers and documents" {
  table oci-build build
}

@test "an answer of OCI means what policy and code table say" {
  table oci-read
}

@test "addresses, requests and answers outlive a failed allocation" {
  split oci-endpoint | cut -f 2 | memory endpoint
  split oci-build | cut -f 2 | memory build
  split oci-read | cut -f 2 | memory oci-read
}

# The SDK leaves five sub-delimiters as they are in a path.
@test "the awkward keys of the SDK become the SDK's paths" {
  cases oci_signature_sdk '
    select(.request.request_target | test("^(get|put) .*/o/[^?]")) |
    select(.name | startswith("date-") | not) |
    (.request.request_target | sub(".*/o/"; "")) as $path |
    select($path | test("[!'\''()*]") | not) |
    ["oci://mynamespace/my-bucket/\($path | [splits("%(?=[0-9A-F]{2})")] |
      .[0] + (.[1:] | map("\\x" + (.[:2] | ascii_downcase) + .[2:]) | add // ""))" +
      " region=us-phoenix-1 op=\(.request.method | ascii_downcase)",
     "\(.request.method) https://objectstorage.us-phoenix-1.oraclecloud.com" +
      "/n/mynamespace/b/my-bucket/o/\($path) us-phoenix-1", .name]' \
    >"$BATS_TEST_TMPDIR/keys"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/keys")" -ge 20 ]
  rows endpoint <"$BATS_TEST_TMPDIR/keys"
}

# commit N...: the parts of these numbers, committed.
@test "an upload is committed by the document that names its parts" {
  rows complete-body <<'EOF'
oci://ns/b/k endpoint=http://h stored=1:a-b	{"partsToCommit":[{"partNum":1,"etag":"a-b"}],"partsToExclude":[]}
EOF
}
