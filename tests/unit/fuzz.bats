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

@test "a URL of the web: the key is its path, and nothing secret is said" {
  kept weburl
}

@test "credentials are given whole and in one line, or not" {
  kept token
}

@test "a URL that is taken apart goes together again" {
  kept uri
}

@test "half an element is no element, and escaped text is read as it was" {
  kept xml
}

@test "a configuration file is right or wrong whoever reads it" {
  kept config
}

@test "a value is taken or its source is named" {
  kept value
}

@test "no header of ours is given by anybody else" {
  kept header
}

@test "a range that is read is in order, and reads the same" {
  kept range
}

@test "no part of a token is told, whatever a server says that it signed" {
  kept diff
  kept refused
}

@test "the line on a terminal fits and is plain" {
  kept progress
}

@test "each corpus has its property, and each property its corpus" {
  diff <(cd "$BATS_TEST_DIRNAME/../fuzz" && printf '%s\n' *.txt | sed 's/\.txt$//' | sort) \
    <("$ank_test" 2>&1 | tr ' ' '\n' | sed -n 's/^fuzz-//p' | sort)
  diff <(grep -o 'kept [a-z]*$' "$BATS_TEST_DIRNAME/fuzz.bats" | cut -d' ' -f2 | sort) \
    <("$ank_test" 2>&1 | tr ' ' '\n' | sed -n 's/^fuzz-//p' | sort)
}
