#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/prov_token: requests for credentials, and what their answers give.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a request shows what is in hand where it is asked for, and never in clear" {
  table token-build
}

@test "an answer gives whole credentials, or means what policy and code say" {
  table token-read
}

# The most of an answer that is kept: what was cut off is no credentials.
@test "an answer that is too long gives nothing" {
  local long
  long=$(printf '%066000d' 0)
  [ "$(answers token-read <<<"oauth 200 '' {\"access_token\":\"${long:0:65516}")" = \
    'transient retried failure unavailable' ]
}
