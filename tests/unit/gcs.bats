#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/prov_gcs: requests and answers of Google.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a request says what the options ask, in Google's words" {
  table gcs-build build
}

@test "an answer of Google means what policy and code table say" {
  table gcs-read
}
