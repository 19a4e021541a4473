#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tree as a whole: manual pages, words, and the map of the house.
# shellcheck disable=SC2016 # programs in quotes are for another shell

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
}

@test "mandoc finds nothing to say of the manual pages" {
  compgen -G "$top/man/*.[1-9]" >/dev/null || skip 'no manual page yet'
  # Which other pages are installed here says nothing about ours.
  silent sh -c 'mandoc -Tlint -Wstyle "$@" 2>/dev/null |
    grep -v "referenced manual not found" || true' sh "$top"/man/*.[1-9]
}

@test "no path of somebody's machine is in the tree" {
  no_machine_path
}

@test "no open end is left in the code" {
  no_open_end
}

@test "no file ends a line in blanks or lacks the last newline" {
  lines_end_well
}

@test "every path that CONTRIBUTING.md names exists" {
  cd "$top"
  grep -oE '`[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]*`' CONTRIBUTING.md | tr -d '`' |
    sort -u | silent xargs -n 1 sh -c '
      for path in "$1" "src/$1" "src/$1".*; do
        [ ! -e "$path" ] || exit 0
      done
      case $1 in build/*) ;; *) echo "$1" ;; esac' sh
}

@test "every package of tests/packages has a known kind and stands there once" {
  silent awk '/^#/ || NF == 0 { next }
    NF < 2 || NF > 3 || $1 !~ /^(build|test|peer)$/ || seen[$2]++ { print }' \
    "$top/tests/packages"
}
