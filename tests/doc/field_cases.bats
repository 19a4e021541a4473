#!/usr/bin/env bats
# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# tests/field-cases.md names tests that are there.

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# rows: the table's lines as CASE TAB FILE TAB TEST.
rows() {
  awk -F' *[|] *' -v OFS='\t' '/^\| [0-9]+ \|/ { print $2, $4, $5 }' \
    "$top/tests/field-cases.md"
}

@test "each test that the table of field cases names is there" {
  local file name missing=''
  while IFS=$'\t' read -r _ file name; do
    grep -qF "@test \"$name\" {" "$top/$file" || missing+="$file: $name"$'\n'
  done < <(rows)
  [ -z "$missing" ] || { echo "not there: $missing" >&2; return 1; }
  [ "$(rows | wc -l)" -ge 80 ]
}

@test "each case of the table has its own words, twelve at most, and a test" {
  local words
  words=$(awk -F' *[|] *' '/^\| [0-9]+ \|/ {
      if (!($2 in said)) { said[$2] = $3; if ($3 == "") print "none: " $2 }
      if (split($3, w, " ") > 12) print "long: " $2
    }' "$top/tests/field-cases.md")
  [ -z "$words" ] || { echo "$words" >&2; return 1; }
}

@test "each test that tells a case of the table by its number is in it" {
  local file number name missing='' rows=$BATS_TEST_TMPDIR/rows
  rows >"$rows"
  while IFS=: read -r file name; do
    name=${name#@test \"}
    name=${name%\" \{}
    for number in $(grep -oE '\(cases? [0-9, ]+\)' <<<"$name" | tr -dc '0-9 '); do
      grep -q "^$number	" "$rows" || continue
      grep -qF "$number	$file	$name" "$rows" ||
        missing+="$number in $file: $name"$'\n'
    done
  done < <(cd "$top" && grep -E '^@test .*\(cases? [0-9, ]+\)" \{' tests/cli/*.bats)
  [ -z "$missing" ] || { echo "not in the table: $missing" >&2; return 1; }
}
