#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/prov_azure: requests to Azure and its answers.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a request to Azure says what the options ask, and no more" {
  table azure-build build
}

@test "an answer of Azure means what policy and code table say" {
  table azure-read
}

@test "a list of blocks names their ids in order" {
  [ "$(answers complete-body <<<'az://acct/con/k stored=1:aa+/ stored=2:bb==')" = \
    '<?xml version="1.0" encoding="utf-8"?>\n<BlockList><Latest>aa+/</Latest><Latest>bb==</Latest></BlockList>' ]
}

@test "the awkward names of the SDK are found below the SDK's paths" {
  cases azure_sharedkey_sdk 'select(.request.query_string == "" and
      (.request.path | test("^/cont/[A-Za-z0-9%/~.-]*$"))) |
    ["az://testaccount/cont/\(.request.path | ltrimstr("/cont/") |
        gsub("%(?<h>[0-9A-F]{2})"; "\\x" + .h))" +
      " op=" + (if .request.method == "GET" then "get" else "put" end),
     "\(.request.method) \(.request.url)", .name]' | grep -v -e trailing-dot -e backslash |
    rows endpoint
}
