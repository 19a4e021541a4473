#!/usr/bin/env bats
# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# tests/contract.md has a test for each promise of the retry policy, and what it
# names is there.

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
table=$top/tests/contract.md

# rows: the lines of the tables as ID TAB PROMISE TAB FILE TAB TEST.
rows() {
  awk -F ' *[|] *' -v OFS='\t' '/^\|/ && $2 != "id" && $2 !~ /^-/ {
    print ($2 == "" ? "-" : $2), ($3 == "" ? "-" : $3), $4, $5 }' "${1:-$table}"
}

# faults [FILE]: what is wrong with the ids and words of the table.
faults() {
  rows "$@" | awk -F '\t' '
    NF != 4 || $4 == "" { print "not four columns: " $0; next }
    $1 == "-" && $2 != "-" { print "a promise without an id: " $2 }
    $1 == "-" && !last { print "a test of no promise: " $4 }
    $1 == "-" && $3 == "(to come)" { print "no test, and one to come: " $4 }
    $1 == "-" { next }
    $1 !~ /^[1-8]\.[1-9][0-9]*$/ { print "no id: " $1; next }
    $2 == "-" { print "no promise: " $1 }
    split($2, words, " ") > 20 { print "more than 20 words: " $1 }
    {
      split($1, id, ".")
      now = id[1] * 1000 + id[2]
      if (now != last + 1 && !(id[2] == 1 && id[1] == int(last / 1000) + 1))
        print "out of order: " $1
      last = now
    }
    END { if (int(last / 1000) != 8) print "the last section is not 8" }'
}

# missing [FILE]: each test that is named and does not stand in its file.
missing() {
  local file name
  rows "$@" | cut -f 3,4 | sort -u | while IFS=$'\t' read -r file name; do
    [ "$file" != '(to come)' ] || continue
    grep -qxF "@test \"$name\" {" "$top/$file" 2>/dev/null ||
      echo "not there: $file: $name"
  done
}

silent() {
  local said
  said=$("$@")
  [ -z "$said" ] || { echo "$said" >&2; return 1; }
}

@test "each promise of the contract has an id in order, and few words" {
  silent faults
  [ "$(rows | grep -vc '^-')" -ge 190 ]
}

@test "each test that the contract names stands in its file" {
  silent missing
}

@test "what is to come is counted" {
  local n
  n=$(rows | cut -f 3 | grep -cxF '(to come)' || true)
  echo "# $n of $(rows | grep -vc '^-') promises are to come:" \
    "$(rows | awk -F '\t' '$3 == "(to come)" { n[$4]++ }
      END { for (what in n) printf "%s %d; ", what, n[what] }')" >&3
}

# planted SED WANT COMMAND: with that change of the table COMMAND says so.
planted() {
  local said
  sed "$1" "$table" >"$BATS_TEST_TMPDIR/table"
  said=$("$3" "$BATS_TEST_TMPDIR/table")
  [[ $said == *"$2"* ]] || { echo "$1: $said" >&2; return 1; }
}

@test "the checks of the contract notice what they are for" {
  planted 's/^| 2\.4 |/| 2.3 |/' 'out of order: 2.3' faults
  planted '/^| 2\.4 |/d' 'out of order: 2.5' faults
  planted 's/^| 2\.4 |/| 2.4a |/' 'no id: 2.4a' faults
  planted 's/^| 2\.4 |/| |/' 'a promise without an id' faults
  planted 's/^| 2\.4 | .* | tests/| 2.4 | | tests/' 'no promise: 2.4' faults
  planted 's/^| 2\.4 | /&a b c d e f g h i j k l m n o p q /' 'more than 20 words: 2.4' faults
  planted '/^| 8\./d' 'the last section is not 8' faults
  planted 's/tests\/cli\/backoff/tests\/cli\/nothing/' 'not there: tests/cli/nothing.bats' missing
  planted 's/each strategy waits as it says/each strategy waits/' 'not there: tests/cli/backoff' missing
}
