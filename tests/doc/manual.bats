#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The manual, --help and the report's schema say what the programs do.
# shellcheck disable=SC2030,SC2031,SC2154 # what bats and the harness set

load ../lib/harness
load doc

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# compare ARG...: compare.py of the tree, or of $tree.
compare() {
  run /usr/bin/python3 -B "$BATS_TEST_DIRNAME/compare.py" "${tree:-$top}" "$@"
}

# agrees WHAT: it finds no difference.
agrees() {
  compare "$@"
  assert_eq "$output" ''
  assert_eq "$status" 0
}

@test "the manual has every option, its argument, default and variable, and no other" {
  agrees options
}

@test "--help has every option, its argument, default and words, and no other" {
  local program
  for program in ankput ankget ankbreaker; do
    run_ank "$program" --help
    assert_exit 0
    agrees help "$program" "$OUT"
  done
}

@test "the manual has every variable that is read beside those of options" {
  agrees environment
}

@test "the manual and the schema have every exit status by its name" {
  agrees exits
}

@test "the manual and the schema have every field that a report has, and no other" {
  agrees fields
}

@test "the manual has every verdict, error, operation and reason of a report" {
  agrees words
}

@test "the manual has every column and field that ankbreaker prints, and no other" {
  agrees breaker
}

@test "the pages tell what they share in the same words" {
  agrees sections
}

# notices PAGE-OR-SOURCE SED-SCRIPT WHAT WORDS: a planted difference is found.
notices() {
  tree=$T/tree$((++trees))
  mkdir "$tree"
  cp -r "$top/src" "$top/man" "$tree/"
  sed -i "$2" "$tree/$1"
  run ! cmp -s "$top/$1" "$tree/$1"
  compare "$3"
  assert_eq "$status" 1
  assert_contains "$output" "$4"
}

@test "the comparisons notice what they are for" {
  trees=0
  notices man/ankput.1 's/^\.It Fl -retries .*/.It Fl -tries Ar N/' options 'ankput: tries'
  notices man/ankget.1 's/^\.It Fl -retries .*/.It Fl -retries Ar M/' options 'ankget: retries'
  notices man/ankput.1 's/^\.Cm 30s \./.Cm 31s ./' options 'ankput: stall-timeout'
  notices man/ankput.1 's/ANK_DRY_RUN/ANK_DRY/' options 'ankput: dry-run'
  notices src/cli/options.def 's/"region"/"zone"/' options 'ankput: zone'
  notices man/ankget.1 's/^Region to sign for\./Region./' options 'another text'
  notices man/ankput.1 's/, Ev AWS_SECURITY_TOKEN//' environment 'AWS_SECURITY_TOKEN: the code has it'
  notices src/io/credload_profile.c 's/"AWS_PROFILE"/"AWS_NAMED_PROFILE"/' environment 'ankbreaker: variables: AWS_NAMED_PROFILE'
  notices man/ankput.1 's/Cm tls$/Cm ssl/' exits 'ankput: 15'
  notices src/base/err.c 's/"tls", 15/"tls", 16/' exits 'ankput: 16'
  notices man/ankput.1 's/^\.It Cm request_id/.It Cm request/' fields 'attempt: request_id'
  notices src/flow/summary.c 's/REPORT_ETAG/REPORT_FILE/' fields 'result: etag'
  notices man/ank-report.schema.json 's/"version_id"/"version"/' fields 'version_id'
  notices src/policy/verdict.c 's/"stall"/"still"/' words 'error: still'
  notices src/flow/get_read.c 's/"wrong_range"/"odd_range"/' words 'why: odd_range'
  notices man/ankget.1 's/^Time is up\./Time is over./' sections 'EXIT STATUS'
  notices man/ankbreaker.1 's/ANK_JSON/ANK_TEXT/' options 'ankbreaker: json'
  notices man/ankbreaker.1 's/Cm not_found$/Cm missing/' exits 'ankbreaker: 6'
  notices man/ankbreaker.1 's/^\.It Cm HELD-FOR/.It Cm HELD/' breaker 'Table: HELD-FOR'
  notices src/cli/breaker_show.c 's/"open_left_ms"/"left_ms"/' breaker 'JSON of a scope: left_ms'
  notices src/cli/breaker_show.c 's/"were_held"/"held"/' breaker 'What was changed: held'
}

# variables PAGE: those of its options.
variables() {
  sed -n 's/^\.Pq Ev \(ANK_[A-Z0-9_]*\)$/\1/p' "$top/man/$1.1"
}

@test "every variable of the manual is read, and its mistakes are told" {
  local program name
  for program in ankput ankget; do
    [ "$(variables "$program" | wc -l)" -gt 25 ]
    while read -r name; do
      run_ank "$name"=$'a\rb' "$program" "$(new_file 1)" s3://bucket/k
      assert_exit 2
      assert_contains "$(cat "$OUT" "$ERR")" "$name: "
    done < <(variables "$program")
  done
  [ "$(variables ankbreaker | wc -l)" -ge 6 ]
  while read -r name; do
    run_ank "$name"=$'a\rb' ankbreaker
    assert_exit 2
    assert_contains "$(cat "$ERR")" "$name: "
  done < <(variables ankbreaker)
}

@test "mandoc has nothing to say of the manual" {
  command -v mandoc >/dev/null || skip 'mandoc is missing'
  # Which other pages are installed here says nothing about ours.
  run bash -c 'mandoc -Tlint -Wstyle "$1"/man/*.[1-9] 2>/dev/null |
    grep -v "referenced manual not found"' _ "$top"
  assert_eq "$output" ''
}

@test "10 to 13 are try again later, wherever statuses are told" {
  local page
  for page in man/ank.7 man/ankput.1 man/ankget.1 README.md; do
    grep -q '10 to 13 mean: try again later' "$top/$page" || {
      echo "$page does not say it"
      return 1
    }
  done
}

# example_lines PAGE: the commands of its EXAMPLES, without mdoc's escapes.
example_lines() {
  sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$top/man/$1" |
    sed 's/\\(dq/"/g; s/\\&//g'
}

@test "the examples of the manual work" {
  local line page
  with_backup
  for page in "$top"/man/*.[1-9]; do
    page=${page##*/}
    [ "$(example_lines "$page" | wc -l)" -ge 5 ]
    while IFS= read -r line; do works "$line"; done < <(example_lines "$page")
  done
}

@test "every display of the manual is an example, and a command" {
  cd "$top/man"
  # Nothing hides from the test above: no display elsewhere, of another kind, or
  # of something that is not a command.
  run awk '/^\.Sh / { examples = $2 == "EXAMPLES" }
    /^\.(Bd|D1)/ || (/^\.Dl/ && (!examples || $2 != "$")) { print FILENAME ": " $0 }
    FNR == 1 { n++ } /^\.Sh EXAMPLES/ { pages++ }
    END { if (n != pages) print n - pages " pages without EXAMPLES" }' ./*.[1-9]
  assert_eq "$output" ''
}

@test "the example that asks for the size tells it" {
  local line
  with_backup
  line=$(example_lines ankget.1 | grep jq)
  works "$line"
  assert_eq "$(cat "$T/example.out")" "$(stat -c %s "$T/backup.tar")"
}

@test "NEWS begins with the version that configure.ac names" {
  local version
  version=$(sed -n 's/^AC_INIT(\[ank\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
  [ -n "$version" ]
  assert_eq "$(head -n 1 "$top/NEWS")" "ank $version"
  run_ank ankput --version
  assert_eq "$(head -n 1 "$OUT")" "ankput $version"
}
