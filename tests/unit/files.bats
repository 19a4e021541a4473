#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/ini and base/xml: small files and replies.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "what is noted for a later run is a line of texts, or it is nothing" {
  table note
}

@test "an INI file is read as AWS, OCI and configparser write it" {
  table ini
}

@test "the last value of a name counts" {
  table ini-get
}

@test "named elements of a reply are read, whole or cut" {
  table xml
}

@test "a reply deeper than 32 elements is not read" {
  table xml-deep
}

@test "text is escaped for elements and attributes" {
  table xml-escape
}
