# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the lint suites share.
# shellcheck disable=SC2016,SC2154 # programs for another shell; bats sets status

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
ANK_BUILD=${ANK_BUILD:-$top/build/gcc}
export PYTHONDONTWRITEBYTECODE=1

# clean COMMAND...: COMMAND finds nothing to say; what it says is shown.
clean() {
  run "$@"
  [ "$status" -eq 0 ] || {
    printf '%s\n' "$output"
    return 1
  }
}

# silent COMMAND...: as clean, for tools whose exit status does not tell.
silent() {
  clean "$@"
  [ -z "$output" ] || {
    printf '%s\n' "$output"
    return 1
  }
}

# check NAME [ROOT]: one of the checkers written in Python.
check() {
  /usr/bin/python3 "$BATS_TEST_DIRNAME/$1.py" "${2:-$top}"
}

# sources: the C files, by name, each ended by a NUL.
sources() {
  find "$top/src" "$top/tests" -name '*.[ch]' -print0 | sort -z
}

# tracked: the files of the project, whether this is a clone or a tarball;
# what is made by a build is not among them.
tracked() {
  cd "$top" || return 1
  if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -path ./build -prune -o -type f -print0
  fi | xargs -0 -r sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh
}

# mentions PATTERN [GREP-ARG...]: where the pattern occurs in the project,
# but for the file that holds the patterns.
mentions() {
  cd "$top" || return 1
  tracked | grep -zv '\(^\|/\)tests/lint/tree\.bats$' |
    xargs -0 -r grep -nIE "${@:2}" -e "$1" /dev/null || true
}
