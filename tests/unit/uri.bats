#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/uri: http and https URLs of endpoints and proxies.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "an endpoint is scheme, host, port and path, and nothing else" {
  table uri
}

@test "a host name is made of labels of [a-z0-9-]" {
  table hostname
}

@test "passwords and signatures do not leave in a URL" {
  table redact
}
