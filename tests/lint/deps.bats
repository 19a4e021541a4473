#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What quickstart and run-tests say to a user who may not install, on a
# distribution that lacks awscli: the line they print is run, with an apt that
# knows nothing (no lists yet) and with one that knows all the others.
# shellcheck disable=SC2016 # the stubs expand what they say

bats_require_minimum_version 1.5.0

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
  bin=$BATS_TEST_TMPDIR/bin
  export lists=$BATS_TEST_TMPDIR/lists installed=$BATS_TEST_TMPDIR/installed
  mkdir "$bin"
  stub id 'echo 1000'
  stub sudo 'exit 1'
  stub dpkg-query '[ -z "$only" ] || [ "${*: -1}" = "$only" ] || echo installed'
  stub apt-cache 'case $*: in' \
    'policy:) echo "     release a=now"' \
    '  [ ! -e "$lists" ] || echo "     release o=Some,a=stable" ;;' \
    '"policy libc6:") echo "  Candidate: 1.0" ;;' \
    'policy*) [ ! -e "$lists" ] || [ "$2" = awscli ] || echo "  Candidate: 1" ;;' \
    'madison*) [ -e "$lists" ] || exit' \
    '  shift; for i; do [ "$i" = awscli ] || echo "  $i | 1 | x"; done ;;' \
    'esac'
  stub apt-get 'case $1 in update) touch "$lists" ;;' \
    '*) shift; printf "%s\n" "$@" >"$installed" ;; esac'
}

# stub NAME LINE...
stub() {
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$bin/$1"
  chmod +x "$bin/$1"
}

# asks KIND...: what the user is told, and what the told line then installs.
asks() {
  run env PATH="$bin:$PATH" bash -c '. "$0/tests/deps.bash"
    deps_install "$@"' "$top" "$@" </dev/null
  echo "$output"
  [ "$status" -eq 1 ]
  PATH="$bin:$PATH" bash -c "$(grep '^  apt-get update' <<<"$output")"
}

# installs: all of tests/packages that is not here by another way, no awscli.
installs() {
  grep -qx s3cmd "$installed"
  grep -qx bats "$installed"
  grep -qx gcc "$installed"
  run ! grep -x awscli "$installed"
}

@test "the line to run leaves out what the distribution lacks" {
  touch "$lists"
  asks build test peer
  grep -q 'not in this distribution, its tests are skipped: awscli' <<<"$output"
  installs
}

@test "it does so where apt has no lists yet, and says nothing it cannot know" {
  asks build test peer
  run ! grep 'not in this distribution' <<<"$output"
  installs
}

@test "without peers it is a list of names" {
  asks build
  run ! grep '[$]' <<<"$output"
  grep -qx gcc "$installed"
}

@test "for what this distribution lacks nobody is asked for a password" {
  touch "$lists"
  stub sudo 'touch "$installed"'
  clean env only=awscli PATH="$bin:$PATH" bash -c '. "$0/tests/deps.bash"
    deps_install "$@"' "$top" build test peer </dev/null
  grep -q 'its tests are skipped: awscli' <<<"$output"
  [ ! -e "$installed" ]
}

@test "an old bats is refused in a sentence, not by its own words" {
  local version
  stub bats 'echo "Bats $version"'
  for version in 1.8.0 1.10.0 2.0; do
    silent env version="$version" PATH="$bin:$PATH" \
      bash -c '. "$0/tests/deps.bash"; deps_bats' "$top"
  done
  run env version=1.2.1 PATH="$bin:$PATH" \
    bash -c '. "$0/tests/deps.bash"; deps_bats' "$top"
  [ "$status" -eq 1 ]
  grep -q 'need bats 1.8.*it is 1.2.1' <<<"$output"
}
