#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/codec: the small grammars of options, headers and files.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a whole number is digits alone, up to 2^64 - 1" {
  table u64
}

@test "a number outside its limits is refused, not cut" {
  table u64-range
}

@test "a size is a number of bytes with one suffix of powers of 1024" {
  table size
}

@test "a duration has one number and at most one unit, rounded up to a ms" {
  table duration
}

@test "an epoch is seconds with an optional fraction, cut to a ms" {
  table epoch
}

@test "a boolean is one of eight words" {
  table bool
}

@test "hex is lower case" {
  table hex
}

@test "percent-encoding leaves RFC 3986 unreserved characters alone" {
  table percent
}

@test "percent-encoding of a path keeps its slashes and dots" {
  table percent-path
}

@test "percent-decoding happens once and leaves what is no %XX" {
  table unpercent
}

@test "UTF-8 has no overlong forms, surrogates or cut sequences" {
  table utf8
}

@test "each byte that is no UTF-8 becomes U+FFFD" {
  table utf8-clean
}

@test "nothing that a terminal obeys gets through" {
  table visible
}

@test "JSON holds no control character that a terminal obeys" {
  table json-visible
}

@test "case, prefixes and suffixes are ASCII" {
  table affix
}
