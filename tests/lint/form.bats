#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How the sources are written.

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
}

@test "functions have at most 60 lines, files at most 400" {
  clean check sizes
  echo "# $output" >&3
}

@test "the C sources are as clang-format would write them" {
  as_clang_format_writes
}

@test "no function is more tangled than cognitive complexity 25" {
  [ -f "$ANK_BUILD/Makefile" ] || skip 'nothing is configured'
  untangled
}

@test "each C file says its licence in line 1, each script near it" {
  c_licensed
  scripts_licensed
}

@test "the shell scripts satisfy shellcheck" {
  shellcheck_silent
}

@test "Python, zsh and fish can read theirs" {
  python_compiles
  other_shells_read
}

@test "no script waits by the clock for more than a moment" {
  sleeps_briefly
}

@test "cppcheck finds nothing" {
  cppcheck_silent
}
