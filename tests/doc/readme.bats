#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# README shows what the programs do: its commands work, and its transcripts are
# what a run prints.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and harness set

load ../lib/harness
load ../cli/policy
load doc

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
readme=$top/README.md

# readme_lines: its commands but the one that exports and the one that fails.
readme_lines() {
  sed -n '/^\$ export/d; /; echo/d; s/^\$ //p' "$readme"
}

@test "the examples of README work" {
  local line
  with_backup
  [ "$(readme_lines | wc -l)" -ge 15 ]
  while IFS= read -r line; do works "$line"; done < <(readme_lines)
}

@test "the commands that README names in its text work" {
  local line
  with_backup
  for line in 'ankbreaker trip s3://bucket 2h' 'ankbreaker reset s3://bucket'; do
    grep -qF "\`$line\`" "$readme"
    works "$line"
  done
}

@test "the failure that README shows is told so" {
  local line
  with_backup
  line=$(sed -n 's/^\$ \(ank.*; echo .*\)/\1/p' "$readme")
  works "$line"
  cat "$T/example.err" "$T/example.out" >"$T/told"
  assert_eq "$(cat "$T/told")" "$(grep -F -A 2 "\$ $line" "$readme" | tail -n 2)"
}

# shown FIRST: the block of README whose lines begin with FIRST, unfolded, JOINT
# in place of a fold.
shown() {
  awk -v first="$1" -v joint="$2" '
    /^```/ { if (seen) exit; next }
    index($0, first) == 1 { seen = 1 }
    !seen || /^\$/ { next }
    /^ / { line = line joint substr($0, 2); next }
    { if (line != "") print line; line = $0 }
    END { print line }' "$readme"
}

# met_busy OPTION...: the run that README shows, at its time. Nothing that the
# machine decides: the port, and how long a loopback takes.
met_busy() {
  NO_STATE=
  FAKE_NOW=$(date -u -d "$(shown 2026 ' ' | head -n 1 | cut -d' ' -f1)" +%s)000
  rules '{"op": "put", "nth": 1, "s3_error": "SlowDown", "headers": {"Retry-After": "1"}}' \
    '{"op": "put", "nth": 2, "status": 503}'
  new_file 1000000 "$T/backup.tar" >/dev/null
  run_ank ankput-fake "$@" backup.tar s3://bucket/backup.tar
  assert_exit 0
  assert_eq "$(cat "$ERR")" ''
}

same_everywhere() {
  sed -E 's/127\.0\.0\.1:[0-9]+/HOST/g; s/ in [0-9.]+ m?s;/ in MS;/
    s/"((dns|connect|first_byte|total)_ms)":[0-9]+/"\1":MS/g'
}

@test "the run in words that README shows is what such a run prints" {
  met_busy --text
  assert_eq "$(shown 2026 ' ' | same_everywhere)" "$(same_everywhere <"$OUT")"
}

@test "the JSON that README shows is the first and the last line of that run" {
  met_busy
  assert_eq "$(shown '{"event' '' | same_everywhere)" \
    "$(sed -n '1p;$p' "$OUT" | same_everywhere)"
}

@test "README has at most 120 lines, none of more than 140 columns" {
  [ "$(wc -l <"$readme")" -le 120 ]
  run awk 'length > 140' "$readme"
  assert_eq "$output" ''
}
