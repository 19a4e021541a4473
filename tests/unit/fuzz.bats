#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The properties of tests/tool/fuzz.c hold for every input that is kept.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

# kept NAME: all lines of tests/fuzz/NAME.txt.
kept() {
  local file=$BATS_TEST_DIRNAME/../fuzz/$1.txt
  answers "fuzz-$1" <"$file" >"$BATS_TEST_TMPDIR/got"
  [ "$(sort "$BATS_TEST_TMPDIR/got" | uniq -c | awk '{ print $1, $2 }')" = \
    "$(wc -l <"$file") ok" ]
}

@test "what is encoded decodes to what it was" {
  kept codec
}

@test "a date that is read is written as one that reads the same" {
  kept date
}

@test "an INI file gives trimmed pairs or an error with its line" {
  kept ini
}

@test "parts are the whole object, within every limit" {
  kept plan
}

@test "no answer of a store is read as more than it says" {
  kept reply
}

@test "no wait is shorter than Retry-After or longer than the time left" {
  kept retry
}

@test "one step makes the state whole, whatever was in it" {
  kept state
}

@test "an address is taken apart without a byte lost" {
  kept target
}

@test "a URL that is taken apart goes together again" {
  kept uri
}

@test "half an element is no element, and escaped text is read as it was" {
  kept xml
}
